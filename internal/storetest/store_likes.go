package storetest

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"sandlot/internal/publish"
)

func likeCases() []storeCase {
	return []storeCase{
		{"Like/records that a visitor likes a project, and counts it in the project's Likes", like},
		{"Like/once, however often and under whichever hash", likeOnce},
		{"Like/fifty at once count once", likeAtOnce},
		{"Like/fifty visitors at once count fifty", likedByMany},
		{"Unlike/takes the one under Visitor back, or where there is none, that under Today", unlike},
		{"Unlike/where there is neither it changes nothing", unlikeNothing},
		{"Liked/reports whether a visitor likes a project", liked},
		{"Like/survives a crash", likeSurvives},
		{"Sweep/forgets the likes of deleted projects", sweepLikes},
	}
}

func liker(visitor, today string) publish.Liker {
	return publish.Liker{Visitor: sum("visitor " + visitor), Today: sum("today " + today)}
}

// mustLike likes, and looks whether the project's count is what it should be.
func (s Stores) mustLike(t *testing.T, p publish.Project, by publish.Liker, want int64) {
	t.Helper()
	same(t, "the count after a like", must(s.Like(t.Context(), p.ID, by))(t), want)
	same(t, "the project's likes", must(s.Project(t.Context(), p.ID))(t).Likes, want)
}

func like(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, liker("a", "a"), 1)
	s.mustLike(t, p, liker("b", "b"), 2)
	s.mustLike(t, s.mustProject(t, "tetra"), liker("a", "a"), 1)
	_, err := s.Like(t.Context(), "none", liker("a", "a"))
	wants(t, "of no project", err, publish.ErrNotFound)
}

func likeOnce(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, liker("a", "monday"), 1)
	s.mustLike(t, p, liker("a", "monday"), 1)
	s.mustLike(t, p, liker("a", "tuesday"), 1)
	s.mustLike(t, p, liker("lost the token", "monday"), 1)
	// The new token has taken the like over.
	s.mustLike(t, p, liker("lost the token", "tuesday"), 1)
}

func likeAtOnce(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	at50(t, func(int) error { return drop(s.Like(background(), p.ID, liker("a", "a"))) })
	same(t, "likes", must(s.Project(t.Context(), p.ID))(t).Likes, 1)
	at50(t, func(i int) error { return drop(s.Like(background(), p.ID, liker(strconv.Itoa(i), "a"))) })
	same(t, "likes with fifty tokens on one day", must(s.Project(t.Context(), p.ID))(t).Likes, 1)
	at50(t, func(int) error { return drop(s.Unlike(background(), p.ID, liker("a", "a"))) })
	same(t, "likes, taken back fifty times", must(s.Project(t.Context(), p.ID))(t).Likes, 0)
}

func likedByMany(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	at50(t, func(i int) error { return drop(s.Like(background(), p.ID, liker(strconv.Itoa(i), strconv.Itoa(i)))) })
	same(t, "likes", must(s.Project(t.Context(), p.ID))(t).Likes, 50)
}

// at50 does something fifty times at once.
func at50(t *testing.T, do func(i int) error) {
	t.Helper()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if err := do(i); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func unlike(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, liker("a", "a"), 1)
	s.mustLike(t, p, liker("b", "b"), 2)
	same(t, "a's, on a day that is b's", must(s.Unlike(t.Context(), p.ID, liker("a", "b")))(t), 1)
	same(t, "b likes it", must(s.Liked(t.Context(), p.ID, liker("b", "-")))(t), true)
	same(t, "b's, without the token", must(s.Unlike(t.Context(), p.ID, liker("-", "b")))(t), 0)
	s.mustLike(t, p, liker("a", "a"), 1)
}

func unlikeNothing(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, liker("a", "a"), 1)
	same(t, "likes", must(s.Unlike(t.Context(), p.ID, liker("b", "b")))(t), 1)
	_, err := s.Unlike(t.Context(), "none", liker("a", "a"))
	wants(t, "of no project", err, publish.ErrNotFound)
}

func liked(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, liker("a", "a"), 1)
	for _, c := range []struct {
		by   publish.Liker
		want bool
	}{{liker("a", "a"), true}, {liker("a", "-"), true}, {liker("-", "a"), true}, {liker("b", "b"), false}} {
		same(t, "liked", must(s.Liked(t.Context(), p.ID, c.by))(t), c.want)
	}
	_, err := s.Liked(t.Context(), "none", liker("a", "a"))
	wants(t, "of no project", err, publish.ErrNotFound)
}

func likeSurvives(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, liker("a", "a"), 1)
	after := s.Copy(t)
	same(t, "likes", must(after.Project(t.Context(), p.ID))(t).Likes, 1)
	same(t, "liked", must(after.Liked(t.Context(), p.ID, liker("a", "-")))(t), true)
}

func sweepLikes(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, liker("a", "a"), 1)
	ok(t, s.Remove(t.Context(), publish.Subject{Project: p.ID}, entry(publish.ActionDelete, "pong")))
	_, err := s.Like(t.Context(), p.ID, liker("b", "b"))
	wants(t, "of a deleted project", err, publish.ErrNotFound)
	// Each call may forget two records: it takes several, and then there is nothing left.
	for more, calls := true, 0; more; calls++ {
		if calls > 20 {
			t.Fatal("there is always more")
		}
		_, more, err = s.Sweep(t.Context(), base(), base().Add(time.Hour), 2)
		ok(t, err)
	}
}
