package gallery

import (
	"context"
	"errors"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/format/names"
)

const (
	// rowSize is the number of projects in a row of the home page: a few swipes on a phone.
	rowSize = 12
	// fullRow is how many projects fill the width of a desktop screen: a row with fewer would look empty, so it repeats
	// projects of other rows.
	fullRow = 5
	// mostTags is the number of tags on the home page.
	mostTags = 14
	// featuredFor is how long the featured project stays.
	featuredFor = time.Hour
)

// A Home is the content of the home page.
type Home struct {
	Featured *Card  // the top trending project with a picture, the same for an hour; nil if no project is listed
	About    string // the owner's description of the featured project; may be empty
	Live     []Card // most players first; only projects with players
	Trending []Card
	New      []Card
	Tags     []string // some tags of projects, the most used first
	Waiting  int      // as in a Page
}

// Home returns the content of the home page. Like a first page it may be half a second old, and the trending projects
// half a minute.
func (s *Service) Home(ctx context.Context, by sandlot.Caller) (Home, error) {
	var out Home
	row := func(order Sort) ([]Card, error) {
		page, err := s.Browse(ctx, by, order, "")
		out.Waiting += page.Waiting
		return page.Cards, err
	}
	var err error
	if out.New, err = row(SortNewest); err != nil || len(out.New) == 0 {
		return out, err
	}
	if out.Live, err = row(SortLive); err != nil {
		return out, err
	}
	if out.Trending, err = row(SortTrending); err != nil {
		return out, err
	}
	if out.Featured, err = s.featured(ctx, out.New); err != nil {
		return out, err
	}
	if out.Featured != nil {
		d, err := s.store.Details(ctx, out.Featured.Project.ID)
		if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
			return out, err
		}
		out.About = d.Description
	}
	t, err := s.trending(ctx)
	out.Tags = tagsWith(t.tags, out.New)
	out.cut()
	return out, err
}

// cut reduces each row to its size, and drops the projects of the rows above if enough others remain.
func (h *Home) cut() {
	isFeatured := func(c Card) bool { return h.Featured != nil && c.Project.ID == h.Featured.Project.ID }
	h.Live = slices.DeleteFunc(h.Live, func(c Card) bool { return c.Stats.Players == 0 })
	h.Trending = slices.DeleteFunc(h.Trending, isFeatured)
	shown := map[sandlot.ProjectID]bool{}
	for _, row := range []*[]Card{&h.Live, &h.Trending, &h.New} {
		other := slices.DeleteFunc(slices.Clone(*row), func(c Card) bool { return shown[c.Project.ID] })
		if len(other) >= fullRow {
			*row = other
		}
		*row = (*row)[:min(len(*row), rowSize)]
		for _, c := range *row {
			shown[c.Project.ID] = true
		}
	}
}

// featured returns the project that is shown large: the first one still listed of those chosen at the beginning of the
// hour.
func (s *Service) featured(ctx context.Context, newest []Card) (*Card, error) {
	now := s.Now().UTC()
	chosen, err := s.lists.featured.get(ctx, now.Truncate(featuredFor), func() ([]sandlot.ProjectID, error) {
		t, err := s.trending(ctx)
		if err == nil && len(t.featured) == 0 {
			err = sandlot.ErrNotFound // an error is not cached
		}
		return t.featured, err
	})
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return nil, err
	}
	list, err := s.inOrder(ctx, chosen)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		i := max(0, slices.IndexFunc(newest, func(c Card) bool { return c.Project.Cover != "" }))
		return &newest[i], nil
	}
	return &Card{list[0], s.counters.ListStats(ctx, list[0])}, nil
}

// tagsWith adds the tags of the newest projects to those of the trending ones.
func tagsWith(tags []string, newest []Card) []string {
	tags = slices.Clone(tags)
	for _, c := range newest {
		for _, tag := range c.Project.Tags.List() {
			if len(tags) < mostTags && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// Tags returns some tags of trending and new projects, the most used first.
func (s *Service) Tags(ctx context.Context, by sandlot.Caller) ([]string, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return nil, err
	}
	newest, err := s.Browse(ctx, by, SortNewest, "")
	if err != nil {
		return nil, err
	}
	t, err := s.trending(ctx)
	return tagsWith(t.tags, newest.Cards), err
}

// Tagged returns a page of the projects that have a tag and may be listed, in an order; an empty cursor means the first
// page. Rankings are those of Browse, without the projects that lack the tag. An invalid tag, cursor or order is
// sandlot.ErrNotFound.
func (s *Service) Tagged(ctx context.Context, by sandlot.Caller, tag string, order Sort, cursor string) (Page, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Page{}, err
	}
	place, err := readPlace(cursor)
	kept, ok := names.Tag(tag)
	if _, known := s.lists.first[order]; err != nil || !known || !ok || kept != tag {
		return Page{}, sandlot.ErrNotFound
	}
	if order == SortNewest {
		found, err := s.listed(ctx, ListedQuery{Tag: tag, Before: place})
		return s.page(ctx, found), err
	}
	r, err := s.ranking(ctx, order)
	if err != nil {
		return Page{}, err
	}
	hasTag := func(tags []string) bool { return slices.Contains(tags, tag) }
	ids := slices.DeleteFunc(slices.Clone(r.ids), func(id sandlot.ProjectID) bool { return !hasTag(r.of[id]) })
	found, err := s.ranked(ctx, ids, place, nil)
	found.projects = slices.DeleteFunc(found.projects, func(p sandlot.Project) bool { return !hasTag(p.Tags.List()) })
	return s.page(ctx, found), err
}
