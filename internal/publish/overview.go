package publish

import (
	"context"
	"fmt"
	"strconv"
)

const (
	// overviewPage is how many projects a person sees at once.
	overviewPage = 50
	// OverviewDays is of how many days an overview tells the plays.
	OverviewDays = 30
)

// OverviewRow is a project with its plays on each of the last OverviewDays days,
// in UTC, today last. Plays of the last seconds may be missing.
type OverviewRow struct {
	ProjectView
	Days []int64
}

// Overview returns a page of the caller's projects with their numbers, newest
// change first. Next is the cursor of the page after it, empty on the last. What
// is no cursor is ErrNotFound.
func (s *Service) Overview(ctx context.Context, by Caller, cursor string) (list []OverviewRow, next string, err error) {
	if err := Authorize(by, ActSeeOwn, nil); err != nil {
		return nil, "", err
	}
	before, err := readCursor(cursor)
	if err != nil {
		return nil, "", ErrNotFound
	}
	projects, err := s.store.Projects(ctx, by.Account(), before, overviewPage+1)
	if err != nil {
		return nil, "", fmt.Errorf("read projects: %w", err)
	}
	if len(projects) > overviewPage {
		projects = projects[:overviewPage]
		next = strconv.FormatInt(projects[overviewPage-1].Seq, 36)
	}
	ids := make([]ProjectID, len(projects)) // those of the page: an account may have ten thousand others
	for i, p := range projects {
		ids[i] = p.ID
	}
	now := s.now().UTC()
	played, err := s.site.PlaysByDay(ctx, ids, now.AddDate(0, 0, 1-OverviewDays), now)
	if err != nil {
		return nil, "", fmt.Errorf("read plays: %w", err)
	}
	for _, v := range s.views(ctx, projects) {
		days := played[v.Project.ID]
		if days == nil {
			days = make([]int64, OverviewDays)
		}
		list = append(list, OverviewRow{v, days})
	}
	return list, next, nil
}
