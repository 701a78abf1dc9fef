package gallery

import (
	"math/rand/v2"
	"sync"
	"time"

	"sandlot/internal/publish"
)

// playWindow: a player's loads of a project within it are one play.
const playWindow = 30 * time.Minute

// tally counts plays in memory until they are written. No lock is held while
// they are: a count belongs to a batch with a number, the store keeps the number
// with the count, and so a reader can tell what the count it read includes.
type tally struct {
	most    int // loads that are remembered; beyond it the older half is forgotten, and may count twice
	mu      sync.Mutex
	recent  map[load]time.Time // loads that counted, the newer ones
	older   map[load]time.Time
	since   time.Time // when recent was begun
	pending map[publish.ProjectID]int64
	sending *batch // being written, or to be written again
	sent    batch  // the last that was written
	writing bool   // whether a flush is under way
}

// batch is counts that are written together.
type batch struct {
	number int64
	plays  map[publish.ProjectID]int64
}

// A load is a project and who loaded it.
type load struct {
	project publish.ProjectID
	player  PlayerID
}

func newTally(most int) *tally {
	// Numbers of other processes, and of the one before, are elsewhere in 2^62.
	first := batch{number: 1 + rand.Int64N(1<<62)}
	return &tally{most: most, recent: map[load]time.Time{}, older: map[load]time.Time{}, pending: map[publish.ProjectID]int64{}, sent: first}
}

// play counts a load that is the player's first in half an hour, if it may.
func (t *tally) play(id publish.ProjectID, player PlayerID, now time.Time, may func() bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := load{id, player}
	if within(t.recent, l, now) || within(t.older, l, now) || !may() {
		return
	}
	if now.Sub(t.since) > playWindow || len(t.recent) >= t.most/2 {
		t.older, t.recent, t.since = t.recent, map[load]time.Time{}, now
	}
	t.recent[l] = now
	t.pending[id]++
}

func within(m map[load]time.Time, l load, now time.Time) bool {
	at, ok := m[l]
	return ok && now.Sub(at).Abs() < playWindow
}

// readTries bounds how often a count is read again. Each time two batches have to
// be written during one read, and they are written two seconds apart.
const readTries = 8

// plays is what read returns, a stored count with the number of its batch, plus
// what is not written yet. It never waits for a write.
func (t *tally) plays(id publish.ProjectID, read func() (plays, number int64)) (sum int64) {
	for range readTries {
		begun := t.lastSent()
		stored, number := read()
		var exact bool
		if sum, exact = t.sum(id, stored, number, begun); exact {
			break
		}
	}
	return sum
}

func (t *tally) lastSent() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent.number
}

// sum adds to a stored count the batches that it does not include. It is exact
// unless more than one batch was written since the read began, after begun.
func (t *tally) sum(id publish.ProjectID, stored, number, begun int64) (sum int64, exact bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum = stored + t.pending[id]
	sending := t.sending != nil && number == t.sending.number
	if t.sending != nil && !sending {
		sum += t.sending.plays[id]
	}
	if begun != t.sent.number && number != t.sent.number && !sending {
		sum += t.sent.plays[id]
	}
	return sum, t.sent.number-begun <= 1
}

// flush writes what was counted. What cannot be written stays for the next time,
// under the same number: it may have been written all the same. A flush beside
// another does nothing.
func (t *tally) flush(write func(map[publish.ProjectID]Counts) error) error {
	for again := true; again; {
		var b *batch
		if b, again = t.begin(); b == nil {
			return nil
		}
		counts := make(map[publish.ProjectID]Counts, len(b.plays))
		for id, n := range b.plays {
			counts[id] = Counts{Plays: n, Batch: b.number}
		}
		err := write(counts)
		t.end(err == nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// begin returns the batch to be written, nil if there is none, and whether it was
// tried before, so that others may wait behind it.
func (t *tally) begin() (b *batch, before bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before = t.sending != nil
	if t.writing || !before && len(t.pending) == 0 {
		return nil, false
	}
	if !before {
		t.sending = &batch{number: t.sent.number + 1, plays: t.pending}
		t.pending = map[publish.ProjectID]int64{}
	}
	t.writing = true
	return t.sending, before
}

func (t *tally) end(written bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writing = false
	if written {
		t.sent, t.sending = *t.sending, nil
	}
}
