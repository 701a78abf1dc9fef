package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
)

const (
	// oneStep is up to how many files a change is made in one step: some 10 ms.
	oneStep = 250
	// draftStep is how many files one step of a draft changes, of which there are many: some 3 ms.
	draftStep = 100
	// draftBytes is after how much content of theirs a step ends: some milliseconds of writing.
	draftBytes = 1 << 20
	// patience bounds how long what has begun waits for room in the queue: more than the queue takes to run, and asked for so often.
	patience, patienceEvery = 5 * time.Second, 20 * time.Millisecond
	// draftLease is how long a draft is its maker's after each step: three times as long as a step waits for room.
	draftLease = 3 * patience
	// draftWait bounds how long an edit waits for the draft of another process, which a lease that nobody renews ends: the steps of
	// the largest take a few seconds. It looks so often.
	draftWait, draftLook = 2 * draftLease, 50 * time.Millisecond
)

// A draft is the next version of a project while it is recorded in steps, between
// which others get their turn. The last step makes it the current one; before that it
// is seen by nobody, and nobody else makes a version of the project. It is leased to
// its maker, who renews the lease with each step. What a crash leaves of one is taken
// back, when its lease has lapsed, by Sweep, or by the next edit of the project.
type draft struct {
	id, project int64
	n           int  // the version that it is to be
	undone      bool // it is being taken back
	holder      string
	until       int64 // when the holder's lease ends
	known       int64 // the newest blob when it began: those that came with it are newer
	kept        kept

	size  int64 // what it adds to the project's totals
	files int
}

const selectDraft = "SELECT id, project, n, undone, holder, leased_until FROM drafts WHERE "

// scanDraft reads one that somebody else began: which blobs came with it is not known.
func scanDraft(r row) (d draft, err error) {
	d.known = math.MaxInt64
	err = r.Scan(&d.id, &d.project, &d.n, &d.undone, &d.holder, &d.until)
	return d, err
}

// A draftedError is that of an edit which finds a draft in its way.
type draftedError struct{ draft }

func (e draftedError) Error() string { return fmt.Sprintf("version %d is being recorded", e.n) }

// errDraftLost: another process took the draft back, for it was not renewed in time.
var errDraftLost = fmt.Errorf("%w: another process took the version back", sandlot.ErrUnavailable)

// errDraftLasts: another process records a version for longer than an edit waits.
var errDraftLasts = fmt.Errorf("%w: another process is recording a version of the project", sandlot.ErrUnavailable)

// large tells whether a change is more than one step may make.
func large(c publish.Change) bool {
	return len(c.Drop)+len(c.Put) > oneStep || inlined(c.Put) > draftBytes
}

func inlined(files []sandlot.File) (bytes int) {
	for _, f := range files {
		bytes += f.Blob.InlineSize()
	}
	return bytes
}

// inParts cuts a list of files into what one step records of it.
func inParts[F any](files []F, blob func(F) sandlot.Blob) (list [][]F) {
	for part := range slices.Chunk(files, draftStep) {
		for len(part) > 0 {
			n, bytes := 1, blob(part[0]).InlineSize()
			for ; n < len(part) && bytes < draftBytes; n++ {
				bytes += blob(part[n]).InlineSize()
			}
			list, part = append(list, part[:n]), part[n:]
		}
	}
	return list
}

// parts are what the steps of a draft make of a change: what is dropped comes first,
// for it may make room for what is put.
func parts(c publish.Change) (list []publish.Change) {
	for drop := range slices.Chunk(c.Drop, draftStep) {
		list = append(list, publish.Change{Drop: drop})
	}
	for _, put := range inParts(c.Put, func(f sandlot.File) sandlot.Blob { return f.Blob }) {
		list = append(list, publish.Change{Put: put})
	}
	return list
}

// rearrangeLarge is Rearrange in steps.
func (store Publish) rearrangeLarge(ctx context.Context, id sandlot.ProjectID, c publish.Change, at publish.Edit) (sandlot.Project, error) {
	end, err := store.db.drafts.begin(ctx, id)
	if err != nil {
		return sandlot.Project{}, sandlot.NoEffect(err)
	}
	defer end()
	var d draft
	err = store.db.undrafted(ctx, "", func() error {
		return store.db.step(ctx, 0, func(t *tx) (err error) {
			d, err = t.beginDraft(id, c, at, draft{holder: store.db.name, until: store.db.lease(draftLease).until()}, store.db.Now())
			return err
		})
	})
	if err != nil {
		return sandlot.Project{}, err
	}
	for _, part := range parts(c) {
		if err := store.addToDraft(ctx, &d, part); err != nil {
			return sandlot.Project{}, store.giveUp(ctx, d, err, at.Yield)
		}
	}
	p, err := store.publishDraft(ctx, d, id, c, at)
	if err != nil {
		return sandlot.Project{}, store.giveUp(ctx, d, err, at.Yield)
	}
	return p, nil
}

