package redis

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/storage/live"
	"sandlot/internal/storage/redis"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/storetest"
	"sandlot/internal/testkit/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is for a machine that is busy with other things.
const patience = 30 * time.Second

// clock is a clock that a test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Now().Truncate(time.Millisecond)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

func (c *clock) pass(d time.Duration) { c.set(c.now().Add(d)) }

// apart is a clock that is ahead of another.
func (c *clock) apart(d time.Duration) func() time.Time {
	return func() time.Time { return c.now().Add(d) }
}

// node returns a Live on a server. It takes the time from now, and its answers from the server do not expire by
// themselves.
func node(tb testing.TB, url string, now func() time.Time, limits live.Limits) *Live {
	tb.Helper()
	at, err := redis.ParseURL(url)
	expect.OK(tb, err)
	c := redis.Open(at, []byte("the installation's secret"), slog.New(slog.DiscardHandler))
	tb.Cleanup(func() { expect.OK(tb, c.Close(), "Close") })
	l := New(c, limits, now)
	begun := time.Now()
	l.steady = func() time.Time { return begun }
	return l
}

// settled is a node whose server has known all for a while, and goes by a clock of the test.
func settled(tb testing.TB, url string, now, server func() time.Time) *Live {
	tb.Helper()
	l := node(tb, url, now, live.Limits{})
	l.clock = server
	exchanged(tb, l)
	return l
}

// exchanged makes nodes exchange with the server.
func exchanged(tb testing.TB, nodes ...*Live) {
	tb.Helper()
	for _, l := range nodes {
		l.topped = time.Time{}
		expect.OK(tb, l.Sync(tb.Context()), "Sync")
	}
}

func touch(tb testing.TB, l *Live, id sandlot.ProjectID, p gallery.PlayerID, of ...gallery.Crowd) {
	tb.Helper()
	expect.OK(tb, l.Touch(tb.Context(), id, p, l.now(), of...), "Touch")
}

func players(tb testing.TB, l *Live, id sandlot.ProjectID, want int) {
	tb.Helper()
	n, err := l.Players(tb.Context(), id, l.now())
	expect.OK(tb, err, "Players")
	if n != want {
		tb.Errorf("%d players of %s, want %d", n, id, want)
	}
}

// cluster is several nodes as one Live. Calls reach them in turns, and each exchanges with the server at once. All
// clocks show the latest time of a call.
type cluster struct {
	*clock
	nodes []*Live
	mu    sync.Mutex
	turn  int
}

func newCluster(t *testing.T) *cluster {
	c, url := &cluster{clock: newClock()}, redistest.Database(t)
	for range 3 {
		c.nodes = append(c.nodes, settled(t, url, c.now, c.now))
	}
	return c
}

// next makes a call at the next node.
func (c *cluster) next(ctx context.Context, now time.Time, asks bool, call func(l *Live) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(now)
	c.turn++
	l := c.nodes[c.turn%len(c.nodes)]
	l.topped = time.Time{}
	if asks {
		if _, err := l.Players(ctx, "game", now); err != nil {
			return err
		}
		if err := l.Sync(ctx); err != nil {
			return err
		}
		return call(l)
	}
	if err := call(l); err != nil {
		return err
	}
	return l.Sync(ctx)
}

func (c *cluster) Touch(ctx context.Context, id sandlot.ProjectID, p gallery.PlayerID, now time.Time, of ...gallery.Crowd) error {
	return c.next(ctx, now, false, func(l *Live) error { return l.Touch(ctx, id, p, now, of...) })
}

func (c *cluster) Leave(ctx context.Context, id sandlot.ProjectID, p gallery.PlayerID, now time.Time) error {
	return c.next(ctx, now, false, func(l *Live) error { return l.Leave(ctx, id, p, now) })
}

func (c *cluster) Players(ctx context.Context, id sandlot.ProjectID, now time.Time) (n int, err error) {
	c.mu.Lock()
	for _, l := range c.nodes {
		l.mu.Lock()
		l.use(id)
		l.mu.Unlock()
	}
	c.mu.Unlock()
	err = c.next(ctx, now, true, func(l *Live) error { n, err = l.Players(ctx, id, now); return err })
	return n, err
}

func (c *cluster) Busiest(ctx context.Context, limit int, now time.Time) (ids []sandlot.ProjectID, err error) {
	err = c.next(ctx, now, true, func(l *Live) error { ids, err = l.Busiest(ctx, limit, now); return err })
	return ids, err
}

func TestLive(t *testing.T) {
	t.Parallel()
	t.Run("three nodes whom calls reach in turns", func(t *testing.T) {
		storetest.TestLive(t, func(t *testing.T) gallery.Live {
			t.Parallel()
			return newCluster(t)
		})
	})
	t.Run("one node that tells and asks nobody", func(t *testing.T) {
		storetest.TestLive(t, func(t *testing.T) gallery.Live {
			t.Parallel()
			return node(t, "redis://"+testenv.Port(t), time.Now, live.Limits{})
		})
	})
}

