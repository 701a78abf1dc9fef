package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/testenv"
)

// A run is one test of the cluster.
type run struct {
	*service
	t      *testing.T
	http   *http.Client // to the proxy
	begun  time.Time
	seed   uint64
	length time.Duration
	stamps stamped

	players played

	mu       sync.Mutex
	accounts []*account
	projects []*project
	faults   []string       // what was done, in order
	kinds    map[string]int // how often
	calls    map[string]int // answered
	repeated int            // sent more than once
	replayed int            // answered from the record
	reads    int
	failed   int
	held     int           // reads that were held to a second
	changes  int           // of them, that were the first to show a change at a node that had shown what was before
	stalest  time.Duration // by which one of them was out of date
	down     bool          // the database
	up       time.Time     // when it was so last

	stalestBlind     time.Duration // where a node could not ask the database
	windows          []window
	errors           int // lines of the logs
	edits            int // of the project that several write
	newest           int // its version
	suspended        int // suspensions, and ends of one, that a node was held to show within a second
	stalestSuspended time.Duration
	longest          time.Duration // that a call took until it was answered
	longestHow       string
	bad              []error
}

const (
	writers = 6
	readers = 3
	editors = 3 // of the one project that several write
)

// TestCluster runs three nodes under load while they, and the servers that they need, fail: each fault at least once. The soak runs it for
// ten
// minutes.
func TestCluster(t *testing.T) {
	testenv.Unraced(t)
	began := time.Now()
	r := &run{t: t, seed: testenv.Seed(t), length: length(t), kinds: map[string]int{}, calls: map[string]int{}}
	t.Logf("SANDLOT_TEST_SEED=%d", r.seed)
	r.service = startService(t)
	t.Logf("started after %v", time.Since(began).Round(time.Second))
	r.http = clientTo(t, r.front.addr)
	r.settleDown()
	r.begun = time.Now()
	workers := r.live()
	t.Logf("all have stopped after %v", r.since())
	r.settleDown()
	for _, err := range r.bad {
		t.Error(err)
	}
	r.compareAnswers()
	r.compareReadiness()
	if !t.Failed() {
		r.compare(workers)
		r.compareClocks()
		r.compareLogs()
	}
	t.Logf("compared after %v", r.since())
	r.print()
}

// live lets everybody work while the faults happen.
func (r *run) live() (workers []*worker) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all sync.WaitGroup
	for n := range writers {
		w := &worker{run: r, n: n, random: r.random(uint64(n) + 1)}
		workers = append(workers, w)
		all.Go(func() { w.work(ctx) })
	}
	for n := range readers {
		random := r.random(uint64(n) + 100)
		all.Go(func() { r.read(ctx, random) })
	}
	all.Go(func() { r.moderate(ctx) })
	all.Go(func() { r.edit(ctx) })
	for n := range gamers {
		all.Go(func() { r.play(ctx, n) })
	}
	all.Go(func() { r.stamp(ctx, r.random(300)) })
	all.Go(func() { r.watchStamps(ctx, r.random(301)) })
	all.Go(func() { r.sample(ctx.Done()) })
	r.spoil(r.random(0))
	r.t.Logf("all faults are over after %v", r.since())
	r.calm()
	r.t.Logf("enough is seen after %v", r.since())
	cancel()
	all.Wait()
	return workers
}

// random is a source of the run's seed.
func (r *run) random(n uint64) *rand.Rand { return rand.New(rand.NewPCG(r.seed, n)) }

// settleDown waits until every node is well again.
func (r *run) settleDown() {
	for _, n := range r.nodes {
		n.ready(r.t)
	}
}

func (r *run) wrong(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bad = append(r.bad, fmt.Errorf("%v: "+format, append([]any{r.since()}, args...)...))
}

// over reports whether something is wrong, after which nothing more is to be learnt.
func (r *run) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bad) > 0
}

func (r *run) since() time.Duration { return time.Since(r.begun).Round(time.Millisecond) }

