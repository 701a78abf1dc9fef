package sqlstore

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestACopyOfADatabaseOnAServer(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func(*testing.T) *DB{"": newPostgres, ", through a pooler": newPgbouncer} {
		t.Run("has every row as it is, and goes on with its numbers"+name, func(t *testing.T) { copyOfRows(t, filled(t, at(t))) })
	}
	t.Run("is of one moment, while others write", func(t *testing.T) {
		from := newPostgres(t)
		first, last := movedTables[0].Name, "day_salts"
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		written, ended := make(chan int, 1_000_000), make(chan error, 1)
		go func() {
			for n := 1; ctx.Err() == nil; n++ {
				err := from.step(context.Background(), 0, func(x *tx) error {
					if err := x.do("INSERT INTO secrets (name, value) VALUES (?, ?)", fmt.Sprint(n), []byte{1}); err != nil {
						return err
					}
					return x.do("INSERT INTO day_salts (day, salt) VALUES (?, ?)", n, []byte{1})
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
			expect.OK(t, from.copyRows(t.Context(), path, nothing))
			to := opened(t)(OpenSQLite(t.Context(), path, Options{Existing: true}))
			one := texts(t, to, "SELECT count(*) FROM "+first)[0]
			expect.Equal(t, "rows of "+last, texts(t, to, "SELECT count(*) FROM "+last)[0], one)
			if len(written) == before {
				<-written // nothing was written meanwhile: then something is now
			}
		}
		stop()
		expect.OK(t, <-ended)
	})
	t.Run("leaves nothing behind when it fails, and another's file alone", func(t *testing.T) {
		from := newPostgres(t)
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
	})
}

func nothing(*tx) error { return nil }

func copyOfRows(t *testing.T, from *DB) {
	t.Helper()
	path := filepath.Join(testenv.MemoryDir(t), "copy.db")
	expect.OK(t, from.copyRows(t.Context(), path, nothing))
	info, err := os.Stat(path)
	expect.OK(t, err)
	expect.Equal(t, "mode", info.Mode().Perm(), fs.FileMode(0o600))
	to := opened(t)(OpenSQLite(t.Context(), path, Options{Existing: true}))
	sameRecords(t, to, from)
	triggers := "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1"
	expect.Same(t, "triggers", texts(t, to, triggers), texts(t, newSQLite(t), triggers))
}
