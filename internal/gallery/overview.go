package gallery

import (
	"context"
	"errors"
	"fmt"

	"sandlot/internal/publish"
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
	publish.ProjectView
	Days []int64
}

// Overview returns a page of the caller's projects with their numbers, newest
// change first. Next is the cursor of the page after it, empty on the last. An invalid
// cursor is publish.ErrNotFound.
func (s *Service) Overview(ctx context.Context, by publish.Caller, cursor string) (list []OverviewRow, next string, err error) {
	if err := publish.Authorize(by, publish.ActSeeOwn, nil); err != nil {
		return nil, "", err
	}
	own, err := s.projects.Whoami(ctx, by, overviewPage, cursor)
	if errors.Is(err, publish.CodeInvalidField) {
		err = publish.ErrNotFound // the cursor: the limit is one that it takes
	}
	if err != nil {
		return nil, "", err
	}
	ids := make([]publish.ProjectID, len(own.Projects)) // those of the page: an account may have ten thousand others
	for i, v := range own.Projects {
		ids[i] = v.Project.ID
	}
	now := s.Now().UTC()
	played, err := s.store.PlaysByDay(ctx, ids, now.AddDate(0, 0, 1-OverviewDays), now)
	if err != nil {
		return nil, "", fmt.Errorf("read plays: %w", err)
	}
	for _, v := range own.Projects {
		days := played[v.Project.ID]
		if days == nil {
			days = make([]int64, OverviewDays)
		}
		list = append(list, OverviewRow{v, days})
	}
	return list, own.Next, nil
}
