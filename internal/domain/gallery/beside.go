package gallery

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"

	"sandlot"
	"sandlot/internal/format/names"
)

const (
	// besideSize is the number of projects in a list beside a project: two rows of three.
	besideSize = 6
	// poolReach is how many trending projects are candidates for the next one: enough that two projects rarely lead to
	// the same.
	poolReach = 72
	// alikeReach is how many projects with a shared tag are read: some are by the same creator.
	alikeReach = 4 * besideSize
	// MostCards is how many projects CardsOf takes at once: twenty rows, and one query of the store.
	MostCards = 60
)

// Beside holds the projects that a project page leads on to. All of them may be listed, and the project itself is in
// neither list.
type Beside struct {
	More []Card // of the same creator, newest first, at most six
	Next []Card // of other creators, at most six
}

// Beside returns the projects that a project page leads on to. Projects of other creators come first if they share
// tags, most tags in common first, then the newest. The rest are trending or new projects, a different part of them for
// each project. Like a first page the list may be half a second old, and its ranking half a minute.
func (s *Service) Beside(ctx context.Context, by sandlot.Caller, of sandlot.Project) (Beside, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Beside{}, err
	}
	own, err := s.listed(ctx, ListedQuery{Account: of.Account, Limit: besideSize + 1})
	if err != nil {
		return Beside{}, err
	}
	more := slices.DeleteFunc(own.projects, func(p sandlot.Project) bool { return p.ID == of.ID })
	alike, err := s.alike(ctx, of)
	if err != nil {
		return Beside{}, err
	}
	pool, err := s.lists.pool.get(ctx, s.Now(), func() ([]sandlot.Project, error) { return s.pool(ctx) })
	if err != nil {
		return Beside{}, err
	}
	return Beside{s.cards(ctx, more[:min(len(more), besideSize)]), s.cards(ctx, nextOf(of, append(alike, turned(of, pool)...)))}, nil
}

// alike returns projects that share a tag, at most alikeReach of the newest of each: most tags in common first. It costs
// one small query for each tag.
func (s *Service) alike(ctx context.Context, of sandlot.Project) (list []sandlot.Project, err error) {
	common := map[sandlot.ProjectID]int{}
	for _, tag := range of.Tags.List() {
		newest, err := s.listed(ctx, ListedQuery{Tag: tag, Limit: alikeReach})
		if err != nil {
			return nil, err
		}
		for _, p := range newest.projects {
			if common[p.ID]++; common[p.ID] == 1 {
				list = append(list, p)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b sandlot.Project) int { return common[b.ID] - common[a.ID] })
	return list, nil
}

// pool returns the candidates for the next project: trending ones, then the newest.
func (s *Service) pool(ctx context.Context) ([]sandlot.Project, error) {
	t, err := s.trending(ctx)
	if err != nil {
		return nil, err
	}
	pool, err := s.inOrder(ctx, t.ids[:min(len(t.ids), poolReach)])
	if err != nil {
		return nil, err
	}
	newest, err := s.listed(ctx, ListedQuery{})
	for _, p := range newest.projects {
		if !slices.Contains(t.ids, p.ID) {
			pool = append(pool, p)
		}
	}
	return pool, err
}

// turned rotates a list to begin at a place that depends on the project.
func turned(of sandlot.Project, list []sandlot.Project) []sandlot.Project {
	if len(list) == 0 {
		return nil
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(of.ID)) // a hash takes everything
	begin := int(sum.Sum32() % uint32(len(list)))
	return slices.Concat(list[begin:], list[:begin])
}

// nextOf chooses the projects to follow a project: the first by other creators, one of each creator while there are
// enough.
func nextOf(of sandlot.Project, pool []sandlot.Project) []sandlot.Project {
	var next, spare []sandlot.Project
	seen := map[sandlot.ProjectID]bool{of.ID: true}
	for _, p := range pool {
		switch {
		case seen[p.ID] || p.Account == of.Account:
			continue
		case slices.ContainsFunc(next, func(other sandlot.Project) bool { return other.Account == p.Account }):
			spare = append(spare, p)
		default:
			next = append(next, p)
		}
		if seen[p.ID] = true; len(next) == besideSize {
			return next
		}
	}
	return append(next, spare[:min(len(spare), besideSize-len(next))]...)
}

// Random returns a project that may be listed, and not the one in not if there is another. It returns
// sandlot.ErrNotFound if there is none. It costs at most three small queries, however many projects there are.
func (s *Service) Random(ctx context.Context, by sandlot.Caller, not sandlot.ProjectID) (sandlot.ProjectID, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return "", err
	}
	newest, err := s.store.Listed(ctx, ListedQuery{Limit: 1})
	if err != nil || len(newest) == 0 {
		return "", cmp.Or(err, sandlot.ErrNotFound)
	}
	// If no project comes before the place, or only the excluded one, the search goes on from the newest.
	for _, before := range []int64{s.Draw(newest[0].Number) + 2, 0} {
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
	return "", sandlot.ErrNotFound
}

// CardsOf returns the first MostCards projects that the public may see, in the given order. That includes unlisted
// projects, since a caller who knows the id has been there. Invalid ids are skipped.
func (s *Service) CardsOf(ctx context.Context, by sandlot.Caller, ids []sandlot.ProjectID) ([]Card, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(slices.Clone(ids[:min(len(ids), MostCards)]), func(id sandlot.ProjectID) bool {
		return !names.ValidProjectID(string(id))
	})
	listed, err := s.inOrder(ctx, ids)
	if err != nil {
		return nil, err
	}
	var found []sandlot.Project
	for _, id := range ids {
		if i := slices.IndexFunc(listed, func(p sandlot.Project) bool { return p.ID == id }); i >= 0 {
			found = append(found, listed[i])
		} else if p, err := s.projects.Current(ctx, by, id); err == nil {
			found = append(found, p)
		} else if !sandlot.Gone(err) {
			return nil, err
		}
	}
	return s.cards(ctx, found), nil
}
