package storetest

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

func trending(t *testing.T, s Stores) {
	now := today(t)
	kim, lee := s.maker(t, "kim"), s.maker(t, "lee")
	for _, id := range []string{"one", "two", "three", "four", "unplayed"} {
		s.titled(t, id, kim.ID, id)
	}
	s.titled(t, "theirs", lee.ID, "theirs")
	s.titled(t, "unliked", lee.ID, "unliked")
	s.mustProject(t, "unverified")
	s.play(t, map[sandlot.ProjectID]int64{"one": 6, "two": 4, "three": 90, "four": 1, "theirs": 4, "unverified": 50})
	s.Unlist(t, "three", true)
	must(s.Gallery.Like(t.Context(), "two", sum("two"), true))(t)
	must(s.Gallery.Like(t.Context(), "four", sum("four"), true))(t)
	must(s.Gallery.AddCounts(t.Context(), map[sandlot.ProjectID]gallery.Counts{"unliked": {Likes: -3}}))(t)
	q := gallery.TrendQuery{Since: now, Now: now, LikeWorth: 5, Young: 2, Damping: 0.8, OfOne: 9, Limit: 9}
	ask := func(change func(q *gallery.TrendQuery)) []sandlot.ProjectID {
		q := q
		change(&q)
		return must(s.Gallery.Trending(t.Context(), q))(t)
	}
	same(t, "of today", ask(func(*gallery.TrendQuery) {}), []sandlot.ProjectID{"two", "four", "one", "theirs"})
	same(t, "a day later", ask(func(q *gallery.TrendQuery) { q.Now = now.Add(aDay) }), []sandlot.ProjectID{"two", "four", "one", "theirs"})
	same(t, "of likes that weigh less", ask(func(q *gallery.TrendQuery) { q.LikeWorth = 1 }), []sandlot.ProjectID{"one", "two", "theirs", "four"})
	same(t, "one of an account", ask(func(q *gallery.TrendQuery) { q.OfOne = 1 }), []sandlot.ProjectID{"two", "theirs"})
	same(t, "the first", ask(func(q *gallery.TrendQuery) { q.Limit = 1 }), []sandlot.ProjectID{"two"})
	same(t, "from tomorrow", len(ask(func(q *gallery.TrendQuery) { q.Since = now.Add(aDay) })), 0)
}
