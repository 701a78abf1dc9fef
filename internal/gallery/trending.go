package gallery

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sandlot/internal/publish"
)

const (
	// likeWorth is how many plays a like weighs: somebody who likes a project has done more than to open it.
	likeWorth = 5
	// trendDays are the days that count, today included.
	trendDays = 7
	// mostOfOne is how many projects of one creator are among those that trend, so that nobody fills the row.
	mostOfOne = 2
)

// A trend is the ranking of what is played and liked now, with what is asked of it often.
type trend struct {
	ids      []publish.ProjectID
	featured []publish.ProjectID            // the first of them that have a picture, or the first of all
	tags     []string                       // of them, the most used first
	of       map[publish.ProjectID][]string // the tags of all that were ranked
}

// featuredReach is how many projects may be featured: the first that is still listed is.
const featuredReach = 6

// trending ranks the most played projects of the week by their plays and likes, damped by age: what is new has had less time to be found.
func (s *Service) trending(ctx context.Context) (trend, error) {
	return s.lists.trend.get(ctx, s.Now(), func() (trend, error) {
		now := s.Now().UTC()
		played, err := s.played(ctx)
		if err != nil {
			return trend{}, err
		}
		list, err := s.inOrder(ctx, played)
		if err != nil {
			return trend{}, err
		}
		plays, err := s.store.PlaysByDay(ctx, played, now.AddDate(0, 0, 1-trendDays), now)
		if err != nil {
			return trend{}, fmt.Errorf("read plays: %w", err)
		}
		score := make(map[publish.ProjectID]float64, len(list))
		for _, p := range list {
			score[p.ID] = scoreOf(p, plays[p.ID], now)
		}
		slices.SortStableFunc(list, func(a, b publish.Project) int { return cmp.Compare(score[b.ID], score[a.ID]) })
		return trendOf(list), nil
	})
}

// scoreOf weighs a project by its plays of each day and by its likes, of which the week's share counts.
func scoreOf(p publish.Project, plays []int64, now time.Time) float64 {
	days := max(0, now.Sub(p.CreatedAt).Hours()/24)
	sum := float64(p.Likes) * likeWorth * min(1, trendDays/max(1, days))
	for _, n := range plays {
		sum += float64(n)
	}
	return sum / math.Pow(days+2, 0.8)
}

// trendOf is the ranking of what is in that order, with no more of one creator than may be.
func trendOf(list []publish.Project) (t trend) {
	t.of = make(map[publish.ProjectID][]string, len(list))
	of, used := map[publish.AccountID]int{}, map[string]int{}
	var plain []publish.ProjectID
	for _, p := range list {
		t.of[p.ID] = p.Tags.List()
		for _, tag := range t.of[p.ID] {
			used[tag]++
		}
		if of[p.Account]++; of[p.Account] > mostOfOne {
			continue
		}
		t.ids = append(t.ids, p.ID)
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
func (s *Service) played(ctx context.Context) ([]publish.ProjectID, error) {
	return s.lists.played.get(ctx, s.Now(), func() ([]publish.ProjectID, error) {
		return s.store.MostPlayed(ctx, s.Now().AddDate(0, 0, 1-trendDays), rankLimit)
	})
}
