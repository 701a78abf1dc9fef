package gallery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sandlot"
)

const (
	// likeWorth is how many plays a like weighs: somebody who likes a project has done more than to open it.
	likeWorth = 5
	// young and damping say how age weighs: after two days a project weighs 0.57 of what it did when it was new, after a week 0.30.
	young, damping = 2, 0.8
	// trendDays are the days that count, today included.
	trendDays = 7
	// mostOfOne is how many projects of one creator are among those that trend, so that nobody fills the row.
	mostOfOne = 2
)

// A trend is the ranking of what is played and liked now, with what is asked of it often.
type trend struct {
	ranking
	featured []sandlot.ProjectID // the first of them that have a picture, or the first of all
	tags     []string            // of them, the most used first
}

// featuredReach is how many projects may be featured: the first that is still listed is.
const featuredReach = 6

// trending ranks projects by their plays and likes of the week, damped by age: what is new has had less time to be found.
func (s *Service) trending(ctx context.Context) (trend, error) {
	return s.lists.trend.get(ctx, s.Now(), func() (trend, error) {
		ids, err := s.store.Trending(ctx, s.trendQuery())
		if err != nil {
			return trend{}, fmt.Errorf("rank by plays and likes: %w", err)
		}
		list, err := s.inOrder(ctx, ids)
		return trendOf(list), err
	})
}

// trendQuery asks for what trends now.
func (s *Service) trendQuery() TrendQuery {
	now := s.Now().UTC()
	return TrendQuery{Since: now.AddDate(0, 0, 1-trendDays), Now: now, LikeWorth: likeWorth, Young: young, Damping: damping, OfOne: mostOfOne, Limit: rankLimit}
}

// trendOf is the ranking of what is in that order.
func trendOf(list []sandlot.Project) trend {
	t, used := trend{ranking: rankingOf(list)}, map[string]int{}
	var plain []sandlot.ProjectID
	for _, p := range list {
		for _, tag := range t.of[p.ID] {
			used[tag]++
		}
		if p.Cover != "" && len(t.featured) < featuredReach {
			t.featured = append(t.featured, p.ID)
		} else if len(plain) < featuredReach {
			plain = append(plain, p.ID)
		}
	}
	t.featured = append(t.featured, plain...)
	t.tags = mostUsed(used)
	return t
}

// mostUsed are the tags that are used most, those of the service before others among equals.
func mostUsed(used map[string]int) (list []string) {
	for tag := range used {
		list = append(list, tag)
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(used[b], used[a]), cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
	return list[:min(len(list), mostTags)]
}

// rank is the place of a tag among those of the service, or behind them.
func rank(tag string) int {
	if i := slices.Index(knownTags, tag); i >= 0 {
		return i
	}
	return len(knownTags)
}

// played is the ranking by the plays of the week.
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
