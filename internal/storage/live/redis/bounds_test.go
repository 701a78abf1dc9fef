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
	c, url := newClock(), redistest.Database(t)
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
	expect.Equal(t, "players whose beats wait", len(l.waiting), waitMost)
	expect.Equal(t, "projects in use", len(l.rooms), roomsMost)
	if l.Sync(t.Context()) == nil {
		t.Fatal("a server that is not there answered")
	}
	expect.Equal(t, "players whose beats wait after a failure", len(l.waiting), waitMost)
}

func TestProjectsThatNobodyUsesAnyMoreAreNotAskedFor(t *testing.T) {
	t.Parallel()
	l := node(t, redistest.Database(t), time.Now, live.Limits{})
	for i := range 10 {
		players(t, l, sandlot.ProjectID(fmt.Sprint("game-", i)), 0)
	}
	exchanged(t, l)
	expect.Equal(t, "projects in use", len(l.rooms), 10)
	for _, r := range l.rooms {
		r.used = r.used.Add(-gallery.Presence)
	}
	players(t, l, "game-3", 0)
	exchanged(t, l)
	expect.Equal(t, "projects in use", len(l.rooms), 1)
}

func TestKeysExpireByThemselvesAndTellNobodyWhoPlays(t *testing.T) {
	t.Parallel()
	url := redistest.Database(t)
	l := node(t, url, time.Now, live.Limits{})
	of := []gallery.Crowd{{Network: netip.MustParsePrefix("203.0.113.7/32"), Most: 9}, {Network: netip.MustParsePrefix("2001:db8::/48"), Most: 9}}
	touch(t, l, "game", "the-player-ann", of...)
	touch(t, l, "other", "the-player-ann", of...)
	exchanged(t, l)
	keys, _ := redistest.Do(t, url, "KEYS", "*").([]any)
	if len(keys) != 5 {
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