// did notes a fault.
func (r *run) did(kind string, detail string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds[kind]++
	r.faults = append(r.faults, strings.TrimSpace(fmt.Sprintf("%8v  %s %s", r.since(), kind, detail)))
}

func (r *run) counted(what string, times int, replayed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[what]++
	if times > 0 {
		r.repeated++
	}
	if replayed {
		r.replayed++
	}
}

// took notes how long a call took from when it was first sent.
func (r *run) took(d time.Duration, how string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d > r.longest {
		r.longest, r.longestHow = d, fmt.Sprintf("%s, until %v", how, r.since())
	}
}

func (r *run) readFailed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed++
}

func (r *run) readDone(stale time.Duration, changed, strict bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	if !strict {
		r.stalestBlind = max(r.stalestBlind, stale)
		return
	}
	r.held++
	r.stalest = max(r.stalest, stale)
	if changed {
		r.changes++
	}
}

// leastHeld returns how many changes and suspensions a run must have held to a second, so that its figures say something.
func (r *run) leastHeld() (changes, suspensions int) {
	quarters := max(1, min(4, int(r.length/(15*time.Second))))
	return 12 * quarters, 3 * quarters
}

// calm lets everybody go on without faults, if that is needed for as much to be held to a second as there must be.
func (r *run) calm() {
	changes, suspensions := r.leastHeld()
	enough := func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.changes >= changes && r.suspended >= suspensions || len(r.bad) > 0
	}
	if !testenv.Poll(2*time.Minute, enough) {
		r.t.Errorf("%d changes and %d suspensions were held to be seen within a second, and there must be %d and %d", r.changes,
			r.suspended, changes, suspensions)
	}
}

func (r *run) print() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "\nseed %d, %v\n", r.seed, r.length)
	for _, name := range sorted(r.calls) {
		fmt.Fprintf(&b, "%6d  %s\n", r.calls[name], name)
	}
	fmt.Fprintf(&b, "%6d  calls sent more than once, %d answered from the record\n", r.repeated, r.replayed)
	fmt.Fprintf(&b, "%6s  the longest took %v: %s\n", "", r.longest.Round(time.Millisecond), r.longestHow)
	fmt.Fprintf(&b,
		"%6d  reads, %d not answered; %d were held to a second, %d of them the first to show a change where it was otherwise "+
			"before\n", r.reads, r.failed, r.held, r.changes)
	fmt.Fprintf(&b, "%6s  the stalest of them by %v; by %v where a node could not ask the database\n", "",
		r.stalest.Round(time.Millisecond), r.stalestBlind.Round(time.Millisecond))
	fmt.Fprintf(&b, "%6d  suspensions, holds and their ends, held to be seen at a node within a second, the last after %v\n", r.suspended,
		r.stalestSuspended.Round(time.Millisecond))
	fmt.Fprintf(&b, "%6d  writes to one project by several clients, which led to version %d\n", r.edits, r.newest)
	fmt.Fprintf(&b, "%6d  versions of many files, and %d looks at two of their files, which were never of two versions\n",
		r.stamps.versions, r.stamps.looks)
	fmt.Fprintf(&b, "%6d  saves, shared values and scores of players, %d more refused, and %d looks at them at all nodes, %d not answered\n",
		r.players.writes, r.players.early, r.players.looks, r.players.failed)
	fmt.Fprintf(&b, "%6d  times that the balancer left a node out\n", r.front.marked.Load())
	fmt.Fprintf(&b, "%6d  errors in the logs, all of them explained unless told above\n", r.errors)
	fmt.Fprintf(&b, "%6d  projects of %d accounts\n", len(r.projects), len(r.accounts))
	for _, f := range r.faults {
		fmt.Fprintln(&b, f)
	}
	r.t.Log(b.String())
}

func sorted(m map[string]int) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func length(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("SANDLOT_TEST_CLUSTER_FOR")
	if text == "" {
		return 15 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