// beginDraft refuses what the last step would refuse at once, where that is known.
func (t *tx) beginDraft(id sandlot.ProjectID, c publish.Change, at publish.Edit, d draft, now time.Time) (draft, error) {
	if err := t.refuseAlreadyDone(at.Idempotency, now); err != nil {
		return d, err
	}
	p, err := t.editable(id, at, 0)
	if err != nil {
		return d, err
	}
	bytes := int64(0)
	for _, f := range c.Put {
		bytes += f.Blob.Size
	}
	if err := t.room(p.Account, at.Within.Bytes, bytes, now); err != nil {
		return d, err
	}
	d.project, d.n = p.num, p.Version+1
	return d, t.insertDraft(&d)
}

func (t *tx) insertDraft(d *draft) (err error) {
	if d.known, err = t.number("SELECT coalesce(max(id), 0) FROM blobs"); err != nil {
		return err
	}
	d.id, err = t.Insert("drafts", "INSERT INTO drafts (id, project, n, holder, leased_until) VALUES (?, ?, ?, ?, ?)", d.project, d.n, d.holder, d.until)
	return err
}

// room fails if an account would have more bytes with so many more, for which no other
// file makes room: those of old versions count, too.
func (t *tx) room(id sandlot.AccountID, most, bytes int64, now time.Time) error {
	if most == 0 {
		return nil
	}
	if most -= bytes; most < 0 {
		return sandlot.ErrTooManyBytes
	}
	t.within(id, publish.Quota{Bytes: max(most, 1)}, now) // 0 would be no limit, and the last step looks again
	return t.Flush()
}

// drafted makes an error of what was found of a project's draft, unless it is own, of
// which 0 is none.
func drafted(found draft, err error, own int64) error {
	switch {
	case errors.Is(err, sandlot.ErrNotFound) && own == 0:
		return nil
	case err == nil && own == 0:
		return draftedError{found}
	case errors.Is(err, sandlot.ErrNotFound) || err == nil && (found.id != own || found.undone):
		return errDraftLost
	}
	return err
}

// addToDraft makes a part of a draft. Its lease is renewed first, which also keeps others
// from taking it back beside this step.
func (store Publish) addToDraft(ctx context.Context, d *draft, part publish.Change) error {
	p := projectRow{num: d.project}
	err := store.db.patient(ctx, inlined(part.Put), func(t *tx) error {
		p.Version, p.Size, p.FileCount = d.n, 0, 0
		if err := t.renew(d, store.db.lease(draftLease)); err != nil {
			return err
		}
		return t.change(&p, part, d.kept.anew(), store.db.Now())
	})
	if err == nil {
		d.kept.stay()
		d.size += p.Size
		d.files += p.FileCount
	}
	return err
}

// renew begins a step of a draft.
func (t *tx) renew(d *draft, l lease) error {
	if err := t.lockOwnerOf(d.project); err != nil {
		return err
	}
	return t.must(errDraftLost, "UPDATE drafts SET leased_until = ? WHERE id = ? AND undone = 0", l.until(), d.id)
}

// endDraft takes away the mark of a draft that its last step makes a version.
func (t *tx) endDraft(d draft) error {
	return t.must(errDraftLost, "DELETE FROM drafts WHERE id = ? AND undone = 0", d.id)
}

// publishDraft makes a draft the current version.
func (store Publish) publishDraft(ctx context.Context, d draft, id sandlot.ProjectID, c publish.Change, at publish.Edit) (sandlot.Project, error) {
	var p projectRow
	err := store.db.patient(ctx, 0, func(t *tx) (err error) {
		p, err = t.edit(id, at, store.db.Now(), d.id, func(t *tx, p *projectRow) error {
			if err := t.endDraft(d); err != nil {
				return err
			}
			p.Size += d.size
			p.FileCount += d.files
			return t.settle(p, c, at, store.db.Now())
		})
		return err
	})
	return p.Project, err
}

