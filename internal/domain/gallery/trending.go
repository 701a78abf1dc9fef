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

// A trend is the ranking by recent plays and likes, with two lists taken from it that are needed often.
type trend struct {
	ranking
	featured []sandlot.ProjectID // the first with a picture, then the first without
	tags     []string            // the most used tags, most used first
}

// featuredReach is how many projects with a picture, and how many without, may be featured: the first one still listed
// is.
const featuredReach = 6

// trending ranks projects by their plays and likes of the week, damped by age, since a new project has had less time to
// be found.
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

// trendQuery returns the query for the projects that trend now.
func (s *Service) trendQuery() TrendQuery {
	now := s.Now().UTC()
	return TrendQuery{Since: now.AddDate(0, 0, 1-trendDays), Now: now, LikeWorth: likeWorth, Young: young, Damping: damping, OfOne: mostOfOne, Limit: rankLimit}
}

// trendOf returns the trend of projects that are already in order.
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

// mostUsed returns the most used tags; among equals those of the service come first.
func mostUsed(used map[string]int) (list []string) {
	for tag := range used {
		list = append(list, tag)
	}
	slices.SortFunc(list, func(a, b string) int {
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
