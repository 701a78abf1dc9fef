package gallery

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery/figures"
)

// PlayWindow is the time within which all loads of a project by a player are one play.
const PlayWindow = 30 * time.Minute

// maxWritten is the limit of projects in one batch, and of loads that wait for comparison, so that other steps of the
// store wait only some hundredths of a second for a batch, even after an outage of the store.
const maxWritten = 2000

// tally counts plays in memory until they are written. No lock is held during a write: counts are written in numbered
// batches, and the store keeps with each project the number of the last batch added, from which a reader derives which
// batches a stored count includes; if another process has added one since, plays may count twice while they are being
// written. If processes share their counts, the store returns the loads that another process has counted already; until
// then these are included as plays. It may be used concurrently.
type tally struct {
	most    int  // limit of remembered loads; beyond it the older half is forgotten, and may count twice
	shared  bool // other processes count loads, too
	mu      sync.Mutex
	recent  map[load]time.Time // the newer loads that counted
	older   map[load]time.Time
	since   time.Time // when recent was begun
	begun   time.Time // when filed was begun
	filed   int       // loads recorded in the store since then for comparison between processes; at most most
	pending batch     // not numbered yet
	sending *batch    // being written, or failed and to be written again under the same number
	sent    batch     // the last batch written
	writing bool      // whether a flush is under way
}

// batch holds counts that are written together.
type batch struct {
	number  int64
	figures map[sandlot.ProjectID]*figures.Added // with the plays
	loads   map[load]loaded                      // loads behind the plays that another process may have counted
}

func newBatch(number int64) batch {
	return batch{number, map[sandlot.ProjectID]*figures.Added{}, map[load]loaded{}}
}

// of returns the batch's additions to the figures of a project.
func (b *batch) of(id sandlot.ProjectID) *figures.Added {
	a := b.figures[id]
	if a == nil {
		a = &figures.Added{}
		b.figures[id] = a
	}
	return a
}

// A load is a pair of project and player.
type load struct {
	project sandlot.ProjectID
	player  PlayerID
}

// loaded holds the time of a load, and its version and source in the figures.
type loaded struct {
	at      time.Time
	version int
	source  string
}

// id returns the hash that identifies a load in the store.
func (l load) id() int64 {
	sum := sha256.Sum256([]byte(string(l.player) + "\x00" + string(l.project)))
	return int64(binary.BigEndian.Uint64(sum[:]) >> 1)
}

func newTally(most int, shared bool) *tally {
	// Other processes, and the previous one, have other numbers: each draws one of 2^38.
	first := batch{number: BatchesOfProcess * (1 + rand.Int64N(1<<38-1))}
	return &tally{most: most, shared: shared, recent: map[load]time.Time{}, older: map[load]time.Time{}, pending: newBatch(0), sent: first}
}

// play counts a load if it is the player's first within PlayWindow and may returns true. may is called only then.
func (t *tally) play(id sandlot.ProjectID, p Player, now time.Time, may func() bool) (counted bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := load{id, p.ID}
	if !t.first(l, now, may) {
		return false
	}
	source := t.pending.of(id).Play(p.Version, string(p.ID), p.Source)
	if t.shared {
		t.file(l, loaded{now, p.Version, source})
	}
	return true
}

// first remembers a load, and reports whether it is the first within PlayWindow and may returns true. t.mu must be
// held.
func (t *tally) first(l load, now time.Time, may func() bool) bool {
	within := func(m map[load]time.Time) bool {
		at, known := m[l]
		return known && now.Sub(at).Abs() < PlayWindow
	}
	if within(t.recent) || within(t.older) || !may() {
		return false
	}
	if now.Sub(t.since) > PlayWindow || len(t.recent) >= t.most/2 {
		t.older, t.recent, t.since = t.recent, map[load]time.Time{}, now
	}
	t.recent[l] = now
	return true
}

// file marks a counted load for comparison with those of other processes, once until it is written.
func (t *tally) file(l load, as loaded) {
	if as.at.Sub(t.begun).Abs() > PlayWindow {
		t.begun, t.filed = as.at, 0
	}
	if _, waits := t.pending.loads[l]; !waits && t.filed < t.most && len(t.pending.loads) < maxWritten {
		t.pending.loads[l] = as
		t.filed++
	}
}

// led counts the source of a play that was counted separately, once within PlayWindow.
func (t *tally) led(id sandlot.ProjectID, p Player, now time.Time, may func() bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first(load{id, "from " + p.ID}, now, may) {
		t.pending.of(id).Led(p.Source, 1)
	}
}

// stayed counts the lengths of stays.
func (t *tally) stayed(stays []figures.Stay) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range stays {
		t.pending.of(s.Project).Length(s.Version, s.Length)
	}
}

// readTries limits the reads of a stored count. It is read once more only if two batches were written during one read,
// and batches are written two seconds apart.
const readTries = 8

