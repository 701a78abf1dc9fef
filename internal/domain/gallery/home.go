package gallery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	Featured *Card  // the pinned project, or the first trending one with a picture; nil if no project is listed
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
	if out.Featured, err = s.pinned(ctx); err != nil {
		return out, err
	}
	if out.Featured == nil {
		out.Featured = featured(slices.Concat(out.Trending, out.New))
	}
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

// pinned returns the project that the operator pinned, if it may be listed, or nil.
func (s *Service) pinned(ctx context.Context) (*Card, error) {
	id, err := s.store.Featured(ctx)
	if errors.Is(err, sandlot.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := s.inOrder(ctx, []sandlot.ProjectID{id})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &s.cards(ctx, list)[0], nil
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

const (
	// likeWorth is how many plays a like weighs: a like takes more than opening a project.
	likeWorth = 5
	// young and damping set the effect of age: a project has 0.57 of its initial weight after two days, and 0.30 after
	// a week.
	young, damping = 2, 0.8
	// trendDays is the number of days that count, including today.
	trendDays = 7
	// mostOfOne is how many projects of one creator may trend, so that nobody fills the row.
	mostOfOne = 2
)

// A trend is the ranking by recent plays and likes, with the most used tags, most used first.
type trend struct {
	ranking
	tags []string
}

// trending ranks projects by their plays and likes of the week, damped by age, since a new project has had less time to
// be found.
func (s *Service) trending(ctx context.Context) (trend, error) {
	return s.lists.trend.get(ctx, s.Now(), func() (trend, error) {
		now := s.Now().UTC()
		ids, err := s.store.Trending(ctx, TrendQuery{
			Since: now.AddDate(0, 0, 1-trendDays), Now: now, LikeWorth: likeWorth, Young: young, Damping: damping,
			OfOne: mostOfOne, Limit: rankLimit,
		})
		if err != nil {
			return trend{}, fmt.Errorf("rank by plays and likes: %w", err)
		}
		list, err := s.inOrder(ctx, ids)
		t, used := trend{ranking: rankingOf(list)}, map[string]int{}
		for _, tags := range t.of {
			for _, tag := range tags {
				used[tag]++
			}
		}
		t.tags = mostUsed(used)
		return t, err
	})
}

// mostUsed returns the most used tags; among equals those of the service come first.
func mostUsed(used map[string]int) []string {
	list := slices.SortedFunc(maps.Keys(used), func(a, b string) int {
		return cmp.Or(cmp.Compare(used[b], used[a]), cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
	return list[:min(len(list), mostTags)]
}

// rank returns the place of a tag among those of the service; other tags follow them.
func rank(tag string) int {
	if i := slices.Index(knownTags, tag); i >= 0 {
		return i
	}
	return len(knownTags)
}

// played returns the ranking by the plays of the week.
func (s *Service) played(ctx context.Context) (ranking, error) {
	return s.lists.played.get(ctx, s.Now(), func() (ranking, error) {
		ids, err := s.store.MostPlayed(ctx, s.Now().AddDate(0, 0, 1-trendDays), rankLimit)
		if err != nil {
			return ranking{}, err
		}
		list, err := s.inOrder(ctx, ids)
		return rankingOf(list), err
	})
}

// knownTags holds the tags that have a name in every language of the website. It never changes.
var knownTags = []string{
	"action", "puzzle", "platformer", "shooter", "racing", "strategy", "rpg", "adventure", "simulation", "card", "board", "word",
	"music", "sports", "educational", "art", "tool", "demo", "multiplayer", "3d",
}

// KnownTags returns the tags that have a name in every language of the website. Owners may also use words of their own.
func KnownTags() []string { return slices.Clone(knownTags) }

// KnownTag reports whether a tag is one of KnownTags.
func KnownTag(tag string) bool { return slices.Contains(knownTags, tag) }
