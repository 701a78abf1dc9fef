package gallery

import (
	"math/rand/v2"
	"sync"
	"time"

	"sandlot/internal/publish"
)

// playWindow is the time within which all loads of a project by a player are one play.
const playWindow = 30 * time.Minute

// tally counts plays in memory until they are written. No lock is held during a write. Instead counts are written in batches with numbers,
// and the store keeps with each project the number of the batch that was added last. So a reader can tell which batches a stored count
// includes; where another process has added a batch since, plays that are being written may be told twice until they are. It may be used
// concurrently.
type tally struct {
	most    int // loads that are remembered; beyond it the older half is forgotten, and may count twice
	mu      sync.Mutex
	recent  map[load]time.Time // loads that counted, the newer ones
	older   map[load]time.Time
	since   time.Time // when recent was begun
	pending map[publish.ProjectID]int64
	sending *batch // is being written, or failed and will be written again under the same number
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
	// Other processes, and the one before this, have other numbers: each draws one of 2^38.
	first := batch{number: BatchesOfProcess * (1 + rand.Int64N(1<<38-1))}
	return &tally{most: most, recent: map[load]time.Time{}, older: map[load]time.Time{}, pending: map[publish.ProjectID]int64{}, sent: first}
}

// play counts a load, if it is the player's first within playWindow and may returns true. may is called only then.
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

// within reports whether a load in m was counted less than playWindow before or after now.
func within(m map[load]time.Time, l load, now time.Time) bool {
	at, ok := m[l]
	return ok && now.Sub(at).Abs() < playWindow
}

// readTries bounds how often a stored count is read. It is read once more only if two batches were written during one read, and they are
// written two seconds apart.
const readTries = 8

// plays returns the plays of a project, those that are not written yet included. read returns the stored count with the number of its last
// batch; it may be called up to readTries times. plays never waits for a write.
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

// lastSent is the number of the batch that was written last.
func (t *tally) lastSent() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent.number
}

// sum adds to a stored count the plays that it does not include. number is that of the count's last batch, begun that of the batch that was
// written last when the read began. The sum is exact unless more than one batch was written since.
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

// flush writes what was counted. A batch that fails is kept and written again under the same number, for it may have been written in spite
// of the error. If another flush is under way, flush does nothing.
func (t *tally) flush(write func(map[publish.ProjectID]Counts) error) error {
	for more := true; more; {
		var b *batch
		if b, more = t.begin(); b == nil {
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

// begin returns the batch to be written, nil if there is none, and whether it failed before: then newer plays may wait to be written after
// it.
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

// end ends the write of the batch from begin.
func (t *tally) end(written bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writing = false
	if written {
		t.sent, t.sending = *t.sending, nil
	}
}
