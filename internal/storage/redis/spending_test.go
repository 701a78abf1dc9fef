package redis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/redistest"
	"sandlot/internal/testkit/testenv"
)

// limit is that of the tests: no more comes while one runs.
var limit = admission.Rate{Count: 1, Per: 24 * time.Hour, Burst: 20}

// gate is a node that limits searches.
type gate struct {
	*admission.Limits
	shared admission.Shared
}

// gates are nodes that limit together, whose clocks stand still, minutes apart.
func gates(t *testing.T, urls ...string) []*gate {
	t.Helper()
	return gatesOf(t, limit, urls...)
}

func gatesOf(t *testing.T, of admission.Rate, urls ...string) []*gate {
	t.Helper()
	var list []*gate
	for i, url := range urls {
		at := time.Now().Add(time.Duration(i*7) * time.Minute)
		g := &gate{admission.New(admission.Config{Searches: of, Public: true, Now: func() time.Time { return at }}), NewSpending(open(t, url, "secret"))}
		expect.OK(t, g.Exchange(t.Context(), g.shared), "the first exchange")
		list = append(list, g)
	}
	return list
}

// passes counts how many of n searches a node lets pass.
func (g *gate) passes(t *testing.T, from string, n int) (passed int) {
	t.Helper()
	begin := time.Now()
	for range n {
		grant, err := g.Admit(admission.Origin{Addr: netip.MustParseAddr(from)}, admission.Search, admission.Body{})
		if err == nil {
			grant.Done()
			passed++
		}
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("%d calls took %v", n, took)
	}
	return passed
}

// spread makes a client call all nodes in turns, so often between two exchanges, and counts the calls that pass.
func spread(t *testing.T, nodes []*gate, from string, each, rounds int) (passed int) {
	t.Helper()
	for range rounds {
		for _, g := range nodes {
			passed += g.passes(t, from, each)
		}
		for range 2 { // so that each gets the amounts of the others
			for _, g := range nodes {
				_ = g.Exchange(t.Context(), g.shared)
			}
		}
	}
	return passed
}

const someone, other = "203.0.113.7", "2001:db8::1"

func TestNodesLimitTogether(t *testing.T) {
	t.Parallel()
	url := redistest.Database(t)
	nodes := gates(t, url, url, url)
	const each = 2
	for _, from := range []string{someone, other} {
		n := spread(t, nodes, from, each, 100)
		if burst := int(limit.Burst); n < burst || n > burst+each*len(nodes) {
			t.Errorf("%d passed at three nodes, the limit is %d", n, burst)
		}
	}
	n := spread(t, gates(t, url), someone, 40, 1)
	if n > int(limit.Burst) {
		t.Errorf("%d passed at a fourth node", n)
	}
}

func TestAClientOfOneNodeHasTheWholeLimit(t *testing.T) {
	t.Parallel()
	url := redistest.Database(t)
	nodes := gates(t, url, url, url)
	expect.Equal(t, "passed", spread(t, nodes[:1], someone, 1, 50), int(limit.Burst))
}

func TestWithoutTheServerEachNodeLimitsOnItsOwn(t *testing.T) {
	t.Parallel()
	three := 3 * int(limit.Burst)
	t.Run("when it is dead", func(t *testing.T) {
		t.Parallel()
		s := testenv.StartRedis(t)
		nodes := gates(t, s.URL(), s.URL(), s.URL())
		s.Kill(t)
		expect.Equal(t, "passed", spread(t, nodes, someone, 5, 20), three)
		s.Start(t)
		for _, g := range nodes {
			testenv.Eventually(t, patience, "an exchange that works", func() bool { return g.Exchange(t.Context(), g.shared) == nil })
		}
		if n := spread(t, nodes, other, 2, 40); n < int(limit.Burst) || n > int(limit.Burst)+6 {
			t.Errorf("%d passed when it was back", n)
		}
	})
	t.Run("when it has lost everything nobody has more than on its own", func(t *testing.T) {
		t.Parallel()
		s := testenv.StartRedis(t)
		nodes := gates(t, s.URL(), s.URL(), s.URL())
		spread(t, nodes, someone, 2, 20)
		redistest.Do(t, s.URL(), "FLUSHALL")
		expect.Equal(t, "passed afterwards", spread(t, nodes, someone, 2, 20), 0)
	})
}

