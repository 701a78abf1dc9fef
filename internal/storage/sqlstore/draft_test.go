package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/storage/sqlstore/sqlite"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const (
	manyFiles = 2000
	// draftRows bounds what one step may change: a file that is put is a row, its
	// account's total and its blob; where it is taken back, also what came with it.
	draftRows = 6 * draftStep
)

// filesDatabase is a database with a project of many files.
var filesDatabase = template(func(db *DB) error {
	p, err := createProject(db, 1)
	if err != nil {
		return err
	}
	var c publish.Change
	for i := range manyFiles {
		name := fmt.Sprintf("a/%d.js", i)
		c.Put = append(c.Put, sandlot.File{Name: name, Folded: name, Blob: sandlot.Blob{Ref: sandlot.BlobRef(fmt.Sprint("1-", i)), Size: 3}})
	}
	_, _, err = db.Publish().Rearrange(context.Background(), p.ID, c, publish.Edit{Expect: 1})
	return err
})

// mustOpenFiles opens a database with a project of many files. The change moves them all
// to another folder, every third with other bytes.
func mustOpenFiles(t *testing.T, path string) (db *DB, p sandlot.Project, c publish.Change) {
	t.Helper()
	filesDatabase.Lay(t, path)
	db = mustOpen(t, path)
	p, err := db.Publish().Project(context.Background(), benchProject(1, nil).ID)
	expect.Is(t, "read project", err, nil)
	for i, f := range mustFiles(t, db, p, p.Version) {
		if f.Name == p.Primary {
			continue
		}
		c.Drop = append(c.Drop, f)
		name := strings.Replace(f.Name, "a/", "b/", 1)
		moved := sandlot.File{Name: name, Folded: name, Blob: f.Blob}
		if i%3 == 0 {
			moved.Blob = sandlot.Blob{Ref: "new-" + f.Blob.Ref, Size: 5, Checkpoints: "points"}
		}
		c.Put = append(c.Put, moved)
	}
	return db, p, c
}

func mustFiles(t *testing.T, db *DB, p sandlot.Project, version int) []sandlot.File {
	t.Helper()
	list, err := db.Publish().Files(context.Background(), p.ID, version)
	expect.Is(t, "list files", err, nil)
	return list
}

// folders counts the files of a version in each folder.
func folders(t *testing.T, db *DB, p sandlot.Project, version int) string {
	t.Helper()
	n := map[string]int{}
	for _, f := range mustFiles(t, db, p, version) {
		folder, _, _ := strings.Cut(f.Name, "/")
		n[folder]++
	}
	return fmt.Sprint(n)
}

// is fails the test unless the project is at a version that is whole.
func is(t *testing.T, db *DB, p sandlot.Project, version int, want string) {
	t.Helper()
	q, err := db.Publish().Project(context.Background(), p.ID)
	expect.Is(t, "read project", err, nil)
	expect.Equal(t, "version", q.Version, version)
	expect.Equal(t, "files of the current version", folders(t, db, p, version), want)
	found, _, _, err := db.Upkeep().Mistakes(context.Background(), 0, 10)
	expect.Is(t, "compare projects", err, nil)
	more, _, _, err := db.Upkeep().AccountMistakes(context.Background(), 0, 10)
	expect.Is(t, "compare accounts", err, nil)
	for _, m := range append(found, more...) {
		t.Error(m.Detail)
	}
	_, err = db.Publish().Files(context.Background(), p.ID, version+1)
	expect.Is(t, "files of the next version", err, sandlot.ErrNotFound)
}

const (
	whereA = "map[a:2000 index.html:1]"
	whereB = "map[b:2000 index.html:1]"
)

