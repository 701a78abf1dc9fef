package gallery

import (
	"context"
	"errors"
	"fmt"

	"sandlot"
	"sandlot/internal/domain/publish"
)

const (
	// overviewPage is the number of projects on a page.
	overviewPage = 50
	// OverviewDays is the number of days in an overview.
	OverviewDays = 30
)

// OverviewRow is a project with its plays by day.
type OverviewRow struct {
	publish.ProjectView
	Days []int64 // plays on each of the last OverviewDays days, in UTC, today last; those of the last seconds may be missing
}

// Overview returns a page of at most 50 of the caller's projects, the last changed first. next is the cursor of the
// next page, empty on the last. An invalid cursor is sandlot.ErrNotFound.
func (s *Service) Overview(ctx context.Context, by sandlot.Caller, cursor string) (list []OverviewRow, next string, err error) {
	if err := sandlot.Authorize(by, sandlot.ActSeeOwn, nil); err != nil {
		return nil, "", err
	}
	own, err := s.projects.Whoami(ctx, by, overviewPage, cursor)
	if errors.Is(err, sandlot.CodeInvalidField) {
		err = sandlot.ErrNotFound // the cursor: the limit is always valid
	}
	if err != nil {
		return nil, "", err
	}
	ids := make([]sandlot.ProjectID, len(own.Projects)) // only this page: an account may have ten thousand others
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
