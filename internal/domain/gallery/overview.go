package gallery

import (
	"context"
	"errors"
	"fmt"

	"sandlot"
	"sandlot/internal/domain/publish"
)

const (
	// overviewPage is how many projects a person sees at once.
	overviewPage = 50
	// OverviewDays is how many days of plays an overview has.
	OverviewDays = 30
)

// OverviewRow is a project with its plays by day.
type OverviewRow struct {
	publish.ProjectView
	Days []int64 // plays on each of the last OverviewDays days, in UTC, today last; those of the last seconds may be missing
}

// Overview returns a page of at most 50 of the caller's projects, those that were changed last first. next is the cursor of the next page,
// empty on the last. An invalid cursor is sandlot.ErrNotFound.
func (s *Service) Overview(ctx context.Context, by sandlot.Caller, cursor string) (list []OverviewRow, next string, err error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return nil, "", err
	}
	own, err := s.projects.Whoami(ctx, by, overviewPage, cursor)
	if errors.Is(err, sandlot.CodeInvalidField) {
		err = sandlot.ErrNotFound // the cursor: the limit is one that it takes
	}
	if err != nil {
		return nil, "", err
	}
	ids := make([]sandlot.ProjectID, len(own.Projects)) // those of the page: an account may have ten thousand others
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
