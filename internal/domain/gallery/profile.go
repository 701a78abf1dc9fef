package gallery

import (
	"cmp"
	"context"
	"slices"

	"sandlot"
)

// profileOrders holds the orders of an account's projects. It never changes.
var profileOrders = []Sort{SortNewest, SortPlayed}

// ProfileOrders returns the possible orders of a Profile, the default first.
func ProfileOrders() []Sort { return slices.Clone(profileOrders) }

// Profile returns a page of an account's projects that may be listed, in an order: the newest first, or of the thousand
// newest the most played first. For a former handle of the account the page is empty and current is its present handle.
// An account that is suspended or gone, and an invalid cursor or order, is sandlot.ErrNotFound.
func (s *Service) Profile(
	ctx context.Context, by sandlot.Caller, handle string, order Sort, cursor string,
) (current string, _ Page, err error) {
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
	slices.SortStableFunc(newest.projects, func(a, b sandlot.Project) int { return cmp.Compare(b.Plays, a.Plays) })
	part, next := pageOf(newest.projects, place)
	return sheet{projects: part, next: next}, nil
}