// TestRegression41ManyFilesAreRearrangedInSteps: no step changes many rows, and yet all
// files change at once for whoever reads.
func TestRegression41ManyFilesAreRearrangedInSteps(t *testing.T) {
	t.Parallel()
	db, p, c := mustOpenFiles(t, testenv.MemoryDir(t)+"/sandlot.db")
	steps, most := 0, int64(0)
	watchSteps(t, db, func(rows int64) {
		if steps++; steps%3 == 0 {
			q, err := db.Publish().Project(context.Background(), p.ID)
			expect.Is(t, "read project", err, nil)
			expect.Equal(t, "files", folders(t, db, p, q.Version), map[int]string{2: whereA, 3: whereB, 4: whereA}[q.Version])
			near, err := db.Publish().FilesNear(context.Background(), p.ID, map[int]string{2: "a", 3: "b", 4: "a"}[q.Version])
			expect.Is(t, "look for files", err, nil)
			expect.Equal(t, "files near", len(near), nearLimit)
		}
		most = max(most, rows)
	})
	for _, do := range []struct {
		what string
		c    func() publish.Change
		to   string
	}{
		{"move", func() publish.Change { return c }, whereB},
		{"restore", func() publish.Change {
			return publish.Change{Drop: mustFiles(t, db, p, 3), Put: mustFiles(t, db, p, 2), Primary: p.Primary}
		}, whereA},
	} {
		was, err := db.Publish().Project(t.Context(), p.ID)
		expect.Is(t, "read", err, nil)
		change := do.c()
		steps, most = 0, 0
		_, _, err = db.Publish().Rearrange(t.Context(), p.ID, change, publish.Edit{Expect: was.Version})
		expect.Is(t, do.what, err, nil)
		if most > draftRows || steps < 2*manyFiles/draftStep {
			t.Errorf("%s: %d steps, one of which changed %d rows", do.what, steps, most)
		}
		is(t, db, p, was.Version+1, do.to)
	}
	t.Run("one for which there is no room is refused at first", func(t *testing.T) {
		steps = 0
		_, _, err := db.Publish().Rearrange(t.Context(), p.ID, c, publish.Edit{Expect: 4, Within: publish.Quota{Bytes: 9 * manyFiles}})
		expect.Is(t, "beyond the quota", err, sandlot.ErrTooManyBytes)
		expect.Is(t, "beyond the quota", err, sandlot.ErrNoEffect)
		expect.Equal(t, "commits", steps, 0)
	})
	t.Run("one that is refused at last", func(t *testing.T) {
		c := publish.Change{Drop: mustFiles(t, db, p, 4), Put: slices.Clone(c.Put)}
		for i := range c.Put {
			c.Put[i].Blob = sandlot.Blob{Ref: sandlot.BlobRef(fmt.Sprint("other-", i)), Size: 1}
		}
		steps, most = 0, 0
		_, _, err := db.Publish().Rearrange(t.Context(), p.ID, c, publish.Edit{Expect: 4})
		expect.Is(t, "without its primary file", err, sandlot.ErrNoPrimary)
		expect.Is(t, "without its primary file", err, sandlot.ErrNoEffect)
		if most > draftRows || steps < 4*manyFiles/draftStep {
			t.Errorf("%d steps, one of which changed %d rows", steps, most)
		}
		is(t, db, p, 4, whereA)
	})
}

