package sqlite

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
	"sandlot/internal/testkit/testenv"
)

// later returns the migrations of a later release, with these texts beside those of today.
func later(t *testing.T, texts ...string) []engine.Migration {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	expect.OK(t, err)
	for _, name := range names {
		text, err := migrationFiles.ReadFile(name)
		expect.OK(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	for i, text := range texts {
		files[migrationName(len(names)+i+1)] = &fstest.MapFile{Data: []byte(text)}
	}
	list, err := engine.LoadMigrations(files, "migrations")
	expect.OK(t, err)
	return list
}

func migrationName(n int) string { return fmt.Sprintf("migrations/%04d_later.sql", n) }

// today is the newest schema.
func today(t *testing.T) int { return len(later(t)) }

// expansion is a migration that the release of today need not know.
const expansion = "-- oldest: 1\nALTER TABLE accounts ADD COLUMN later TEXT NOT NULL DEFAULT 'none'; CREATE TABLE later (n INTEGER) STRICT;"

// openAs opens a database with a release that has these migrations, until the test ends.
func openAs(t *testing.T, path string, known []engine.Migration) *Engine {
	t.Helper()
	e, err := open(t.Context(), path, Options{Brief: []string{"day_salts", "never_a_table"}}, known)
	expect.OK(t, err)
	t.Cleanup(func() { expect.OK(t, e.Close()) })
	return e
}

// landed returns the path of a database of today with records.
func landed(t *testing.T) string {
	t.Helper()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	db := openAs(t, path, later(t))
	for _, query := range append([]string{"INSERT INTO day_salts (day, salt) VALUES (1, zeroblob(32))"}, storetest.Landed...) {
		mustExec(t, db, query)
	}
	expect.OK(t, db.Close())
	return path
}

func TestTheReleaseBeforeStartsAgainAfterAnUpgrade(t *testing.T) {
	path := landed(t)
	now, next := later(t), later(t, expansion, "-- oldest: 1\nCREATE TABLE more (n INTEGER) STRICT;")
	db := openAs(t, path, next)
	mustExec(t, db, "INSERT INTO accounts (id, handle, email, verified, lang, created_at, later) VALUES (2, 'lee', '', 0, '', 0, 'said')")
	expect.OK(t, db.Close())

	db = openAs(t, path, now)
	handles, err := values[string](t.Context(), db.read, "SELECT handle FROM accounts ORDER BY id")
	expect.OK(t, err)
	expect.Same(t, "accounts of the release before", handles, []string{"kim", "lee"})
	mustExec(t, db, "INSERT INTO accounts (id, handle, email, verified, lang, created_at) VALUES (3, 'max', '', 0, '', 0)")
	expect.OK(t, db.Close())

	db = openAs(t, path, next)
	said, err := values[string](t.Context(), db.read, "SELECT handle || ' ' || later FROM accounts ORDER BY id")
	expect.OK(t, err)
	expect.Same(t, "accounts of the next release", said, []string{"kim none", "lee said", "max none"})
	expect.OK(t, db.Close())

	drop := fmt.Sprintf("-- oldest: %d, v0.2.0 writes later\nDROP TABLE more;", today(t)+1)
	expect.OK(t, openAs(t, path, later(t, expansion, "-- oldest: 1\nCREATE TABLE more (n INTEGER) STRICT;", drop)).Close())
	if _, err = open(t.Context(), path, Options{}, now); err == nil {
		t.Fatal("a release was let in that is too old")
	}
	expect.Contains(t, "the error", err.Error(), fmt.Sprintf("(its schema is %d, for programs that know %d; this one knows %d); nothing was changed, "+
		"start the newer one, or a copy from before its upgrade", today(t)+3, today(t)+1, today(t)))
	openAs(t, path, later(t, expansion))
}

func TestACopyFromBeforeAnUpgradeLiesBesideTheDatabase(t *testing.T) {
	beside := func(t *testing.T, path string) (names []string) {
		t.Helper()
		for _, name := range copies(path) {
			names = append(names, filepath.Base(name))
		}
		return names
	}
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	upgrade := func(ctx context.Context, path string, known []engine.Migration) error {
		e, err := open(ctx, path, Options{Brief: []string{"day_salts"}, Now: func() time.Time { return at }}, known)
		if err == nil {
			err = e.Close()
		}
		return err
	}

	t.Run("with what it had, on which the release before starts", func(t *testing.T) {
		path := landed(t)
		expect.OK(t, upgrade(t.Context(), path, later(t, expansion)))
		expect.Same(t, "copies", beside(t, path), []string{fmt.Sprintf("sandlot.db.schema-%d.20270102T030405Z", today(t))})
		info, err := os.Stat(copies(path)[0])
		expect.OK(t, err)
		expect.Equal(t, "mode", info.Mode().Perm(), 0o600)
		db := openAs(t, copies(path)[0], later(t))
		got, err := values[string](t.Context(), db.read, storetest.ReadLanded)
		expect.OK(t, err)
		expect.Same(t, "its records", got, []string{storetest.LandedRead})
		expect.Equal(t, "salts of days", count(t, db, "SELECT count(*) FROM day_salts"), 0)
		expect.Equal(t, "faults", len(must(db.Damage(t.Context(), 9, ""))), 0)
	})

	t.Run("only where there are records, and a migration is due", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		expect.OK(t, upgrade(t.Context(), path, later(t)))
		expect.OK(t, upgrade(t.Context(), path, later(t)))
		expect.Equal(t, "copies", len(beside(t, path)), 0)
	})

	t.Run("once for each schema, however often the migration fails", func(t *testing.T) {
		path := landed(t)
		for range 3 {
			at = at.Add(time.Minute)
			if err := upgrade(t.Context(), path, later(t, "INSERT INTO nowhere VALUES (1)")); err == nil {
				t.Fatal("a migration succeeded that cannot")
			}
		}
		expect.Same(t, "copies", beside(t, path), []string{fmt.Sprintf("sandlot.db.schema-%d.%s", today(t), at.Format(copyTime))})
		expect.OK(t, upgrade(t.Context(), path, later(t)))
	})

	t.Run("and none by halves: a start that ends meanwhile changes nothing, and the next goes on", func(t *testing.T) {
		path := landed(t)
		for _, left := range []string{"", "-journal"} {
			expect.OK(t, os.WriteFile(path+".schema-9.20260101T000000Z.partial"+left, []byte("half"), 0o600))
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		expect.Is(t, "the start", upgrade(ctx, path, later(t, expansion)), context.Canceled)
		expect.OK(t, upgrade(t.Context(), path, later(t)))
		expect.OK(t, upgrade(t.Context(), path, later(t, expansion)))
		expect.Same(t, "copies", beside(t, path), []string{fmt.Sprintf("sandlot.db.schema-%d.%s", today(t), at.Format(copyTime))})
	})

	t.Run("until it is old", func(t *testing.T) {
		path := landed(t)
		expect.OK(t, upgrade(t.Context(), path, later(t, expansion)))
		other := path + ".schema-mine"
		expect.OK(t, os.WriteFile(other, nil, 0o600))
		expect.OK(t, DropCopies(path, at))
		expect.Equal(t, "copies of that moment", len(beside(t, path)), 2)
		expect.OK(t, DropCopies(path, at.Add(time.Second)))
		expect.Same(t, "files left", beside(t, path), []string{strings.TrimPrefix(other, filepath.Dir(path)+"/")})
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
