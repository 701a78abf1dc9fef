package gallery

import (
	"context"
	"errors"
	"slices"

	"sandlot"
)

const (
	// rowSize is the number of projects in a row of the home page: a few swipes on a phone.
	rowSize = 12
	// fullRow is how many projects fill the width of a desktop screen: a row with fewer would look empty, so it repeats
	// projects of other rows.
	fullRow = 5
	// mostTags is the number of tags on the home page.
	mostTags = 14
)

// A Home is the content of the home page.
type Home struct {
	Featured *Card  // the first trending project with a picture; nil if no project is listed
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
	out.Featured = featured(slices.Concat(out.Trending, out.New))
	d, err := s.store.Details(ctx, out.Featured.Project.ID)
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
		return out, err
	}
	out.About = d.Description
	t, err := s.trending(ctx)
	out.Tags = tagsWith(t.tags, out.New)
	out.cut()
	return out, err
}

// cut reduces each row to its size, and drops the projects of the rows above if enough others remain.
func (h *Home) cut() {
	isFeatured := func(c Card) bool { return c.Project.ID == h.Featured.Project.ID }
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

// featured returns the project that is shown large: the first with a picture, or else the first.
func featured(list []Card) *Card {
	i := max(0, slices.IndexFunc(list, func(c Card) bool { return c.Project.Cover != "" }))
	return &list[i]
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
