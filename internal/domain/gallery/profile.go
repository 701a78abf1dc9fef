package gallery

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sandlot"
)

// profileOrders are those of an account's projects. It never changes.
var profileOrders = []Sort{SortNewest, SortPlayed, SortTrending}

// ProfileOrders returns the orders that a Profile may have, the usual one first.
func ProfileOrders() []Sort { return slices.Clone(profileOrders) }

// Profile returns a page of the projects of an account that may be listed, in an order: the newest first, those with the most plays first, or
// what trends first and the others behind it, the newest first. The last two have the thousand newest. For a handle that the account no longer
// has, the page is empty and current is the handle that it has now. An account that is suspended or gone, and an invalid cursor or order, is
// sandlot.ErrNotFound.
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

// ofAccount finds the page of an account's projects in an order that begins at a place.
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

// trendingFirst moves to the front of an account's projects what trends of them. The others stay in their order.
func (s *Service) trendingFirst(ctx context.Context, id sandlot.AccountID, list []sandlot.Project) error {
	q := s.trendQuery()
	q.Account, q.OfOne = id, rankLimit
	trending, err := s.store.Trending(ctx, q)
	if err != nil {
		return fmt.Errorf("rank an account's by plays and likes: %w", err)
	}
	places := make(map[sandlot.ProjectID]int, len(trending))
	for i, id := range trending {
		places[id] = i - len(trending) // before 0, which all others have
	}
	slices.SortStableFunc(list, func(a, b sandlot.Project) int { return cmp.Compare(places[a.ID], places[b.ID]) })
	return nil
}
