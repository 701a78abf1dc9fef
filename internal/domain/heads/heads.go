// Package heads caches the state of the projects that are being read, for every room that changes how they are read.
package heads

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/base/worker"
)

const (
	// Hold is the time that a cached head is served after it was last confirmed.
	Hold = time.Second
	// HoldAlone is the time that a head is served while the database does not answer: a restart of PostgreSQL or a
	// failover takes 10 to 20 s.
	HoldAlone = 30 * time.Second
	// confirmEvery leaves a quarter of Hold for the query itself.
	confirmEvery = 750 * time.Millisecond
	// confirmLimit ends a confirmation that hangs, so that the next one can find the database back.
	confirmLimit = 5 * time.Second
	// askLimit is the longest wait of a reader for a database that does not answer while there is a head to serve; then
	// only the confirmation queries it for askPause.
	askLimit = time.Second
	askPause = time.Second
	// asksMost bounds the readers that query at once although there is a head to serve, and so the goroutines that hang
	// while a database does not answer. It is many times its connections.
	asksMost = 256
	// hintsEvery lies between two confirmations after hints.
	hintsEvery = 100 * time.Millisecond
	// hintsMost bounds the projects of such a confirmation, and the accounts whose hints wait for it. Hints beyond it
	// are lost.
	hintsMost = 1000
)

// A ChangeStore returns the numbers by which cached heads are confirmed.
type ChangeStore interface {
	// Changes returns the change numbers of those projects that exist, where neither they nor their account is deleted:
	// Project.Change as the latest commit left it. A number grows with every commit that changes a field of Project
	// other than Plays, Counted and Likes, or the versions that can be read: a version, title or other detail, a
	// suspension or its end, an erased version, and any effect of the account's handle, verification, suspension or
	// deletion on it. An ID that comes twice is returned once.
	Changes(ctx context.Context, ids []sandlot.ProjectID) (map[sandlot.ProjectID]int64, error)
}

// Hints notify other nodes of changes, so that they query the database sooner than they would anyway. Any hint may be
// lost.
type Hints interface {
	// Tell returns at once.
	Tell(sandlot.Changed)
}

// A Cache holds the heads of the projects that are being read: the Project as a commit left it, but for its counts. A
// head is served for Hold after it was last confirmed: read, or compared with the change number of the store. Run
// confirms the heads in use together, by one query. While the store does not answer, a head is served for
// HoldAlone.
//
// A change by this process drops the head before the change is acknowledged: so a caller who got an acknowledgement
// reads the acknowledged state. A change by another process or node is seen within Hold, and mostly within a fifth
// of it where nodes have Hints.
//
// All methods may be called concurrently.
type Cache struct {
	changes ChangeStore
	most    int // heads that are kept
	log     *slog.Logger
	since   func() time.Duration // the time since the cache was made
	hints   Hints                // nil: none
	doubts  doubts
	down    atomic.Int64 // until when only the confirmation queries the store, by since
	fresh   atomic.Int64 // when all heads in use were confirmed last, by since

	mu    sync.RWMutex
	known map[sandlot.ProjectID]*head
	gen   [256]uint64 // per shard of project ids: grows with each drop
	fills *turns.Locks[sandlot.ProjectID]
	asks  chan struct{} // one entry for each reader that queries the store
}

// head is a cached project.
type head struct {
	sandlot.Project
	confirmed atomic.Int64 // when, by since
	used      atomic.Bool  // since the last confirmation
}

// A Loader reads a project from the store.
type Loader func(context.Context) (sandlot.Project, error)

// New returns an empty cache of at most most heads, of some 500 bytes each. When it is full, a new head takes the
// place of any other. It uses the monotonic clock: setting the machine's clock makes no head older or younger.
func New(changes ChangeStore, most int, since func() time.Duration, log *slog.Logger) *Cache {
	if since == nil {
		begin := time.Now()
		since = func() time.Duration { return time.Since(begin) }
	}
	return &Cache{
		changes: changes, most: most, log: log, since: since, doubts: newDoubts(),
		known: map[sandlot.ProjectID]*head{}, fills: turns.NewLocks[sandlot.ProjectID](),
		asks: make(chan struct{}, asksMost),
	}
}

