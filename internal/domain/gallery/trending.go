package gallery

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
