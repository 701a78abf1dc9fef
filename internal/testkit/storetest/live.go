package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

// TestLive proves the sentences of gallery.Live on one implementation. open
// gives a fresh one to each subtest, and closes it at its end. Times are around
// the present one, in whole milliseconds.
func TestLive(t *testing.T, open func(t *testing.T) gallery.Live) {
	for _, c := range liveCases {
		t.Run(c.says, func(t *testing.T) {
			c.proof(t, live{open(t), time.Now().Truncate(time.Millisecond)})
		})
	}
}

// live adds to an implementation what most proofs need. Its times are
// durations since start.
type live struct {
	gallery.Live
	start time.Time
}

func (l live) touch(t *testing.T, id sandlot.ProjectID, p gallery.PlayerID, at time.Duration, of ...gallery.Crowd) {
	t.Helper()
	expect.OK(t, l.Touch(t.Context(), id, p, l.start.Add(at), of...), "Touch")
}

func (l live) leave(t *testing.T, id sandlot.ProjectID, p gallery.PlayerID, at time.Duration) {
	t.Helper()
	expect.OK(t, l.Leave(t.Context(), id, p, l.start.Add(at)), "Leave")
}

func (l live) players(t *testing.T, id sandlot.ProjectID, at time.Duration, want int) {
	t.Helper()
	got, err := l.Players(t.Context(), id, l.start.Add(at))
	expect.OK(t, err, "Players")
	if got != want {
		t.Errorf("%s after %v: %d players, want %d", id, at, got, want)
	}
}

var liveCases = []struct {
	says  string
	proof func(t *testing.T, l live)
}{
	{"Touch/counts the player as present for Presence from now", func(t *testing.T, l live) {
		l.touch(t, "game", "ann", 0)
		for _, at := range []time.Duration{0, time.Millisecond, gallery.Presence / 2, gallery.Presence - time.Millisecond} {
			l.players(t, "game", at, 1)
		}
		l.players(t, "game", gallery.Presence, 0)
		l.players(t, "game", 10*gallery.Presence, 0)
	}},
	{"Touch/names are not mixed up, whatever is in them", func(t *testing.T, l live) {
		ids := []sandlot.ProjectID{"a", "ab", "a:b", "*", "a\x00b", ""}
		for i, id := range ids {
			for j := range i + 1 {
				for _, p := range []string{"%d", "b%d", ":%d", "*%d", "\x00%d"} {
					l.touch(t, id, gallery.PlayerID(fmt.Sprintf(p, j)), 0)
				}
			}
		}
		for i, id := range ids {
			l.players(t, id, 0, 5*(i+1))
		}
	}},
	{"Touch/Most of a crowd count, and a place is free when one of them goes", func(t *testing.T, l live) {
		of := []gallery.Crowd{{Network: netip.MustParsePrefix("203.0.113.7/32"), Most: 2}}
		l.touch(t, "game", "ann", 0, of...)
		l.touch(t, "game", "bob", 10*time.Second, of...)
		l.touch(t, "game", "cid", 10*time.Second, of...)
		l.players(t, "game", 10*time.Second, 2)
		l.touch(t, "game", "ann", 20*time.Second, of...)
		l.touch(t, "other", "cid", 20*time.Second, of...)
		l.touch(t, "game", "dan", 20*time.Second, gallery.Crowd{Network: netip.MustParsePrefix("203.0.113.8/32"), Most: 2})
		l.touch(t, "game", "eve", 20*time.Second)
		l.players(t, "game", 20*time.Second, 4)
		l.players(t, "other", 20*time.Second, 1)
		l.leave(t, "game", "cid", 21*time.Second) // was not counted
		l.leave(t, "game", "bob", 21*time.Second)
		l.touch(t, "game", "cid", 21*time.Second, of...)
		l.players(t, "game", 21*time.Second, 4)
		l.touch(t, "game", "ann", 20*time.Second+gallery.Presence, of...) // gone, as dan and eve are
		l.touch(t, "game", "bob", 20*time.Second+gallery.Presence, of...) // cid is there
		l.players(t, "game", 20*time.Second+gallery.Presence, 2)
	}},
	{"Touch/unless Most others of one of the crowds are present", func(t *testing.T, l live) {
		wide := gallery.Crowd{Network: netip.MustParsePrefix("2001:db8::/48"), Most: 3}
		of := func(prefix string) []gallery.Crowd {
			return []gallery.Crowd{{Network: netip.MustParsePrefix(prefix), Most: 2}, wide}
		}
		for i, prefix := range []string{
			"2001:db8:0:1::/64", "2001:db8:0:1::/64", "2001:db8:0:1::/64", "2001:db8:0:2::/64",
			"2001:db8:0:3::/64",
		} {
			l.touch(t, "game", gallery.PlayerID(fmt.Sprint(i)), 0, of(prefix)...)
		}
		l.players(t, "game", 0, 3)
	}},
	{"Players/is what a plain count gives, whatever happens", proveAgainstModel},
	{"Busiest/returns the projects that have players present, most players first, by their IDs among equals", busiest},
	{"Live/a clock that was set back a little loses nobody", func(t *testing.T, l live) {
		l.touch(t, "game", "ann", 0)
		l.touch(t, "game", "bob", -10*time.Second)
		l.players(t, "game", -10*time.Second, 2)
		l.touch(t, "game", "ann", -5*time.Second)
		l.players(t, "game", gallery.Presence-10*time.Second, 1)
		l.players(t, "game", gallery.Presence, 0)
	}},
	{"Live/a clock that was set back a lot forgets who does not come again", func(t *testing.T, l live) {
		l.touch(t, "game", "ann", 0)
		l.touch(t, "game", "bob", -time.Hour)
		l.touch(t, "game", "bob", -time.Hour+20*time.Second)
		l.players(t, "game", -time.Hour+gallery.Presence, 1)
		l.players(t, "game", -time.Hour+gallery.Presence+20*time.Second, 0)
	}},
	{"Live/all methods may be called concurrently", func(t *testing.T, l live) {
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				if err := l.crowd(t.Context(), i); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		l.players(t, "game", time.Second, 16*25)
	}},
}