// Get returns the current state of a project, through load if it is not cached or not confirmed. Of concurrent readers
// one loads. With a head to serve nobody waits for longer than askLimit, whether or not load heeds its context: a late
// load still brings its head.
func (h *Cache) Get(ctx context.Context, id sandlot.ProjectID, load Loader) (sandlot.Project, error) {
	if p, ok := h.Peek(id); ok {
		return p, nil
	}
	old := h.lookUp(id)
	if old == nil || h.age(old) > HoldAlone {
		return h.fill(ctx, ctx, id, load)
	}
	limited, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	p, err := h.ask(limited, id, load)
	if err == nil || ctx.Err() != nil || isAnswer(err) {
		return p, err
	}
	h.down.Store(int64(h.since() + askPause))
	return old.Project, nil
}

// ask runs fill and waits for it until ctx ends.
func (h *Cache) ask(ctx context.Context, id sandlot.ProjectID, load Loader) (sandlot.Project, error) {
	select {
	case h.asks <- struct{}{}:
	case <-ctx.Done():
		return sandlot.Project{}, ctx.Err()
	}
	done := make(chan struct{})
	var filled sandlot.Project
	var failed error
	go func() {
		defer close(done)
		defer func() { <-h.asks }()
		// Nobody else could recover it here, and the process would end.
		defer func() {
			if p := recover(); p != nil {
				failed = fmt.Errorf("panic while a head was loaded: %v", p)
			}
		}()
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), confirmLimit)
		defer cancel()
		filled, failed = h.fill(ctx, late, id, load)
	}()
	select {
	case <-done:
		return filled, failed
	case <-ctx.Done():
		return sandlot.Project{}, ctx.Err()
	}
}

// fill loads a head, until ctx ends, unless another reader did while this one waited for its turn. If the load failed,
// all readers that wait for it get that error.
func (h *Cache) fill(wait, ctx context.Context, id sandlot.ProjectID, load Loader) (p sandlot.Project, err error) {
	err = h.fills.Do(wait, id, isAnswer, func() (err error) {
		known, ok := h.Peek(id)
		if ok {
			p = known
			return nil
		}
		p, err = h.load(ctx, id, load)
		return err
	})
	return p, err
}

// isAnswer reports whether the error of a look-up means that there is no such project, and not that the look-up failed.
func isAnswer(err error) bool {
	return errors.Is(err, sandlot.ErrNotFound) || errors.Is(err, sandlot.CodeProjectNotFound)
}

// load reads a project and keeps it, unless it was dropped meanwhile.
func (h *Cache) load(ctx context.Context, id sandlot.ProjectID, load Loader) (sandlot.Project, error) {
	at, gen := h.since(), h.generation(id)
	p, err := load(ctx)
	if err == nil && p.ID == id {
		h.put(p, at, gen)
	}
	return p, err
}

// Peek returns a head that may be served without a query.
func (h *Cache) Peek(id sandlot.ProjectID) (sandlot.Project, bool) {
	known := h.lookUp(id)
	if known == nil {
		return sandlot.Project{}, false
	}
	hold, now := Hold, h.since()
	if int64(now) < h.down.Load() {
		hold = HoldAlone
	}
	if now-time.Duration(known.confirmed.Load()) > hold {
		return sandlot.Project{}, false
	}
	if !known.used.Load() { // most readers find it set, and leave the line in their caches
		known.used.Store(true)
	}
	return known.Project, true
}

// lookUp returns the head of a project, nil if it is not cached.
func (h *Cache) lookUp(id sandlot.ProjectID) *head {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.known[id]
}

// age returns the time since a head was confirmed.
func (h *Cache) age(known *head) time.Duration {
	return h.since() - time.Duration(known.confirmed.Load())
}

// generation returns the number of drops so far that may have been of the project. A look-up remembers it before it
// reads, and put compares.
func (h *Cache) generation(id sandlot.ProjectID) uint64 {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.gen[shard(id)]
}

// put keeps a head that was read, as of at, unless its project may have been dropped since gen: then the head may be
// from before that change.
func (h *Cache) put(p sandlot.Project, at time.Duration, gen uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gen[shard(p.ID)] != gen {
		return
	}
	for id := range h.known {
		if len(h.known) < h.most {
			break
		}
		delete(h.known, id)
	}
	known := &head{Project: p}
	known.confirmed.Store(int64(at))
	known.used.Store(true)
	h.known[p.ID] = known
}

// Drop forgets the heads that a step changed. It is called before the step is acknowledged, also for a step that failed
// but may have happened. A look-up that began before does not put its head back. A head that is not cached costs
// nothing but the lock. Other nodes get a hint.
func (h *Cache) Drop(c sandlot.Changed) {
	h.drop(c)
	if h.hints != nil && (len(c.Projects) > 0 || c.Account != 0) {
		h.hints.Tell(c)
	}
}

