package gallery

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sandlot"
)

// profileOrders holds the orders of an account's projects. It never changes.
var profileOrders = []Sort{SortNewest, SortPlayed, SortTrending}

// ProfileOrders returns the possible orders of a Profile, the default first.
func ProfileOrders() []Sort { return slices.Clone(profileOrders) }

// Profile returns a page of an account's projects that may be listed, in an order: the newest first, the most played
// first, or the trending ones first and then the newest. The last two include the thousand newest projects. For a
// former handle of the account the page is empty and current is its present handle. An account that is suspended or
// gone, and an invalid cursor or order, is sandlot.ErrNotFound.
func (s *Service) Profile(ctx context.Context, by sandlot.Caller, handle string, order Sort, cursor string) (current string, _ Page, err error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return "", Page{}, err
	}
	place, err := readPlace(cursor)
	if err != nil || !slices.Contains(profileOrders, order) {
		return "", Page{}, sandlot.ErrNotFound
	}
	a, err := s.store.AccountOfHandle(ctx, handle)
	if err == nil && a.Suspended {
		err = sandlot.ErrNotFound
	}
	if err != nil || a.Handle != handle {
		return a.Handle, Page{}, err
	}
	found, err := s.ofAccount(ctx, a.ID, order, place)
	return a.Handle, s.page(ctx, found), err
}

// ofAccount returns the page of an account's projects that begins at a place of an order.
func (s *Service) ofAccount(ctx context.Context, id sandlot.AccountID, order Sort, place int64) (sheet, error) {
	if order == SortNewest {
		return s.listed(ctx, ListedQuery{Account: id, Before: place})
	}
	newest, err := s.listed(ctx, ListedQuery{Account: id, Limit: rankLimit})
	if err != nil {
		return sheet{}, err
	}
	list := newest.projects
	if order == SortTrending {
		err = s.trendingFirst(ctx, id, list)
	} else {
		slices.SortStableFunc(list, func(a, b sandlot.Project) int { return cmp.Compare(b.Plays, a.Plays) })
	}
	begin := min(place, int64(len(list)))
	end := min(begin+pageSize, int64(len(list)))
	return sheet{projects: list[begin:end], next: nextPlace(begin, len(list))}, err
}

// trendingFirst moves an account's trending projects to the front. The others keep their order.
func (s *Service) trendingFirst(ctx context.Context, id sandlot.AccountID, list []sandlot.Project) error {
	q := s.trendQuery()
	q.Account, q.OfOne = id, rankLimit
	trending, err := s.store.Trending(ctx, q)
	if err != nil {
		return fmt.Errorf("rank an account's projects by plays and likes: %w", err)
	}
	places := make(map[sandlot.ProjectID]int, len(trending))
	for i, id := range trending {
		places[id] = i - len(trending) // below 0, the place of all others
	}
	slices.SortStableFunc(list, func(a, b sandlot.Project) int { return cmp.Compare(places[a.ID], places[b.ID]) })
	return nil
}
