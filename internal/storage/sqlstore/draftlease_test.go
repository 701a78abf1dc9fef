package sqlstore

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// mustRestart opens a database as the only process does that uses it.
func mustRestart(t testing.TB, path string) *DB {
	t.Helper()
	db := mustOpen(t, path)
	expect.OK(t, db.Alone(t.Context()))
	return db
}

// TestAnotherProcessLeavesADraftThatIsBeingRecorded: neither its edit nor its collector
// takes a version back that this process is at; the edit waits, and then finds it made.
func TestAnotherProcessLeavesADraftThatIsBeingRecorded(t *testing.T) {
	t.Parallel()
	path := testenv.MemoryDir(t) + "/sandlot.db"
	db, p, change := mustOpenFiles(t, path)
	other := mustOpen(t, path)
	put := func(ctx context.Context) error {
		f := sandlot.File{Name: "c/x.js", Folded: "c/x.js", Blob: sandlot.Blob{Inline: []byte("x"), Size: 1}}
		_, _, err := other.Publish().PutFile(ctx, p.ID, f, publish.Edit{Expect: 2})
		return err
	}
	steps := 0
	watchSteps(t, db, func(int64) {
		if steps++; steps == len(parts(change))*3/4 {
			expect.OK(t, other.finishDrafts(context.Background()))
			short, cancel := context.WithTimeout(context.Background(), 3*draftLook)
			defer cancel()
			err := put(short)
			expect.Is(t, "an edit while it lasts", err, context.DeadlineExceeded)
			expect.Is(t, "an edit while it lasts", err, sandlot.ErrNoEffect)
		}
	})
	_, _, err := db.Publish().Rearrange(t.Context(), p.ID, change, publish.Edit{Expect: 2})
	expect.Is(t, "rearrange", err, nil)
	is(t, db, p, 3, whereB)
	expect.Is(t, "an edit that was computed before", put(t.Context()), sandlot.ErrMoved)
}

// TestADraftIsFreeWhenItsProcessIsGone: for others once its lease has lapsed, and at once
// for the process that is alone after a restart.
func TestADraftIsFreeWhenItsProcessIsGone(t *testing.T) {
	t.Parallel()
	path := testenv.MemoryDir(t) + "/sandlot.db"
	db, p, change := mustOpenFiles(t, path)
	var crashed string
	steps := 0
	watchSteps(t, db, func(int64) {
		if steps++; steps == len(parts(change))/2 {
			crashed = copyDatabase(t, path)
		}
	})
	_, _, err := db.Publish().Rearrange(t.Context(), p.ID, change, publish.Edit{Expect: 2})
	expect.Is(t, "rearrange", err, nil)
	for name, open := range map[string]func(path string) *DB{
		"to others when its lease has lapsed": func(path string) *DB {
			return mustOpenAt(t, path, func() time.Time { return time.Now().Add(draftLease) })
		},
		"after a restart": func(path string) *DB { return mustRestart(t, path) },
		"to others whose clock is behind by a day": func(path string) *DB {
			return mustOpenAt(t, path, func() time.Time { return time.Now().AddDate(0, 0, -1) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			again := open(copyDatabase(t, crashed))
			expect.Equal(t, "drafts", records(t, again, "drafts"), 1)
			f := sandlot.File{Name: "c/x.js", Folded: "c/x.js", Blob: sandlot.Blob{Inline: []byte("x"), Size: 1}}
			_, _, err := again.Publish().PutFile(t.Context(), p.ID, f, publish.Edit{Expect: 2})
			expect.Is(t, "put file", err, nil)
			expect.Equal(t, "drafts", records(t, again, "drafts"), 0)
		})
	}
}

// wallEngine has only a clock.
type wallEngine struct{ engine.Engine }

func (wallEngine) Now() time.Time { return time.Now() }

func TestAnEditWaitsForTheDraftOfAnotherProcessOnlySoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &DB{engine: wallEngine{}, name: "here", drafts: drafting{at: map[sandlot.ProjectID]chan struct{}{}}}
		begun := time.Now()
		err := db.undrafted(t.Context(), "pong", func() error {
			return draftedError{draft{n: 2, holder: "elsewhere", until: db.lease(draftLease).until()}} // renewed again and again
		})
		expect.Is(t, "edit", err, sandlot.ErrUnavailable)
		expect.Is(t, "edit", err, sandlot.ErrNoEffect)
		if took := time.Since(begun); took < draftWait || took > draftWait+time.Second {
			t.Errorf("it waited %s", took)
		}
	})
}
