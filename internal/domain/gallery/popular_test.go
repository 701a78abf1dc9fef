package gallery_test

import (
	"fmt"
	"net/netip"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

// TestRegression06WhatIsOverIsServedAndNotCounted: on a public instance one network counts so much and no more, under
// any number of visitors' names.
func TestRegression06WhatIsOverIsServedAndNotCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.publish(w.account()).Project.ID
	public := w.in.AnotherGallery(gallery.Config{Public: true})
	stats := func() sandlot.Stats {
		_, stats, err := public.Stats(t.Context(), nobody(), string(id))
		expect.OK(t, err)
		return stats
	}
	one, other := netip.MustParseAddr("203.0.113.7"), netip.MustParseAddr("203.0.113.8")
	for i := range 200 {
		player := gallery.Player{ID: gallery.PlayerID(fmt.Sprint("player", i)), From: one}
		public.Play(t.Context(), nobody(), id, player)
		expect.OK(t, public.Touch(t.Context(), nobody(), id, player))
	}
	if got := stats(); got.Plays != 60 || got.Players != 50 {
		t.Errorf("%+v, want 60 plays and 50 players", got)
	}
	public.Play(t.Context(), nobody(), id, gallery.Player{ID: "another", From: other})
	expect.OK(t, public.Touch(t.Context(), nobody(), id, gallery.Player{ID: "another", From: other}))
	if got := stats(); got.Plays != 61 || got.Players != 51 {
		t.Errorf("%+v, want 61 plays and 51 players", got)
	}

	tokens := make([]string, 40)
	for i := range tokens {
		tokens[i] = w.token()
		likes, err := public.Like(t.Context(), nobody(), id, tokens[i], one, true)
		liked, err2 := public.Liked(t.Context(), nobody(), id, tokens[i])
		if want := min(i+1, 20); likes != int64(want) || !liked || err != nil || err2 != nil {
			t.Fatalf("like %d: %d likes, liked %v, %v, %v", i, likes, liked, err, err2)
		}
	}
	for _, i := range []int{39, 0} {
		if _, err := public.Like(t.Context(), nobody(), id, tokens[i], one, false); err != nil {
			t.Errorf("like %d taken back: %v", i, err)
		}
	}
	if got := stats().Likes; got != 19 {
		t.Errorf("%d likes after one that counted was taken back, and one that did not", got)
	}
	if likes, err := public.Like(t.Context(), nobody(), id, w.token(), other, true); likes != 20 || err != nil {
		t.Errorf("from another network: %d likes, %v", likes, err)
	}
}

// TestRegression06TwoBehindOneAddressAreTwo: a like is of a cookie alone, so that nobody sees another's heart filled, or
// takes another's like away.
func TestRegression06TwoBehindOneAddressAreTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.publish(w.account()).Project.ID
	ada, bob := w.token(), w.token()
	w.like(id, ada, true, 1)
	if liked, err := w.Liked(t.Context(), nobody(), id, bob); liked || err != nil {
		t.Errorf("bob sees ada's heart filled (%v)", err)
	}
	w.like(id, bob, false, 1)
	w.like(id, bob, true, 2)
	w.like(id, ada, false, 1)
	if liked, err := w.Liked(t.Context(), nobody(), id, bob); !liked || err != nil {
		t.Errorf("bob's like went with ada's (%v)", err)
	}
}

// TestRegression06APrivateInstanceCountsEverybody: the bounds are for strangers.
func TestRegression06APrivateInstanceCountsEverybody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.publish(w.account()).Project.ID
	for i := range 100 {
		player := gallery.Player{ID: gallery.PlayerID(fmt.Sprint("player", i)), From: home}
		w.Play(t.Context(), nobody(), id, player)
		expect.OK(t, w.Touch(t.Context(), nobody(), id, player))
		_, err := w.Like(t.Context(), nobody(), id, w.token(), home, true)
		expect.OK(t, err)
	}
	if _, got, err := w.Stats(t.Context(), nobody(), string(id)); got != (sandlot.Stats{Plays: 100, Players: 100, Likes: 100}) || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