// TestRegression41ACrashAmidARearrangementLeavesAVersionWhole opens what the disk has
// after some of its steps, as a crash there would leave it: the old version is whole, or
// the new one, for readers, for the next edit and after a sweep.
func TestRegression41ACrashAmidARearrangementLeavesAVersionWhole(t *testing.T) {
	t.Parallel()
	path := testenv.MemoryDir(t) + "/sandlot.db"
	db, p, c := mustOpenFiles(t, path)
	var copies []string
	steps, last := 0, 2+len(parts(c))
	watchSteps(t, db, func(int64) {
		if steps++; slices.Contains([]int{1, 2, last / 2, last - 1, last}, steps) {
			copies = append(copies, copyDatabase(t, path))
		}
	})
	_, _, err := db.Publish().Rearrange(t.Context(), p.ID, c, publish.Edit{Expect: 2})
	expect.Is(t, "rearrange", err, nil)
	expect.Equal(t, "steps", steps, last)
	for i, crashed := range copies {
		version, want := 2, whereA
		if i == len(copies)-1 {
			version, want = 3, whereB
		}
		t.Run(fmt.Sprint("edited after crash ", i), func(t *testing.T) {
			again := mustRestart(t, copyDatabase(t, crashed))
			is(t, again, p, version, want)
			f := sandlot.File{Name: "c/x.js", Folded: "c/x.js", Blob: sandlot.Blob{Inline: []byte("x"), Size: 1}}
			_, _, err := again.Publish().PutFile(t.Context(), p.ID, f, publish.Edit{Expect: version})
			expect.Is(t, "put file", err, nil)
			is(t, again, p, version+1, strings.Replace(want, " index", " c:1 index", 1))
		})
		t.Run(fmt.Sprint("rearranged after crash ", i), func(t *testing.T) {
			again := mustRestart(t, copyDatabase(t, crashed))
			_, _, err := again.Publish().Rearrange(t.Context(), p.ID, publish.Change{Drop: mustFiles(t, again, p, version), Put: mustFiles(t, again, p, 2), Primary: p.Primary}, publish.Edit{Expect: version})
			expect.Is(t, "restore", err, nil)
			is(t, again, p, version+1, whereA)
		})
		t.Run(fmt.Sprint("swept after crash ", i), func(t *testing.T) {
			again := mustRestart(t, crashed)
			gone := sweepAll(t, again, time.Now().Add(time.Hour)) // as a day later
			is(t, again, p, version, want)
			known, drafts := records(t, again, "blobs WHERE ref LIKE 'new-%'"), records(t, again, "drafts")
			expect.Equal(t, "drafts", drafts, 0)
			if want == whereA && known > 0 || want == whereB && len(gone) > 0 {
				t.Errorf("%d blobs that came with it are known, and %d were let go of", known, len(gone))
			}
		})
	}
}

// TestRegression41ARearrangementThatFailsAmid: bytes may go exactly if its error says
// that nothing was changed, which is so only once all of it is taken back.
func TestRegression41ARearrangementThatFailsAmid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failures int // of commits, one after the other
		code     fault
		without  bool
	}{
		"the disk is full for a moment":      {1, sqlite3.SQLITE_FULL, true},
		"the disk stays full":                {2, sqlite3.SQLITE_FULL, false},
		"a commit of which nothing is known": {1, sqlite3.SQLITE_BUSY, false},
	} {
		t.Run(name, func(t *testing.T) {
			db, p, change := mustOpenFiles(t, testenv.MemoryDir(t)+"/sandlot.db")
			commits, first := 0, len(parts(change))*3/4
			expect.Is(t, "fail", db.step(t.Context(), 0, func(x *tx) error {
				x.Tx.(*sqlite.Tx).OnCommit(func(commit func() error) error {
					if commits++; commits > first && commits <= first+c.failures {
						return c.code
					}
					return commit()
				})
				return nil
			}), nil)
			_, _, err := db.Publish().Rearrange(t.Context(), p.ID, change, publish.Edit{Expect: 2})
			if err == nil || errors.Is(err, sandlot.ErrNoEffect) != c.without {
				t.Errorf("error is %v; that it had no effect should be %v", err, c.without)
			}
			is(t, db, p, 2, whereA)
			if n := records(t, db, "blobs WHERE ref LIKE 'new-%'"); c.without && n > 0 {
				t.Errorf("%d blobs are known that came with it", n)
			}
			if !c.without {
				sweepAll(t, db, time.Now().Add(time.Hour))
			}
			expect.Equal(t, "drafts", records(t, db, "drafts"), 0)
			_, _, err = db.Publish().Rearrange(t.Context(), p.ID, change, publish.Edit{Expect: 2})
			expect.Is(t, "again", err, nil)
			is(t, db, p, 3, whereB)
		})
	}
}

