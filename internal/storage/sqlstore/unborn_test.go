package sqlstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// manyNew is a project of many files, two of each three in Blobs, that comes with its account
// if that is what new says. Each fifth file has the content of the one before.
func manyNew(t *testing.T, db *DB, new bool) publish.NewProject {
	t.Helper()
	np := benchProject(7, []byte("<p>"))
	if new {
		na := benchAccount(7)
		np.New = &na
	} else {
		a, err := db.Publish().CreateAccount(t.Context(), benchAccount(7))
		expect.OK(t, err)
		np.Account = a.ID
	}
	for i := range manyFiles {
		name := fmt.Sprintf("a/%d.js", i)
		b := sandlot.Blob{Ref: sandlot.BlobRef("new-" + name), Size: 5, SHA256: sha256.Sum256([]byte(name)), Checkpoints: "points"}
		switch {
		case i%5 == 4:
			b = np.Files[len(np.Files)-1].Blob
		case i%3 == 0:
			b = sandlot.Blob{Inline: []byte("new-" + name), Size: int64(4 + len(name)), SHA256: b.SHA256}
		}
		np.Files = append(np.Files, sandlot.File{Name: name, Folded: name, Blob: b})
	}
	later := publish.Change{Drop: np.Files[1:100], Put: []sandlot.File{{Name: "b.js", Folded: "b.js", Blob: sandlot.Blob{Ref: "new-b", Size: 1}}}}
	np.Later = []publish.LaterVersion{{Change: later, At: time.Now(), Suffix: "later"}}
	return np
}

const whereNew = "map[a:1901 b.js:1 index.html:1]"

// made are records that come with a new project, and nothing else has.
func made(t *testing.T, db *DB) string {
	t.Helper()
	n := map[string]int64{}
	for _, what := range []string{"drafts", "files", "versions", "contents", "checkpoints", "blobs", "once", "handles", "keys", "jobs"} {
		n[what] = records(t, db, what)
	}
	n["accounts"] = records(t, db, "accounts WHERE deleted_at IS NULL")
	n["projects"] = records(t, db, "projects WHERE deleted_at IS NULL")
	n["bytes"] = records(t, db, "accounts WHERE bytes > 0")
	return fmt.Sprint(n)
}

// TestACrashLeavesNothingOfANewProject: at whatever step of it the power fails.
func TestACrashLeavesNothingOfANewProject(t *testing.T) {
	t.Parallel()
	for name, new := range map[string]bool{"of an account": false, "with its account": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := testenv.MemoryDir(t) + "/sandlot.db"
			db := mustOpen(t, path)
			np := manyNew(t, db, new)
			before := made(t, db)
			var crashed []string
			most, steps := int64(0), 0
			watchSteps(t, db, func(rows int64) {
				if steps++; steps%9 == 1 || steps == 22 {
					crashed = append(crashed, copyDatabase(t, path))
				}
				most = max(most, rows)
			})
			p, err := db.Publish().CreateProject(t.Context(), np)
			expect.OK(t, err)
			is(t, db, p, 2, whereNew)
			if most > draftRows || len(crashed) < 3 {
				t.Errorf("of %d steps one changed %d rows; %d were looked at", steps, most, len(crashed))
			}
			for i, path := range crashed {
				again := mustRestart(t, path)
				sweepAll(t, again, time.Now().Add(time.Hour))
				expect.Equal(t, fmt.Sprint("what is left of crash ", i), made(t, again), before)
				p, err := again.Publish().CreateProject(t.Context(), np)
				expect.OK(t, err)
				is(t, again, p, 2, whereNew)
			}
		})
	}
}

// TestAnotherProcessLeavesANewProjectThatIsBeingRecorded: unless its lease has lapsed.
func TestAnotherProcessLeavesANewProjectThatIsBeingRecorded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ahead time.Duration
		want  error
	}{"while it is leased": {0, nil}, "and takes back one whose lease has lapsed": {2 * draftLease, sandlot.ErrUnavailable}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := testenv.MemoryDir(t) + "/sandlot.db"
			db := mustOpen(t, path)
			np := manyNew(t, db, true)
			before := made(t, db)
			other := mustOpenAt(t, path, func() time.Time { return time.Now().Add(c.ahead) })
			steps := 0
			watchSteps(t, db, func(int64) {
				if steps++; steps == 15 {
					expect.OK(t, other.finishDrafts(context.Background()))
				}
			})
			p, err := db.Publish().CreateProject(t.Context(), np)
			expect.Is(t, "create", err, c.want)
			if c.want == nil {
				is(t, db, p, 2, whereNew)
				return
			}
			if errors.Is(err, sandlot.ErrNoEffect) {
				t.Errorf("%v: but blobs may be recorded", err)
			}
			sweepAll(t, db, time.Now().Add(time.Hour))
			expect.Equal(t, "what is left", made(t, db), before)
		})
	}
}

// TestNothingSeesANewProjectThatIsBeingRecorded: neither who makes variants, nor a backup.
func TestNothingSeesANewProjectThatIsBeingRecorded(t *testing.T) {
	t.Parallel()
	dir := testenv.MemoryDir(t)
	db := mustOpen(t, filepath.Join(dir, "sandlot.db"))
	np := manyNew(t, db, true)
	before := made(t, db)
	path, steps := filepath.Join(dir, "copy.db"), 0
	watchSteps(t, db, func(int64) {
		if steps++; steps == 15 {
			list, err := db.Variants().Unsqueezed(context.Background(), nil, 9)
			expect.OK(t, err)
			expect.Equal(t, "files that wait for variants", len(list), 0)
			expect.OK(t, db.CopyTo(context.Background(), path))
		}
	})
	_, err := db.Publish().CreateProject(t.Context(), np)
	expect.OK(t, err)
	copied := mustOpen(t, path)
	expect.Equal(t, "what a copy has", made(t, copied), before)
	p, err := copied.Publish().CreateProject(t.Context(), np)
	expect.OK(t, err)
	is(t, copied, p, 2, whereNew)
}
