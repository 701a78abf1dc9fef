package storetest

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"sandlot"
)

func likeCases() []storeCase {
	return []storeCase{
		{"Like/records that a player likes a project, and returns the likes there are now", like},
		{"Like/once however often", likeOnce},
		{"Like/fifty at once count once", likeAtOnce},
		{"Like/fifty players at once count fifty", likedByMany},
		{"Like/a new one counts in the project's Likes if counted is set", likeUncounted},
		{"Unlike/takes a player's like back, and its count if it was counted", unlike},
		{"Unlike/where there is none it changes nothing", unlikeNothing},
		{"Liked/reports whether a player likes a project", liked},
		{"Like/survives a crash", likeSurvives},
		{"Sweep/forgets the likes of deleted projects", sweepLikes},
	}
}

func liker(player string) sandlot.Digest { return sum("player " + player) }

// mustLike likes, and looks whether the project's count is what it should be.
func (s Stores) mustLike(t *testing.T, p sandlot.Project, by string, want int64) {
	t.Helper()
	same(t, "the count after a like", must(s.Gallery.Like(t.Context(), p.ID, liker(by), true))(t), want)
	same(t, "the project's likes", must(s.Publish.Project(t.Context(), p.ID))(t).Likes, want)
}

func like(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, "a", 1)
	s.mustLike(t, p, "b", 2)
	s.mustLike(t, s.mustProject(t, "tetra"), "a", 1)
	_, err := s.Gallery.Like(t.Context(), "none", liker("a"), true)
	wants(t, "of no project", err, sandlot.ErrNotFound)
}

func likeOnce(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, "a", 1)
	s.mustLike(t, p, "a", 1)
}

func likeUncounted(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, "a", 1)
	same(t, "the count", must(s.Gallery.Like(t.Context(), p.ID, liker("b"), false))(t), 1)
	same(t, "b likes it", must(s.Gallery.Liked(t.Context(), p.ID, liker("b")))(t), true)
	s.mustLike(t, p, "b", 1) // it is no new one
	same(t, "the count, b's taken back", must(s.Gallery.Unlike(t.Context(), p.ID, liker("b")))(t), 1)
	same(t, "b likes it", must(s.Gallery.Liked(t.Context(), p.ID, liker("b")))(t), false)
	s.mustLike(t, p, "b", 2)
}

func likeAtOnce(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	at50(t, func(int) error { return drop(s.Gallery.Like(background(), p.ID, liker("a"), true)) })
	same(t, "likes", must(s.Publish.Project(t.Context(), p.ID))(t).Likes, 1)
	at50(t, func(int) error { return drop(s.Gallery.Unlike(background(), p.ID, liker("a"))) })
	same(t, "likes, taken back fifty times", must(s.Publish.Project(t.Context(), p.ID))(t).Likes, 0)
}

func likedByMany(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	at50(t, func(i int) error { return drop(s.Gallery.Like(background(), p.ID, liker(strconv.Itoa(i)), true)) })
	same(t, "likes", must(s.Publish.Project(t.Context(), p.ID))(t).Likes, 50)
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
	s.mustLike(t, p, "a", 1)
	s.mustLike(t, p, "b", 2)
	same(t, "a's", must(s.Gallery.Unlike(t.Context(), p.ID, liker("a")))(t), 1)
	same(t, "b likes it", must(s.Gallery.Liked(t.Context(), p.ID, liker("b")))(t), true)
	s.mustLike(t, p, "a", 2)
}

func unlikeNothing(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, "a", 1)
	same(t, "likes", must(s.Gallery.Unlike(t.Context(), p.ID, liker("b")))(t), 1)
	_, err := s.Gallery.Unlike(t.Context(), "none", liker("a"))
	wants(t, "of no project", err, sandlot.ErrNotFound)
}

func liked(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, "a", 1)
	for player, want := range map[string]bool{"a": true, "b": false} {
		same(t, "liked", must(s.Gallery.Liked(t.Context(), p.ID, liker(player)))(t), want)
	}
	_, err := s.Gallery.Liked(t.Context(), "none", liker("a"))
	wants(t, "of no project", err, sandlot.ErrNotFound)
}

func likeSurvives(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, "a", 1)
	after := s.copied(t)
	same(t, "likes", must(after.Publish.Project(t.Context(), p.ID))(t).Likes, 1)
	same(t, "liked", must(after.Gallery.Liked(t.Context(), p.ID, liker("a")))(t), true)
}

func sweepLikes(t *testing.T, s Stores) {
	p := s.mustProject(t, "pong")
	s.mustLike(t, p, "a", 1)
	ok(t, s.Operate.Remove(t.Context(), sandlot.Subject{Project: p.ID}, entry(sandlot.ActionDelete, "pong")))
	_, err := s.Gallery.Like(t.Context(), p.ID, liker("b"), true)
	wants(t, "of a deleted project", err, sandlot.ErrNotFound)
	// Each call may forget two records: it takes several, and then there is nothing left.
	for more, calls := true, 0; more; calls++ {
		if calls > 20 {
			t.Fatal("there is always more")
		}
		_, more, err = s.Upkeep.Sweep(t.Context(), base(), base().Add(time.Hour), 2)
		ok(t, err)
	}
}