func TestLimitsBelieveNoServer(t *testing.T) {
	t.Parallel()
	t.Run("values of another kind", func(t *testing.T) {
		for _, value := range [][]any{{"SET", "nan"}, {"SET", "-1"}, {"SET", "1e300"}, {"SET", strings.Repeat("9", 1000)}, {"SET", "text"}, {"RPUSH", "a"}, {"HSET", "a", "b"}} {
			url := redistest.Database(t)
			nodes := gates(t, url, url)
			nodes[0].passes(t, someone, 1)
			expect.OK(t, nodes[0].Exchange(t.Context(), nodes[0].shared))
			for _, key := range redistest.Do(t, url, "KEYS", "*").([]any) {
				redistest.Do(t, url, "DEL", key)
				redistest.Do(t, url, append([]any{value[0], key}, value[1:]...)...)
			}
			nodes[1].passes(t, someone, 1)
			expect.OK(t, nodes[1].Exchange(t.Context(), nodes[1].shared), value[1])
			if ttl := redistest.Do(t, url, "PTTL", redistest.Do(t, url, "KEYS", "*").([]any)[0]).(int64); ttl <= 0 {
				t.Errorf("%.20v: it never expires", value)
			}
		}
	})
	for says, answer := range map[string]shared{
		"a huge number": {missing: []float64{math.MaxFloat64}}, "infinite": {missing: []float64{math.Inf(1)}}, "no number": {missing: []float64{math.NaN()}},
		"a negative number": {missing: []float64{-5}}, "too few": {}, "too many": {missing: []float64{1, 2}}, "an error": {err: errors.New("no")}, "a full bucket": {missing: []float64{0}},
	} {
		t.Run(says, func(t *testing.T) {
			now := time.Now()
			l := admission.New(admission.Config{Searches: limit, Public: true, Now: func() time.Time { return now }})
			g := &gate{l, answer}
			_ = g.Exchange(t.Context(), answer)
			passed := g.passes(t, someone, 5)
			for range 10 {
				_ = g.Exchange(t.Context(), answer)
			}
			if passed += g.passes(t, someone, 100); passed > int(limit.Burst) {
				t.Errorf("%d passed", passed)
			}
			now = now.Add(time.Duration(2*limit.Burst+1) * limit.Per)
			if g.passes(t, someone, 1) != 1 {
				t.Error("it is refused for longer than two full buckets take")
			}
		})
	}
}

// shared gives the same answer always.
type shared struct {
	missing []float64
	err     error
}

func (s shared) Spend(context.Context, []admission.Spent) ([]float64, error) { return s.missing, s.err }

func TestTheServerReadsNoAddresses(t *testing.T) {
	t.Parallel()
	url := redistest.Database(t)
	g := gates(t, url)[0]
	g.passes(t, someone, 1)
	g.passes(t, other, 1)
	expect.OK(t, g.Exchange(t.Context(), g.shared))
	keys := fmt.Sprint(redistest.Do(t, url, "KEYS", "*"))
	expect.Equal(t, "keys", strings.Count(keys, ":limit:"), 4)
	for _, told := range []string{"203", "2001", "db8", "search"} {
		if strings.Contains(keys, told) {
			t.Errorf("%q is in %s", told, keys)
		}
	}
}

func TestShareTellsAndTakes(t *testing.T) {
	t.Parallel()
	url := redistest.Database(t)
	const burst = 10_000 // more than the calls of the test
	nodes := gatesOf(t, admission.Rate{Count: 1, Per: time.Minute, Burst: burst}, url, url)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	for _, g := range nodes {
		running.Go(func() { g.Share(ctx, g.shared) })
	}
	expect.Equal(t, "passed", nodes[0].passes(t, someone, 2*burst), burst)
	expect.Equal(t, "passed at the other at once", nodes[1].passes(t, someone, 1), 1)
	testenv.Eventually(t, patience, "a refusal of what passed elsewhere", func() bool { return nodes[1].passes(t, someone, 1) == 0 })
}
