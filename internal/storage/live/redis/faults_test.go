package redis

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/live"
	"sandlot/internal/storage/redis"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// soon is far longer than a call takes that waits for nobody, and far shorter than those faults last.
const soon = 2 * time.Second

// timely makes a call that waits for nobody.
func timely(t *testing.T, what string, call func() error) {
	t.Helper()
	begin := time.Now()
	expect.OK(t, call(), what)
	if took := time.Since(begin); took > soon {
		t.Errorf("%s took %v", what, took)
	}
}

// answers makes each call of a node that has seen a player of the project, of which so many players are known.
func answers(t *testing.T, l *Live, want int, seen gallery.PlayerID) {
	t.Helper()
	timely(t, "Touch", func() error { return l.Touch(t.Context(), "game", seen, l.now()) })
	timely(t, "Leave", func() error { return l.Leave(t.Context(), "game", "nobody", l.now()) })
	timely(t, "Players", func() error { players(t, l, "game", want); return nil })
	timely(t, "Busiest", func() error { _, err := l.Busiest(t.Context(), 9, l.now()); return err })
}

// recovers exchanges until the server answers.
func recovers(t *testing.T, nodes ...*Live) {
	t.Helper()
	for _, l := range nodes {
		testenv.Eventually(t, patience, "an exchange that works", func() bool { return l.Sync(t.Context()) == nil })
	}
	exchanged(t, nodes...)
}

// fails exchanges until the server is not asked any more.
func fails(t *testing.T, l *Live) {
	t.Helper()
	testenv.Eventually(t, patience, "a server that is down", func() bool { return errors.Is(l.Sync(t.Context()), redis.ErrDown) })
}

func TestWithoutTheServerEachNodeCountsItsOwn(t *testing.T) {
	t.Parallel()
	t.Run("when it is killed, and it is told what waited when it is back", func(t *testing.T) {
		t.Parallel()
		s := testenv.StartRedis(t)
		a, b := settled(t, s.URL(), time.Now, nil), settled(t, s.URL(), time.Now, nil)
		touch(t, a, "game", "ann")
		touch(t, b, "game", "bob")
		exchanged(t, a, b, a)
		s.Kill(t)
		fails(t, a)
		answers(t, a, 2, "ann") // its last answer holds for a while
		a.forget(holds)
		answers(t, a, 1, "ann")
		touch(t, b, "game", "cid")
		s.Start(t)
		touch(t, b, "game", "bob")
		recovers(t, a, b)
		players(t, a, "game", 3)
		players(t, b, "game", 3)
	})
}

// forget makes the answers of the server older.
func (l *Live) forget(by time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.rooms {
		r.read = r.read.Add(-by - 1)
	}
}

func TestAServerThatLostEverythingHearsItWithTheNextHeartbeats(t *testing.T) {
	t.Parallel()
	c, s := newClock(), testenv.StartRedis(t)
	a, b := settled(t, s.URL(), c.now, c.now), settled(t, s.URL(), c.now, c.now)
	for i := range 5 {
		touch(t, a, "game", gallery.PlayerID(fmt.Sprint("a", i)))
		touch(t, b, "game", gallery.PlayerID(fmt.Sprint("b", i)))
	}
	exchanged(t, a, b, a)
	players(t, a, "game", 10)
	redistest.Do(t, s.URL(), "FLUSHALL")
	for i := range 5 {
		c.pass(time.Second)
		touch(t, a, "game", gallery.PlayerID(fmt.Sprint("a", i)))
		touch(t, b, "game", gallery.PlayerID(fmt.Sprint("b", i)))
	}
	exchanged(t, a, b, a)
	players(t, a, "game", 10)
	players(t, b, "game", 10)
}

func TestWhatTheServerHasOfAnotherKindIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string][]any{
		"a text instead of the players": {"SET", "players", "text"},
		"a list instead of the players": {"RPUSH", "players", "a", "b"},
		"a text instead of the crowds":  {"SET", "crowds", "text"},
		"no players and their crowds":   {"DEL", "players"},
		"players without their crowds":  {"DEL", "crowds"},
		"a number of players in text":   {"HSET", "crowds", "n", "many"},
		"players who are not ours":      {"ZADD", "players", "99999999999999999", "x", "-5", "y"},
		"a text instead of the busiest": {"SET", "busiest", "text"},
		"no IDs among the busiest":      {"ZADD", "busiest", "99999999999999", "A Ä\x00", "99999999999998", strings.Repeat("a", 41), "99999999999997", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, url := newClock(), redistest.Database(t)
			a, b := settled(t, url, c.now, c.now), settled(t, url, c.now, c.now)
			all := func() {
				touch(t, a, "game", "ann", gallery.Crowd{Network: netip.MustParsePrefix("203.0.113.7/32"), Most: 1})
				touch(t, b, "game", "bob")
				exchanged(t, a, b, a)
			}
			all()
			keys := a.keys("game")
			command := append([]any{}, spoil...)
			command[1] = map[any]string{"players": keys[0], "crowds": keys[1], "busiest": a.client.Key("live:busiest")}[spoil[1]]
			if name == "a text instead of the crowds" || strings.HasPrefix(name, "a list") {
				redistest.Do(t, url, "DEL", command[1])
			}
			redistest.Do(t, url, command...)
			exchanged(t, a, b)
			for l, seen := range map[*Live]gallery.PlayerID{a: "ann", b: "bob"} {
				n, err := l.Players(t.Context(), "game", c.now())
				if err != nil || n < 0 || n > 4 {
					t.Errorf("%d players, %v", n, err)
				}
				answers(t, l, n, seen)
			}
			c.pass(time.Second)
			all()
			exchanged(t, a, b)
			players(t, a, "game", 2)
			players(t, b, "game", 2)
			got, err := b.Busiest(t.Context(), 99, c.now())
			expect.OK(t, err)
			expect.Same(t, "busiest", got, []sandlot.ProjectID{"game"})
		})
	}
}

func TestAServerThatLiesFailsNoCall(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"a huge number": ":9223372036854775807\r\n", "a negative number": ":-1\r\n", "nothing": "$-1\r\n", "an error": "-ERR no\r\n",
		"a text": "+OK\r\n", "a time that was": "*2\r\n$2\r\n-5\r\n$1\r\n0\r\n", "a time that never comes": "*2\r\n$18\r\n999999999999999999\r\n$1\r\n0\r\n",
		"a list": "*2\r\n:1\r\n:2\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			l := node(t, redistest.Liar(t, strings.Repeat(answer, 8)), time.Now, live.Limits{})
			for range 5 {
				touch(t, l, "game", "ann")
				_ = l.Sync(t.Context()) // may fail, and may not
				answers(t, l, 1, "ann")
			}
		})
	}
}

func TestANumberThatCannotBeIsNoAnswer(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := settled(t, redistest.Database(t), c.now, c.now)
	touch(t, l, "game", "ann")
	exchanged(t, l)
	for _, n := range []int64{-1, 1 << 40, -1 << 63, int64(l.limits.PerProject) + 1} {
		l.learn("game", n, nil, l.steady())
		players(t, l, "game", 1)
	}
}
