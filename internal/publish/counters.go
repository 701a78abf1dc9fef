package publish

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// playWindow: a visitor's loads of a project within it are one play.
	playWindow = 30 * time.Minute
	// flushEvery is how often counts are written: well under the 5 s that a crash may lose.
	flushEvery = 2 * time.Second
)

// counters counts plays in memory until they are written. No lock is held while
// they are: a count belongs to a batch with a number, the store keeps the number
// with the count, and so a reader can tell what the count it read includes.
type counters struct {
	most    int // visits that are remembered; beyond it the older half is forgotten, and may count twice
	mu      sync.Mutex
	recent  map[visit]time.Time // visits that counted, the newer ones
	older   map[visit]time.Time
	since   time.Time // when recent was begun
	pending map[ProjectID]int64
	sending *batch // being written, or to be written again
	sent    batch  // the last that was written
	writing bool   // whether a flush is under way
}

// batch is counts that are written together.
type batch struct {
	number int64
	plays  map[ProjectID]int64
}

type visit struct {
	project ProjectID
	visitor PlayerID
}

func newCounters(most int) *counters {
	// Numbers of other processes, and of the one before, are elsewhere in 2^62.
	first := batch{number: 1 + rand.Int64N(1<<62)}
	return &counters{most: most, recent: map[visit]time.Time{}, older: map[visit]time.Time{}, pending: map[ProjectID]int64{}, sent: first}
}

// Play counts a visitor's load of a project, unless one was counted within the
// last half hour, or enough of the visitor's network were.
func (s *Service) Play(_ context.Context, by Caller, id ProjectID, visitor Visitor) {
	if Authorize(by, ActLook, nil) != nil {
		return
	}
	now := s.now()
	s.counters.play(id, visitor.ID, now, func() bool { return !s.Public || s.plays.take(id, visitor.From, now) })
}

// play counts a load that is the visitor's first in half an hour, if it may.
func (c *counters) play(id ProjectID, visitor PlayerID, now time.Time, may func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := visit{id, visitor}
	if within(c.recent, v, now) || within(c.older, v, now) || !may() {
		return
	}
	if now.Sub(c.since) > playWindow || len(c.recent) >= c.most/2 {
		c.older, c.recent, c.since = c.recent, map[visit]time.Time{}, now
	}
	c.recent[v] = now
	c.pending[id]++
}

func within(m map[visit]time.Time, v visit, now time.Time) bool {
	at, ok := m[v]
	return ok && now.Sub(at).Abs() < playWindow
}

// readTries bounds how often a count is read again. Each time two batches have to
// be written during one read, and they are written two seconds apart.
const readTries = 8

// plays is what read returns, a stored count with the number of its batch, plus
// what is not written yet. It never waits for a write.
func (c *counters) plays(id ProjectID, read func() (plays, number int64)) (sum int64) {
	for range readTries {
		begun := c.lastSent()
		stored, number := read()
		var exact bool
		if sum, exact = c.sum(id, stored, number, begun); exact {
			break
		}
	}
	return sum
}

func (c *counters) lastSent() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent.number
}

// sum adds to a stored count the batches that it does not include. It is exact
// unless more than one batch was written since the read began, after begun.
func (c *counters) sum(id ProjectID, stored, number, begun int64) (sum int64, exact bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum = stored + c.pending[id]
	sending := c.sending != nil && number == c.sending.number
	if c.sending != nil && !sending {
		sum += c.sending.plays[id]
	}
	if begun != c.sent.number && number != c.sent.number && !sending {
		sum += c.sent.plays[id]
	}
	return sum, c.sent.number-begun <= 1
}

// flush writes what was counted. What cannot be written stays for the next time,
// under the same number: it may have been written all the same. A flush beside
// another does nothing.
func (c *counters) flush(write func(map[ProjectID]Counts) error) error {
	for again := true; again; {
		var b *batch
		if b, again = c.begin(); b == nil {
			return nil
		}
		counts := make(map[ProjectID]Counts, len(b.plays))
		for id, n := range b.plays {
			counts[id] = Counts{Plays: n, Batch: b.number}
		}
		err := write(counts)
		c.end(err == nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// begin returns the batch to be written, nil if there is none, and whether it was
// tried before, so that others may wait behind it.
func (c *counters) begin() (b *batch, before bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before = c.sending != nil
	if c.writing || !before && len(c.pending) == 0 {
		return nil, false
	}
	if !before {
		c.sending = &batch{number: c.sent.number + 1, plays: c.pending}
		c.pending = map[ProjectID]int64{}
	}
	c.writing = true
	return c.sending, before
}

func (c *counters) end(written bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writing = false
	if written {
		c.sent, c.sending = *c.sending, nil
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

// Flush writes the counts that are still in memory, and when keys were used, each
// also if the other fails.
func (s *Service) Flush(ctx context.Context) error {
	return errors.Join(s.flushCounts(ctx), s.flushUses(ctx))
}

func (s *Service) flushCounts(ctx context.Context) error {
	err := s.counters.flush(func(counts map[ProjectID]Counts) error { return s.store.AddCounts(ctx, counts) })
	if err != nil {
		s.failures.Add(1)
		return fmt.Errorf("write counts: %w", err)
	}
	return nil
}

func (s *Service) flushUses(ctx context.Context) error {
	used := s.used.take()
	if len(used) == 0 {
		return nil
	}
	if err := s.store.TouchKeys(ctx, used); err != nil {
		s.failures.Add(1)
		return fmt.Errorf("write key uses: %w", err)
	}
	return nil
}

// Failures counts what Run could not write.
func (s *Service) Failures() *Failures { return &s.failures }

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