func TestNodesCountTogether(t *testing.T) {
	t.Parallel()
	c, url := newClock(), redistest.Database(t)
	a, b := settled(t, url, c.now, c.now), settled(t, url, c.now, c.now)
	touch(t, a, "game", "ann")
	touch(t, a, "game", "bob")
	touch(t, b, "game", "ann")
	touch(t, b, "game", "cid")
	players(t, a, "game", 2)
	players(t, b, "game", 2)
	exchanged(t, a, b, a)
	players(t, a, "game", 3)
	players(t, b, "game", 3)
	touch(t, a, "game", "dan")
	players(t, a, "game", 4) // at once on its own node
	players(t, b, "game", 3)
	exchanged(t, a, b)
	players(t, a, "game", 4)
	players(t, b, "game", 4)
	expect.OK(t, b.Leave(t.Context(), "game", "ann", c.now())) // seen by both
	players(t, b, "game", 3)
	exchanged(t, b, a)
	players(t, a, "game", 3)
	touch(t, a, "game", "bob")
	c.pass(gallery.Presence / 2)
	touch(t, b, "game", "cid")
	exchanged(t, a, b)
	c.pass(gallery.Presence / 2)
	exchanged(t, a, b)
	players(t, a, "game", 1)
	players(t, b, "game", 1)
}

func TestClocksOfNodesMayBeMinutesApart(t *testing.T) {
	t.Parallel()
	t.Run("and players come and go when they do", func(t *testing.T) {
		c, url := newClock(), redistest.Database(t)
		a, b := settled(t, url, c.apart(5*time.Minute), c.now), settled(t, url, c.apart(-7*time.Minute), c.now)
		touch(t, a, "game", "ann")
		touch(t, b, "game", "bob")
		exchanged(t, a, b, a)
		players(t, a, "game", 2)
		players(t, b, "game", 2)
		c.pass(gallery.Presence / 2)
		touch(t, b, "game", "ann")
		exchanged(t, b)
		c.pass(gallery.Presence/2 - time.Millisecond)
		exchanged(t, a, b)
		players(t, a, "game", 2)
		players(t, b, "game", 2)
		c.pass(time.Millisecond)
		exchanged(t, a, b)
		players(t, a, "game", 1)
		players(t, b, "game", 1)
		c.pass(gallery.Presence / 2)
		exchanged(t, a, b)
		players(t, a, "game", 0)
		players(t, b, "game", 0)
	})
	t.Run("and from the server's, which is the one that counts", func(t *testing.T) {
		real := &clock{}
		real.set(time.Now())
		url := redistest.Database(t)
		a, b := settled(t, url, real.apart(time.Hour), nil), settled(t, url, real.apart(-time.Hour), nil)
		touch(t, a, "game", "ann")
		touch(t, b, "game", "ann")
		touch(t, b, "game", "bob")
		exchanged(t, a, b, a)
		players(t, a, "game", 2)
		players(t, b, "game", 2)
	})
}

func TestACrowdIsBoundedForAllNodes(t *testing.T) {
	t.Parallel()
	c, url := newClock(), redistest.Database(t)
	of := []gallery.Crowd{{Network: netip.MustParsePrefix("203.0.113.7/32"), Most: 4}}
	var nodes []*Live
	for i := range 3 {
		l := settled(t, url, c.now, c.now)
		for j := range 9 {
			touch(t, l, "game", gallery.PlayerID(fmt.Sprint(i, " ", j)), of...)
		}
		players(t, l, "game", 4)
		nodes = append(nodes, l)
	}
	touch(t, nodes[0], "game", "elsewhere")
	exchanged(t, nodes...)
	exchanged(t, nodes...)
	for _, l := range nodes {
		players(t, l, "game", 5)
	}
	c.pass(gallery.Presence)
	touch(t, nodes[2], "game", "new", of...)
	exchanged(t, nodes...)
	exchanged(t, nodes...)
	for _, l := range nodes {
		players(t, l, "game", 1)
	}
}

func TestBusiestKnowsWhatIsPlayedElsewhere(t *testing.T) {
	t.Parallel()
	c, url := newClock(), redistest.Database(t)
	a, b := settled(t, url, c.now, c.now), settled(t, url, c.now, c.now)
	for i := range 3 {
		touch(t, a, "most", gallery.PlayerID(fmt.Sprint(i)))
	}
	touch(t, b, "few", "ann")
	touch(t, b, "some", "ann")
	touch(t, a, "some", "bob")
	exchanged(t, a, b, a)
	for _, l := range []*Live{a, b} {
		got, err := l.Busiest(t.Context(), 9, c.now())
		expect.OK(t, err)
		expect.Same(t, "busiest", got, []sandlot.ProjectID{"most", "some", "few"})
	}
}

func TestRunTellsAndAsks(t *testing.T) {
	t.Parallel()
	url := redistest.Database(t)
	a, b := node(t, url, time.Now, live.Limits{}), node(t, url, time.Now, live.Limits{})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	for _, l := range []*Live{a, b} {
		running.Go(func() { l.Run(ctx) })
	}
	touch(t, a, "game", "ann")
	touch(t, b, "game", "bob")
	for _, l := range []*Live{a, b} {
		testenv.Eventually(t, patience, "both players", func() bool {
			n, err := l.Players(t.Context(), "game", l.now())
			return err == nil && n == 2
		})
	}
}