func (h *Cache) drop(c sandlot.Changed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range c.Projects {
		h.gen[shard(id)]++
		delete(h.known, id)
	}
	if c.Account == 0 {
		return
	}
	for i := range h.gen { // look-ups under way may be of any of its projects
		h.gen[i]++
	}
	for id, known := range h.known {
		if known.Account == c.Account {
			delete(h.known, id)
		}
	}
}

// After drops the heads that a step changed, unless err says that it certainly had no effect, and returns err. It is
// called before a step returns.
func (h *Cache) After(c sandlot.Changed, err error) error {
	if !errors.Is(err, sandlot.ErrNoEffect) {
		h.Drop(c)
	}
	return err
}

// Run confirms the heads in use every 750 ms until ctx ends, by one query each time, and the heads that hints named at
// most ten times a second. It counts failed queries in failures, and logs the first of several. A confirmation that
// comes late, or fails, drops nothing. There is one Run for a Cache.
func (h *Cache) Run(ctx context.Context, failures *worker.Failures) {
	tick := time.NewTicker(confirmEvery)
	defer tick.Stop()
	heard, rest := h.doubts.heard, (<-chan time.Time)(nil)
	failing := false
	for {
		var err error
		select {
		case <-tick.C:
			if err = h.Confirm(ctx); err == nil {
				failures.Worked()
			}
		case <-heard:
			err = h.confirm(ctx, h.doubted)
			heard, rest = nil, time.After(hintsEvery)
		case <-rest:
			heard, rest = h.doubts.heard, nil
			continue
		case <-ctx.Done():
			return
		}
		if err != nil && ctx.Err() == nil {
			failures.Add(1)
			if !failing {
				h.log.Warn("cached heads cannot be confirmed; they are served for "+HoldAlone.String(), "error", err)
			}
		}
		failing = err != nil
	}
}

// Confirm confirms the heads in use once; Run repeats it.
func (h *Cache) Confirm(ctx context.Context) error {
	at := h.since()
	err := h.confirm(ctx, h.inUse)
	if err == nil {
		h.fresh.Store(int64(at))
	}
	return err
}

// Age returns the time since all heads in use were confirmed: a change by another node that is older has been seen here.
// While Run can query the store it is about a second at most.
func (h *Cache) Age() time.Duration { return h.since() - time.Duration(h.fresh.Load()) }

// confirm queries the change numbers of heads.
func (h *Cache) confirm(ctx context.Context, which func() ([]*head, []sandlot.ProjectID)) error {
	heads, ids := which()
	if len(ids) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, confirmLimit)
	defer cancel()
	at := h.since()
	changes, err := h.changes.Changes(ctx, ids)
	if err != nil {
		h.down.Store(int64(h.since() + confirmEvery + askPause))
		for _, known := range heads {
			known.used.Store(true) // so that it is confirmed next time
		}
		return err
	}
	h.down.Store(0)
	h.settle(heads, changes, at)
	return nil
}

// inUse lists the heads that were served since its last call, and clears their marks. A head that nobody reads is not
// confirmed, and is loaded again for its next reader.
func (h *Cache) inUse() (heads []*head, ids []sandlot.ProjectID) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for id, known := range h.known {
		if known.used.Swap(false) {
			heads, ids = append(heads, known), append(ids, id)
		}
	}
	return heads, ids
}

// settle confirms the heads whose change number is still theirs, and drops those that another process changed or
// deleted. A head that was read after the numbers is newer than they are, and stays as it is.
func (h *Cache) settle(heads []*head, changes map[sandlot.ProjectID]int64, at time.Duration) {
	var gone []*head
	for _, known := range heads {
		switch n, there := changes[known.ID]; {
		case !there || n > known.Change:
			gone = append(gone, known)
		case n == known.Change:
			known.confirmed.Store(int64(at))
		}
	}
	if len(gone) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, known := range gone {
		if h.known[known.ID] == known {
			delete(h.known, known.ID)
		}
	}
}

// shard returns the index of a project's generation. Projects share one: a drop of one keeps a few look-ups of others
// out of the cache, which costs them a second read.
func shard(id sandlot.ProjectID) uint8 {
	var sum uint8
	for i := range len(id) {
		sum = sum*31 + id[i]
	}
	return sum
}
