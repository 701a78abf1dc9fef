package gallery

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"

	"sandlot/internal/names"
	"sandlot/internal/publish"
)

const (
	// besideSize is how many projects a list beside a project has: two rows of three.
	besideSize = 6
	// poolReach is how many of the most played are looked at for what comes next: enough that two projects rarely lead to the same.
	poolReach = 72
	// MostCards is how many projects CardsOf takes at once: twenty rows, and one query of the store.
	MostCards = 60
)

// Beside is what the page of a project leads on to. All of it may be listed, and the project itself is in neither list.
type Beside struct {
	More []Card // of its own creator, newest first, at most six
	Next []Card // of others, at most six
}

// Beside returns what a project leads on to. What others made is taken from the most played of the week and the newest, another part of
// them for each project. Like a first page it may be half a second old, and the ranking behind it half a minute.
func (s *Service) Beside(ctx context.Context, by publish.Caller, of publish.Project) (Beside, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return Beside{}, err
	}
	isIt := func(p publish.Project) bool { return p.ID == of.ID }
	own, err := s.listed(ctx, ListedQuery{Account: of.Account, Limit: besideSize + 1})
	if err != nil {
		return Beside{}, err
	}
	more := slices.DeleteFunc(own.projects, isIt)
	pool, err := s.lists.pool.get(ctx, s.Now(), func() ([]publish.Project, error) { return s.pool(ctx) })
	if err != nil {
		return Beside{}, err
	}
	return Beside{s.cards(ctx, more[:min(len(more), besideSize)]), s.cards(ctx, nextOf(of, pool))}, nil
}

// pool is what may come next: the most played, then the newest.
func (s *Service) pool(ctx context.Context) ([]publish.Project, error) {
	r, err := s.played(ctx)
	if err != nil {
		return nil, err
	}
	pool, err := s.inOrder(ctx, r.ids[:min(len(r.ids), poolReach)])
	if err != nil {
		return nil, err
	}
	newest, err := s.listed(ctx, ListedQuery{})
	for _, p := range newest.projects {
		if !slices.Contains(r.ids, p.ID) {
			pool = append(pool, p)
		}
	}
	return pool, err
}

// nextOf chooses what comes after a project: from a place in the pool that is the project's own, one of each creator while there are such.
func nextOf(of publish.Project, pool []publish.Project) []publish.Project {
	if len(pool) == 0 {
		return nil
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(of.ID)) // a hash takes everything
	begin := int(sum.Sum32() % uint32(len(pool)))
	var next, spare []publish.Project
	for i := range pool {
		p := pool[(begin+i)%len(pool)]
		switch {
		case p.ID == of.ID || p.Account == of.Account:
		case slices.ContainsFunc(next, func(other publish.Project) bool { return other.Account == p.Account }):
			spare = append(spare, p)
		default:
			next = append(next, p)
		}
		if len(next) == besideSize {
			return next
		}
	}
	return append(next, spare[:min(len(spare), besideSize-len(next))]...)
}

// Random returns a project that may be listed, another one than not if there is one. publish.ErrNotFound says that there is none. It costs
// two small queries at most, however many projects there are.
func (s *Service) Random(ctx context.Context, by publish.Caller, not publish.ProjectID) (publish.ProjectID, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return "", err
	}
	newest, err := s.lists.highest.get(ctx, s.Now(), func() (int64, error) { return s.highest(ctx) })
	if err != nil || newest == 0 {
		return "", errors.Join(err, publish.ErrNotFound)
	}
	// A place before which there is nothing, or only what one comes from, leads around to the newest.
	for _, before := range []int64{s.Draw(newest) + 2, 0} {
		found, err := s.store.Listed(ctx, ListedQuery{Before: before, Limit: 2})
		if err != nil {
			return "", err
		}
		for _, l := range found {
			if l.ID != not {
				return l.ID, nil
			}
		}
	}
	return "", publish.ErrNotFound
}

// highest is the number of the newest project that may be listed, 0 where there is none.
func (s *Service) highest(ctx context.Context) (int64, error) {
	found, err := s.store.Listed(ctx, ListedQuery{Limit: 1})
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0].Number, nil
}

// CardsOf returns those of the first MostCards projects that anybody may look at, in the order given: also such as are in no list, for
// whoever names one has been there. What is no id is passed over.
func (s *Service) CardsOf(ctx context.Context, by publish.Caller, ids []publish.ProjectID) ([]Card, error) {
	if err := publish.Authorize(by, publish.ActLook, nil); err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(slices.Clone(ids[:min(len(ids), MostCards)]), func(id publish.ProjectID) bool { return !names.ValidProjectID(string(id)) })
	listed, err := s.inOrder(ctx, ids)
	if err != nil {
		return nil, err
	}
	known := make(map[publish.ProjectID]publish.Project, len(listed))
	for _, p := range listed {
		known[p.ID] = p
	}
	var found []publish.Project
	for _, id := range ids {
		p, ok := known[id]
		if !ok {
			if p, err = s.projects.Current(ctx, by, id); publish.Gone(err) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		found = append(found, p)
	}
	return s.cards(ctx, found), nil
}
