package sqlstore

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestCopyTo(t *testing.T) {
	t.Parallel()
	t.Run("is one moment's state, while writes go on", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		db := mustOpen(t, filepath.Join(dir, "sandlot.db"))
		p := mustProject(t, db, 1)
		ended := make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			var err error
			for p := p; ctx.Err() == nil && err == nil; {
				f := sandlot.File{Name: "a.js", Folded: "a.js", Blob: sandlot.Blob{Inline: make([]byte, 10_000), Size: 10_000}}
				p, err = db.Publish().PutFile(context.Background(), p.ID, f, publish.Edit{Expect: p.Version, Suffix: "next"})
			}
			ended <- err
		}()
		path := filepath.Join(dir, "copy.db")
		expect.Is(t, "copy", db.CopyTo(t.Context(), path), nil)
		stop()
		expect.Is(t, "write", <-ended, nil)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		copied := mustOpen(t, path)
		mistakes, seen, _, err := copied.Upkeep().Mistakes(t.Context(), 0, 9)
		if err != nil || seen != 1 || len(mistakes) != 0 {
			t.Errorf("of %d projects: %v, %v", seen, mistakes, err)
		}
		damage, err := copied.Upkeep().Damage(t.Context(), 9)
		if err != nil || len(damage) != 0 {
			t.Errorf("%v, %v", damage, err)
		}
	})
	t.Run("has what is yet to be used, or taken back", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		db := mustOpen(t, filepath.Join(dir, "sandlot.db"))
		p, at := mustProject(t, db, 1), time.Now().UTC().Truncate(time.Microsecond)
		ticketed := sandlot.Ticket{Hash: sandlot.Digest{1}, Owner: sandlot.Digest{2}, Told: []byte("told"), ExpiresAt: at.Add(time.Hour)}
		expect.OK(t, db.Tickets().AddTicket(t.Context(), ticketed, ticket.Most{1, 1, 1}))
		err := db.Publish().Trash(t.Context(), p.ID, 0, sandlot.LogEntry{At: at, Target: string(p.ID)})
		expect.OK(t, err)
		path := filepath.Join(dir, "copy.db")
		expect.OK(t, db.CopyTo(t.Context(), path))
		copied := mustOpen(t, path)
		got, _, err := copied.Credentials().Ticket(t.Context(), ticketed.Hash, at)
		expect.OK(t, err)
		expect.Same(t, "ticket", got, ticketed)
		list, err := copied.Publish().Trashed(t.Context(), publish.TrashQuery{Project: p.ID, Limit: 1})
		if err != nil || len(list) != 1 || !list[0].DeletedAt.Equal(at) {
			t.Errorf("deleted projects are %+v, %v", list, err)
		}
	})
	t.Run("leaves a file that is there alone, and none behind when it fails", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		db := mustOpen(t, filepath.Join(dir, "sandlot.db"))
		path := filepath.Join(dir, "copy.db")
		expect.OK(t, os.WriteFile(path, []byte("somebody's"), 0o600))
		expect.Is(t, "onto a file", db.CopyTo(t.Context(), path), fs.ErrExist)
		if text, err := os.ReadFile(path); err != nil || string(text) != "somebody's" {
			t.Errorf("the file is %q, %v", text, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		path = filepath.Join(dir, "other.db")
		expect.Is(t, "with a context that has ended", db.CopyTo(ctx, path), context.Canceled)
		_, err := os.Stat(path)
		expect.Is(t, "left behind", err, fs.ErrNotExist)
	})
}

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
				err := from.step(context.Background(), nil, func(x *tx) error {
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
