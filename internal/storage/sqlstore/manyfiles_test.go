package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/sqlstore/sqlite"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const manyFiles = 2000

// lettered are many files with a letter in their names, and in those of their blobs.
func lettered(letter string) (list []sandlot.File) {
	for i := range manyFiles {
		name := fmt.Sprint(letter, "/", i)
		list = append(list, sandlot.File{Name: name, Folded: name, Blob: sandlot.Blob{Ref: sandlot.BlobRef(name), Size: 3}})
	}
	return list
}

// state is a project's version with its first and last file, where all are there.
func state(t *testing.T, db *DB) string {
	t.Helper()
	p, err := db.Publish().Project(t.Context(), "pong")
	if errors.Is(err, sandlot.ErrNotFound) {
		expect.Equal(t, "files", records(t, db, "files"), 0)
		expect.Equal(t, "blobs", records(t, db, "blobs"), 0)
		return "none"
	}
	expect.OK(t, err)
	list, err := db.Publish().Files(t.Context(), p.ID, p.Version)
	expect.OK(t, err)
	expect.Equal(t, "files", len(list), manyFiles)
	for _, find := range []func(context.Context, int64, int) error{
		func(ctx context.Context, after int64, limit int) error {
			found, _, _, err := db.Upkeep().Mistakes(ctx, after, limit)
			expect.Equal(t, "mistakes of projects", fmt.Sprint(found), "[]")
			return err
		},
		func(ctx context.Context, after int64, limit int) error {
			found, _, _, err := db.Upkeep().AccountMistakes(ctx, after, limit)
			expect.Equal(t, "mistakes of accounts", fmt.Sprint(found), "[]")
			return err
		},
	} {
		expect.OK(t, find(t.Context(), 0, 10))
	}
	return fmt.Sprint(p.Version, " from ", list[0].Name, " to ", list[manyFiles-1].Name)
}

// TestRegression41AVersionOfManyFilesIsThereWhollyOrNotAtAll makes each of them on a full disk
// first, and then in one commit.
func TestRegression41AVersionOfManyFilesIsThereWhollyOrNotAtAll(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, testenv.MemoryDir(t)+"/sandlot.db")
	a, err := db.Publish().CreateAccount(t.Context(), benchAccount(0))
	expect.OK(t, err)
	commits, full := 0, false
	expect.OK(t, db.step(t.Context(), nil, func(x *tx) error {
		x.Tx.(*sqlite.Tx).OnCommit(func(commit func() error) error {
			if commits++; full {
				return fault(sqlite3.SQLITE_FULL)
			}
			return commit()
		})
		return nil
	}))
	was := "none"
	for _, c := range []struct {
		now  string
		make func() error
	}{
		{"1 from a/0 to a/999", func() error {
			_, err := db.Publish().CreateProject(t.Context(), publish.NewProject{ID: "pong", Account: a.ID, Files: lettered("a"), Primary: "a/7"})
			return err
		}},
		{"2 from b/0 to b/999", func() error {
			_, err := db.Publish().Rearrange(t.Context(), "pong", publish.Change{Drop: lettered("a"), Put: lettered("b"), Primary: "b/7"}, publish.Edit{Expect: 1})
			return err
		}},
		{"3 from a/0 to a/999", func() error {
			first, err := db.Publish().Files(t.Context(), "pong", 1)
			expect.OK(t, err)
			_, err = db.Publish().Rearrange(t.Context(), "pong", publish.Change{Drop: lettered("b"), Put: first, Primary: "a/7"}, publish.Edit{Expect: 2})
			return err
		}},
	} {
		full = true
		err := c.make()
		expect.Is(t, c.now, err, sandlot.ErrFull)
		expect.Is(t, c.now, err, sandlot.ErrNoEffect)
		expect.Equal(t, "on the full disk", state(t, db), was)
		full, commits = false, 0
		expect.OK(t, c.make())
		expect.Equal(t, "commits", commits, 1)
		expect.Equal(t, "then", state(t, db), c.now)
		was = c.now
	}
}
