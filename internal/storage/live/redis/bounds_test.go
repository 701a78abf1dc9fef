package redis

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/live"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

func TestTheServerKeepsABoundedNumberOfPlayersOfAProject(t *testing.T) {
	t.Parallel()
	c, url := newClock(), testenv.Redis(t)
	a, b := node(t, url, c.now, live.Limits{PerProject: 10}), node(t, url, c.now, live.Limits{PerProject: 10})
	a.clock, b.clock = c.now, c.now
	for i := range 30 {
		c.pass(time.Millisecond)
		touch(t, a, "game", gallery.PlayerID(fmt.Sprint("a", i)))
		touch(t, b, "game", gallery.PlayerID(fmt.Sprint("b", i)))
	}
	exchanged(t, a, b, a)
	expect.Equal(t, "players kept", redistest.Do(t, url, "ZCARD", a.keys("game")[0]), any(int64(10)))
	expect.Equal(t, "records of crowds kept", redistest.Do(t, url, "HLEN", a.keys("game")[1]), any(int64(11)))
	players(t, a, "game", 10)
	players(t, b, "game", 10)
}

func TestWhatWaitsAndWhatIsAskedForIsBounded(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := node(t, "redis://"+testenv.Port(t), c.now, live.Limits{})
	for i := range waitMost + 100 {
		touch(t, l, sandlot.ProjectID(fmt.Sprint("game-", i%(roomsMost+100))), gallery.PlayerID(fmt.Sprint(i)))
	}
	if n := len(l.waiting.beats); n != waitMost || len(l.waiting.at) != waitMost {
		t.Errorf("%d wait", n)
	}
	expect.Equal(t, "projects in use", len(l.rooms), roomsMost)
	if l.Sync(t.Context()) == nil {
		t.Fatal("a server that is not there answered")
	}
	expect.Equal(t, "beats that wait after one more failure", len(l.waiting.beats), waitMost)
}

func TestProjectsThatNobodyUsesAnyMoreAreNotAskedFor(t *testing.T) {
	t.Parallel()
	l := node(t, testenv.Redis(t), time.Now, live.Limits{})
	for i := range 10 {
		players(t, l, sandlot.ProjectID(fmt.Sprint("game-", i)), 0)
	}
	exchanged(t, l)
	expect.Equal(t, "projects in use", len(l.rooms), 10)
	for _, r := range l.rooms {
		r.used -= gallery.Presence
	}
	players(t, l, "game-3", 0)
	exchanged(t, l)
	expect.Equal(t, "projects in use", len(l.rooms), 1)
}

func TestKeysExpireByThemselvesAndTellNobodyWhoPlays(t *testing.T) {
	t.Parallel()
	url := testenv.Redis(t)
	l := node(t, url, time.Now, live.Limits{})
	of := []gallery.Crowd{{Network: netip.MustParsePrefix("203.0.113.7/32"), Most: 9}, {Network: netip.MustParsePrefix("2001:db8::/48"), Most: 9}}
	touch(t, l, "game", "the-player-ann", of...)
	touch(t, l, "other", "the-player-ann", of...)
	exchanged(t, l)
	keys, _ := redistest.Do(t, url, "KEYS", "*").([]any)
	if len(keys) != 6 {
		t.Errorf("the keys are %q", keys)
	}
	var all strings.Builder
	for _, k := range keys {
		fmt.Fprintln(&all, k)
		if ttl := redistest.Do(t, url, "PTTL", k).(int64); ttl <= 0 || ttl > 2*gallery.Presence.Milliseconds() {
			t.Errorf("%s expires in %d ms", k, ttl)
		}
		fmt.Fprintln(&all, redistest.Do(t, url, "DUMP", k))
		switch redistest.Do(t, url, "TYPE", k) {
		case "hash":
			fmt.Fprintln(&all, redistest.Do(t, url, "HGETALL", k))
		case "zset":
			fmt.Fprintln(&all, redistest.Do(t, url, "ZRANGE", k, 0, -1))
		}
	}
	for _, told := range []string{"the-player", "203.0.113", "\xcb\x00\x71", "2001:db8", "\x20\x01\x0d\xb8"} {
		if strings.Contains(all.String(), told) {
			t.Errorf("%q can be read", told)
		}
	}
	same := map[string]bool{}
	for _, id := range []sandlot.ProjectID{"game", "other"} {
		for _, p := range redistest.Do(t, url, "ZRANGE", l.keys(id)[0], 0, -1).([]any) {
			same[p.(string)] = true
		}
	}
	expect.Equal(t, "names of one player of two projects", len(same), 2)
}

func TestWhatIsToldOfAPlayer(t *testing.T) {
	t.Parallel()
	at := time.Now()
	seen := func(d time.Duration) beat { return beat{seen: at.Add(d)} }
	gone := beat{left: true}
	for says, c := range map[string]struct {
		beats []beat
		left  bool
		seen  time.Time
	}{
		"the last time":                          {[]beat{seen(0), seen(9)}, false, at.Add(9)},
		"the last time, whatever came last":      {[]beat{seen(9), seen(0)}, false, at.Add(9)},
		"gone":                                   {[]beat{seen(9), gone}, true, time.Time{}},
		"gone and back":                          {[]beat{seen(9), gone, seen(0)}, true, at},
		"a time before a clock was set back":     {[]beat{seen(time.Hour), seen(0)}, false, at},
		"gone, back and seen again out of order": {[]beat{gone, seen(9), seen(1)}, true, at.Add(9)},
	} {
		w := newWaiting()
		for _, b := range c.beats {
			w.add(b)
		}
		if len(w.beats) != 1 || w.beats[0].left != c.left || !w.beats[0].seen.Equal(c.seen) {
			t.Errorf("%s: %v", says, w.beats)
		}
	}
	w := newWaiting()
	w.add(seen(9))
	w.add(beat{player: "b", seen: at})
	if !w.putBack([]beat{{player: "a", seen: at}, seen(3), gone}) {
		t.Error("there was no room")
	}
	if len(w.beats) != 3 || w.beats[0].player != "a" || !w.beats[1].left || !w.beats[1].seen.Equal(at.Add(9)) {
		t.Errorf("after those that came back: %v", w.beats)
	}
}