// TestRegression41AnotherProcessTakesADraftBack: of two processes, the edit that is made
// wins, and the bytes of the other are neither recorded nor given up. It may be made once
// the lease of the draft has lapsed.
func TestRegression41AnotherProcessTakesADraftBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, other *DB, p sandlot.Project)
		version   int
		want      string
	}{
		"for an edit": {func(t *testing.T, other *DB, p sandlot.Project) {
			f := sandlot.File{Name: "c/x.js", Folded: "c/x.js", Blob: sandlot.Blob{Inline: []byte("x"), Size: 1}}
			_, _, err := other.Publish().PutFile(ctx, p.ID, f, publish.Edit{Expect: 2})
			expect.Is(t, "put file", err, nil)
		}, 3, "map[a:2000 c:1 index.html:1]"},
		"in part": {func(t *testing.T, other *DB, _ sandlot.Project) {
			expect.Is(t, "take back", other.step(ctx, 0, func(x *tx) error {
				d, err := one(ctx, x, scanDraft, selectDraft+"id > 0")
				if err == nil {
					_, err = (&sweep{tx: x, left: 10}).undo(d, "", other.name, other.lease(draftLease))
				}
				return err
			}), nil)
		}, 2, whereA},
		"for one of its own": {func(t *testing.T, other *DB, p sandlot.Project) {
			expect.Is(t, "collect", other.finishDrafts(ctx), nil)
			expect.Is(t, "begin", other.step(ctx, 0, func(x *tx) error {
				_, err := x.beginDraft(p.ID, publish.Change{}, publish.Edit{Expect: 2}, draft{holder: other.name}, time.Now())
				return err
			}), nil)
		}, 2, whereA},
	} {
		t.Run(name, func(t *testing.T) {
			path := testenv.MemoryDir(t) + "/sandlot.db"
			db, p, change := mustOpenFiles(t, path)
			other := mustOpenAt(t, path, func() time.Time { return time.Now().Add(2 * draftLease) })
			steps := 0
			watchSteps(t, db, func(int64) {
				if steps++; steps == len(parts(change))*3/4 {
					c.meanwhile(t, other, p)
				}
			})
			_, _, err := db.Publish().Rearrange(ctx, p.ID, change, publish.Edit{Expect: 2})
			expect.Is(t, "rearrange", err, sandlot.ErrUnavailable)
			if errors.Is(err, sandlot.ErrNoEffect) {
				t.Errorf("%v: but blobs may be recorded", err)
			}
			if most := len(parts(change))*3/4 + 1 + 2*manyFiles/draftStep; steps > most {
				t.Errorf("it went on for %d steps", steps)
			}
			is(t, db, p, c.version, c.want)
			sweepAll(t, db, time.Time{})
			is(t, db, p, c.version, c.want)
			expect.Equal(t, "drafts", records(t, db, "drafts"), 0)
		})
	}
}

// TestADraftIsLeftToTheProcessThatIsAtIt while it has the lease.
func TestADraftIsLeftToTheProcessThatIsAtIt(t *testing.T) {
	t.Parallel()
	path := testenv.MemoryDir(t) + "/sandlot.db"
	db, p, change := mustOpenFiles(t, path)
	other := mustOpenAt(t, path, time.Now)
	steps := 0
	watchSteps(t, db, func(int64) {
		if steps++; steps == len(parts(change))*3/4 {
			d, err := one(t.Context(), other, scanDraft, selectDraft+"id > 0")
			expect.Is(t, "find the draft", err, nil)
			expect.Is(t, "take back", other.undo(t.Context(), d, nil), nil)
		}
	})
	_, _, err := db.Publish().Rearrange(t.Context(), p.ID, change, publish.Edit{Expect: 2})
	expect.Is(t, "rearrange", err, nil)
	is(t, db, p, 3, whereB)
}

// TestRegression41WhatHasBegunWaitsForRoom: a rearrangement is not given up, and what is
// left of one not left for later, because many wait for a moment.
func TestRegression41WhatHasBegunWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		room := begun.Add(patience * 3 / 2)
		step := func() error {
			if time.Now().Before(room) {
				return sandlot.NoEffect(engine.ErrTooMany)
			}
			return nil
		}
		err := patiently(t.Context(), step)
		expect.Is(t, "while too many wait", err, engine.ErrTooMany)
		expect.Is(t, "while too many wait", err, sandlot.ErrNoEffect)
		expect.Equal(t, "time", time.Since(begun), patience)
		expect.Is(t, "once fewer do", patiently(t.Context(), step), nil)
	})
}