// plays returns the plays of a project, including those not written yet. read returns the stored count with the number
// of its last batch; it may be called up to readTries times. plays never waits for a write.
func (t *tally) plays(id sandlot.ProjectID, read func() (plays, number int64)) (sum int64) {
	t.complete(func() (number int64) {
		sum, number = read()
		return number
	}, func(b *batch) {
		if a := b.figures[id]; a != nil {
			sum += a.Plays()
		}
	})
	return sum
}

// unwritten returns the additions that a record of a project's figures does not include, in the manner of plays.
func (t *tally) unwritten(id sandlot.ProjectID, read func() (number int64)) (added figures.Added) {
	t.complete(func() int64 {
		added = figures.Added{}
		return read()
	}, func(b *batch) {
		if a := b.figures[id]; a != nil {
			added.Merge(*a)
		}
	})
	return added
}

// complete reads a record, and calls add with each batch that it does not include. It begins anew, with another read, if
// more than one batch was written meanwhile.
func (t *tally) complete(read func() (number int64), add func(*batch)) {
	for range readTries {
		t.mu.Lock()
		begun := t.sent.number
		t.mu.Unlock()
		if number := read(); t.lacks(number, begun, add) {
			return
		}
	}
}

// lacks calls add with the batches that a record does not include. number is the last batch of the record, begun the
// last batch written when the read began. The result is exact unless more than one batch was written since.
func (t *tally) lacks(number, begun int64, add func(*batch)) (exact bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	add(&t.pending)
	sending := t.sending != nil && number == t.sending.number
	if t.sending != nil && !sending {
		add(t.sending)
	}
	if begun != t.sent.number && number != t.sent.number && !sending {
		add(&t.sent)
	}
	return t.sent.number-begun <= 1
}

// flush writes the counts. A batch that fails is kept and written again under the same number, since it may have been
// written in spite of the error. If another flush is active, flush does nothing.
func (t *tally) flush(now func() time.Time, write func(map[sandlot.ProjectID]Counts) ([]Load, error)) error {
	for more := true; more; {
		var b *batch
		if b, more = t.begin(); b == nil {
			return nil
		}
		counts, loads := b.counts(now())
		again, err := write(counts)
		t.end(err == nil, now(), loads, again)
		if err != nil {
			return err
		}
	}
	return nil
}

// counts returns the batch in the form for the store, and its loads by their hashes.
func (b *batch) counts(now time.Time) (map[sandlot.ProjectID]Counts, map[int64]load) {
	counts, loads := make(map[sandlot.ProjectID]Counts, len(b.figures)), make(map[int64]load, len(b.loads))
	for id, a := range b.figures {
		counts[id] = Counts{Plays: a.Plays(), Batch: b.number, Figures: a.Copy()}
	}
	for l, as := range b.loads {
		c := counts[l.project]
		c.Plays--
		c.Figures.Move(as.version, as.source, -1)
		c.Loads = append(c.Loads, Load{l.id(), now.Sub(as.at), as.version, as.source})
		counts[l.project] = c
		loads[l.id()] = l
	}
	return counts, loads
}

// begin returns the batch to be written, nil if there is none. It also reports whether newer plays may wait behind it:
// it failed before, or there were too many for one batch.
func (t *tally) begin() (b *batch, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.sending != nil
	if t.writing || !before && len(t.pending.figures) == 0 {
		return nil, false
	}
	if !before {
		b := t.pending.split(maxWritten)
		b.number = t.sent.number + 1
		t.sending = &b
	}
	t.writing = true
	return t.sending, before || len(t.pending.figures) > 0
}

// split takes at most most projects out of the batch, with all their counts and loads.
func (b *batch) split(most int) batch {
	part := newBatch(0)
	if len(b.figures) <= most {
		*b, part = part, *b
		return part
	}
	for id, a := range b.figures {
		if len(part.figures) == most {
			break
		}
		delete(b.figures, id)
		part.figures[id] = a
	}
	for l, as := range b.loads {
		if part.figures[l.project] != nil {
			delete(b.loads, l)
			part.loads[l] = as
		}
	}
	return part
}

// end ends the write of the batch from begin. Loads in again were counted by other processes, whose times apply to the
// next load.
func (t *tally) end(written bool, now time.Time, loads map[int64]load, again []Load) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writing = false
	if !written {
		return
	}
	for _, a := range again {
		l, known := loads[a.ID]
		if !known {
			continue
		}
		as := t.sending.loads[l]
		t.sending.of(l.project).Move(as.version, as.source, -1)
		for _, m := range []map[load]time.Time{t.recent, t.older} {
			if at, ok := m[l]; ok && at.Equal(as.at) {
				m[l] = now.Add(-a.Ago)
			}
		}
	}
	t.sent, t.sending = *t.sending, nil
}