// patient is step for what has begun: where too many wait it does not give up, but asks
// again for a while.
func (db *DB) patient(ctx context.Context, bytes int, run func(*tx) error) error {
	return patiently(ctx, func() error { return db.step(ctx, bytes, run) })
}

func patiently(ctx context.Context, step func() error) error {
	for end := time.Now().Add(patience); ; {
		err := step()
		if !errors.Is(err, engine.ErrTooMany) || !time.Now().Before(end) {
			return err
		}
		if pause(ctx, patienceEvery) != nil {
			return err
		}
	}
}

// giveUp takes a draft back after an error. What it then returns is
// sandlot.ErrNoEffect only if nothing of the draft is left.
func (store Publish) giveUp(ctx context.Context, d draft, err error, yield func()) error {
	if !errors.Is(err, sandlot.ErrNoEffect) {
		return err // the step may have made the version
	}
	undone := store.db.undo(context.WithoutCancel(ctx), d, yield)
	if undone == nil && !errors.Is(err, errDraftLost) {
		return err
	}
	for _, kind := range []error{sandlot.ErrFull, sandlot.ErrUnavailable} {
		if errors.Is(err, kind) {
			return fmt.Errorf("%w: %v", kind, err) // without its word that nothing was changed
		}
	}
	return fmt.Errorf("%w: %v, and then %v", sandlot.ErrUnavailable, err, undone)
}

// undrafted runs a step until no draft of the project is in its way. It waits for one
// that is being recorded, up to draftWait for that of another process, and takes another
// back. An owner of the turn passes no id.
func (db *DB) undrafted(ctx context.Context, id sandlot.ProjectID, step func() error) error {
	for end := time.Now().Add(draftWait); ; {
		err := step()
		var found draftedError
		if !errors.As(err, &found) {
			return err
		}
		waited, err := db.drafts.wait(ctx, id)
		switch {
		case err != nil || waited:
		case found.holder == db.name || !db.lease(draftLease).holds(found.until):
			err = db.undo(ctx, found.draft, nil)
		case time.Now().After(end):
			err = errDraftLasts
		default:
			err = pause(ctx, draftLook)
		}
		if err != nil {
			return sandlot.NoEffect(err)
		}
	}
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// finishDrafts takes back the drafts that nobody is at: a crash left them.
func (db *DB) finishDrafts(ctx context.Context) error {
	type left struct {
		draft
		of sandlot.ProjectID
	}
	l := db.lease(draftLease)
	list, err := all(ctx, db, func(r row) (d left, err error) {
		d.known = math.MaxInt64
		err = r.Scan(&d.id, &d.project, &d.n, &d.holder, &d.of)
		return d, err
	}, "SELECT d.id, d.project, d.n, d.holder, p.id FROM drafts d JOIN projects p ON p.num = d.project WHERE d.id > 0 AND (d.leased_until <= ? OR d.leased_until > ? OR d.holder = ?)", micros(l.now), l.never(), db.name)
	if err != nil {
		return err
	}
	return forAll(ctx, list, func(d left) error {
		if d.holder == db.name && db.drafts.has(d.of) {
			return nil
		}
		return db.undo(ctx, d.draft, nil)
	})
}

// drafting knows the projects of which this process records a version in steps: who
// waits for one of them is woken, and need not look.
type drafting struct {
	mu sync.Mutex
	at map[sandlot.ProjectID]chan struct{} // closed when it is done
}

// begin waits for a project's turn. It returns the function that ends it.
func (d *drafting) begin(ctx context.Context, id sandlot.ProjectID) (end func(), err error) {
	for {
		d.mu.Lock()
		done := d.at[id]
		if done == nil {
			done = make(chan struct{})
			d.at[id] = done
			d.mu.Unlock()
			return func() {
				d.mu.Lock()
				delete(d.at, id)
				d.mu.Unlock()
				close(done)
			}, nil
		}
		d.mu.Unlock()
		if err := over(ctx, done); err != nil {
			return nil, err
		}
	}
}

// wait waits for the end of what is under way for a project, if anything is.
func (d *drafting) wait(ctx context.Context, id sandlot.ProjectID) (waited bool, err error) {
	d.mu.Lock()
	done := d.at[id]
	d.mu.Unlock()
	if done == nil {
		return false, nil
	}
	return true, over(ctx, done)
}

func (d *drafting) has(id sandlot.ProjectID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at[id] != nil
}

func over(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