// crowd brings 50 players; every second one leaves.
func (l live) crowd(ctx context.Context, caller int) error {
	for i := range 50 {
		p := gallery.PlayerID(fmt.Sprintf("player %d of %d", i, caller))
		if err := l.Touch(ctx, "game", p, l.start.Add(time.Duration(i)*time.Millisecond)); err != nil {
			return err
		}
		if _, err := l.Players(ctx, "game", l.start.Add(time.Duration(i)*time.Millisecond)); err != nil {
			return err
		}
		if i%2 == 1 {
			if err := l.Leave(ctx, "game", p, l.start.Add(time.Second)); err != nil {
				return err
			}
		}
	}
	return nil
}

// proveAgainstModel does 2,000 random things, in times that run forward but
// for the jitter of callers at once, and compares each count.
func proveAgainstModel(t *testing.T, l live) {
	rng := rand.New(rand.NewPCG(1, 2))
	ids := []sandlot.ProjectID{"game", "other", "third"}
	seen := map[sandlot.ProjectID]map[gallery.PlayerID]time.Duration{"game": {}, "other": {}, "third": {}}
	now := time.Duration(0)
	for range 2000 {
		now += time.Duration(rng.IntN(3000)) * time.Millisecond
		id := ids[rng.IntN(len(ids))]
		p := gallery.PlayerID(fmt.Sprint(rng.IntN(40)))
		switch rng.IntN(5) {
		case 0:
			l.leave(t, id, p, now)
			delete(seen[id], p)
		case 1:
			want := 0
			for _, at := range seen[id] {
				if now-at < gallery.Presence {
					want++
				}
			}
			l.players(t, id, now, want)
		default:
			at := max(0, now-time.Duration(rng.IntN(200))*time.Millisecond)
			l.touch(t, id, p, at)
			if last, ok := seen[id][p]; !ok || at > last {
				seen[id][p] = at
			}
		}
	}
}

func busiest(t *testing.T, l live) {
	want := func(limit int, at time.Duration, want ...sandlot.ProjectID) {
		t.Helper()
		got, err := l.Busiest(t.Context(), limit, l.start.Add(at))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("after %v: %v, %v; want %v", at, got, err, want)
		}
	}
	want(9, 0)
	for i, id := range []sandlot.ProjectID{"b", "a", "most", "gone", "a", "b", "most", "most"} {
		l.touch(t, id, gallery.PlayerID(fmt.Sprint(i)), time.Duration(i)*time.Second)
	}
	l.leave(t, "gone", "3", 10*time.Second)
	want(9, 10*time.Second, "most", "a", "b")
	want(2, 10*time.Second, "most", "a")
	want(9, gallery.Presence+2*time.Second, "most", "a", "b")
	want(9, gallery.Presence+5*time.Second, "most")
	want(9, gallery.Presence+7*time.Second)
}
