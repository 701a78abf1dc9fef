package storetest

import (
	"testing"
	"time"

	"sandlot"
)

func likeCases() []storeCase {
	return []storeCase{
		{"Like/fifty at once count once", likeAtOnce},
		{"Like/a new one counts in the project's Likes if counted is set", likeUncounted},
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
	atOnce(t, 50, nil, func(int) error { return drop(s.Gallery.Like(background(), p.ID, liker("a"), true)) })
	same(t, "likes", must(s.Publish.Project(t.Context(), p.ID))(t).Likes, 1)
	atOnce(t, 50, nil, func(int) error { return drop(s.Gallery.Unlike(background(), p.ID, liker("a"))) })
	same(t, "likes, taken back fifty times", must(s.Publish.Project(t.Context(), p.ID))(t).Likes, 0)
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
