package publish

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
)

const (
	// playWindow: a visitor's loads of a project within it are one play.
	playWindow = 30 * time.Minute
	// maxVisits bounds the visits remembered for that: at about 100 bytes each, 25 MiB. Beyond it the older half is forgotten, and may count twice.
	maxVisits = 250_000
	// flushEvery is how often counts are written: well under the 5 s that a crash may lose.
	flushEvery = 2 * time.Second
)

// counters counts plays in memory until they are written.
type counters struct {
	mu      sync.Mutex
	recent  map[visit]time.Time // visits that counted, the newer ones
	older   map[visit]time.Time
	since   time.Time // when recent was begun
	pending map[ProjectID]int64

	// writing keeps a reader from adding counts to a record that just got them, and two writers from taking the same ones.
	writing sync.RWMutex
}

type visit struct {
	project ProjectID
	visitor PlayerID
}

func newCounters() *counters {
	return &counters{recent: map[visit]time.Time{}, older: map[visit]time.Time{}, pending: map[ProjectID]int64{}}
}

// Play counts a visitor's load of a project, unless one was counted within the
// last half hour.
func (s *Service) Play(id ProjectID, visitor PlayerID, now time.Time) {
	s.counters.play(id, visitor, now)
}

func (c *counters) play(id ProjectID, visitor PlayerID, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := visit{id, visitor}
	if within(c.recent, v, now) || within(c.older, v, now) {
		return
	}
	if now.Sub(c.since) > playWindow || len(c.recent) >= maxVisits/2 {
		c.older, c.recent, c.since = c.recent, map[visit]time.Time{}, now
	}
	c.recent[v] = now
	c.pending[id]++
}

func within(m map[visit]time.Time, v visit, now time.Time) bool {
	at, ok := m[v]
	return ok && now.Sub(at).Abs() < playWindow
}

// plays is what read returns plus what is not written yet.
func (c *counters) plays(id ProjectID, read func() int64) int64 {
	c.writing.RLock()
	defer c.writing.RUnlock()
	stored := read()
	c.mu.Lock()
	defer c.mu.Unlock()
	return stored + c.pending[id]
}

// flush writes what was counted. What cannot be written stays for the next time.
func (c *counters) flush(write func(map[ProjectID]Counts) error) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	taken := maps.Clone(c.pending)
	c.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	counts := make(map[ProjectID]Counts, len(taken))
	for id, n := range taken {
		counts[id] = Counts{Plays: n}
	}
	if err := write(counts); err != nil {
		return err
	}
	c.settle(taken)
	return nil
}

func (c *counters) settle(written map[ProjectID]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, n := range written {
		if c.pending[id] -= n; c.pending[id] == 0 {
			delete(c.pending, id)
		}
	}
}

// keyUses remembers when keys were used until it is written.
type keyUses struct {
	mu sync.Mutex
	at map[int64]time.Time
}

func newKeyUses() *keyUses { return &keyUses{at: map[int64]time.Time{}} }

func (u *keyUses) note(key int64, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.at[key] = at
}

func (u *keyUses) take() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.at
	u.at = map[int64]time.Time{}
	return taken
}

// Flush writes the counts that are still in memory.
func (s *Service) Flush(ctx context.Context) error {
	err := s.counters.flush(func(counts map[ProjectID]Counts) error { return s.store.AddCounts(ctx, counts) })
	if err != nil {
		return fmt.Errorf("write counts: %w", err)
	}
	used := s.used.take()
	if len(used) == 0 {
		return nil
	}
	if err := s.store.TouchKeys(ctx, used); err != nil {
		return fmt.Errorf("write key uses: %w", err)
	}
	return nil
}

// Run writes counts every two seconds until ctx ends, and then once more.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.soft("write counts", s.Flush(ctx))
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushEvery)
			defer cancel()
			s.soft("write the last counts", s.Flush(last))
			return
		}
	}
}
