package sqlstore

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// filledServer is a database on a server that has rows of all kinds, which refer to nothing.
func filledServer(t *testing.T, at func(*testing.T) place) *DB {
	t.Helper()
	from := at(t).opened(t, Options{Filling: true})
	expect.OK(t, from.step(t.Context(), 0, func(x *tx) error { return from.mover.SetAside(x, movedTables) }))
	(&rows{Rand: rand.New(rand.NewPCG(1, 2)), db: from}).fill(t, 12)
	expect.OK(t, from.step(t.Context(), 0, func(x *tx) error { return from.mover.Give(x, tableOf(t, "jobs"), goneJob) }))
	return from
}

func nothing(*tx) error { return nil }

func TestACopyOfADatabaseOnAServer(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func(*testing.T) place{"": postgresPlace, ", through a pooler": pgbouncerPlace} {
		t.Run("has every row as it is, and goes on with its numbers"+name, func(t *testing.T) { copyOfRows(t, filledServer(t, at)) })
	}
	t.Run("is of one moment, while others write", func(t *testing.T) {
		from := filledServer(t, postgresPlace)
		first, last := movedTables[0], movedTables[len(movedTables)-1]
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		written, ended := make(chan int, 1_000_000), make(chan error, 1)
		go func() {
			r := &rows{Rand: rand.New(rand.NewPCG(3, 4)), db: from, next: 1 << 32, few: 12}
			for n := 1; ctx.Err() == nil; n++ {
				err := from.step(context.Background(), 0, func(x *tx) error {
					for _, table := range []int{0, len(movedTables) - 1} {
						table := movedTables[table]
						if err := r.insert(x, table, r.row(table, nil, int64(1000+n))); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					ended <- err
					return
				}
				written <- n
			}
			ended <- nil
		}()
		<-written
		for i := range 5 {
			before := len(written)
			path := filepath.Join(testenv.MemoryDir(t), fmt.Sprint("copy", i, ".db"))
			expect.OK(t, from.CopyTo(t.Context(), path))
			to, err := OpenSQLite(t.Context(), path, Options{Existing: true})
			expect.OK(t, err)
			one := all1(t, to, "SELECT count(*) FROM "+first.Name)[0]
			expect.Equal(t, "rows of "+last.Name, all1(t, to, "SELECT count(*) FROM "+last.Name)[0], one)
			expect.OK(t, to.Close())
			if len(written) == before {
				<-written // nothing was written meanwhile: then something is now
			}
		}
		stop()
		expect.OK(t, <-ended)
	})
	t.Run("leaves nothing behind when it fails, and another's file alone", func(t *testing.T) {
		from := filledServer(t, postgresPlace)
		dir := testenv.MemoryDir(t)
		path := filepath.Join(dir, "copy.db")
		err := from.copyRows(t.Context(), path, func(*tx) error { return fault(1) })
		expect.Is(t, "a copy that fails at its end", err, fault(1))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		expect.Is(t, "with a context that has ended", from.CopyTo(ctx, path), context.Canceled)
		left, err := os.ReadDir(dir)
		expect.OK(t, err)
		expect.Equal(t, "files that are left", len(left), 0)
		expect.OK(t, os.WriteFile(path, []byte("somebody's"), 0o600))
		expect.Is(t, "onto a file", from.CopyTo(t.Context(), path), fs.ErrExist)
		text, err := os.ReadFile(path)
		expect.OK(t, err)
		expect.Equal(t, "the file", string(text), "somebody's")
		expect.OK(t, os.Remove(path))
		from.left = &Left{To: "elsewhere"}
		if err := from.CopyTo(t.Context(), path); err == nil || !strings.Contains(err.Error(), "have moved to elsewhere") {
			t.Errorf("a copy of records that have moved: %v", err)
		}
	})
}

func copyOfRows(t *testing.T, from *DB) {
	t.Helper()
	path := filepath.Join(testenv.MemoryDir(t), "copy.db")
	expect.OK(t, from.copyRows(t.Context(), path, nothing))
	info, err := os.Stat(path)
	expect.OK(t, err)
	expect.Equal(t, "mode", info.Mode().Perm(), fs.FileMode(0o600))
	to, err := OpenSQLite(t.Context(), path, Options{Existing: true})
	expect.OK(t, err)
	defer func() { expect.OK(t, to.Close()) }()
	sameRows(t, dump(t, to), dump(t, from))
	given, err := to.given(t.Context())
	expect.OK(t, err)
	expect.Equal(t, "the last number of a job", given["jobs"], goneJob)
	expect.Same(t, "triggers", all1(t, to, "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1"), all1(t, sqlitePlace(t).opened(t, Options{}), "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1"))
}
