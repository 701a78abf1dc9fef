package sqlite

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
	"sandlot/internal/testkit/testenv"
)

func TestMigrations(t *testing.T) {
	t.Run("are those of the folder", func(t *testing.T) {
		if list, err := knownMigrations(); err != nil || len(list) < 2 {
			t.Errorf("%d migrations, %v", len(list), err)
		}
	})

	t.Run("half a migration rolls back", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		db := mustOpen(t, path)
		mustExec(t, db, "INSERT INTO accounts (id, handle, email, verified, lang, created_at) VALUES (1, 'kim', '', 0, '', 0)")
		known, err := knownMigrations()
		expect.OK(t, err)
		second := engine.Migration{N: len(known) + 1, Name: "0099_second.sql", SQL: "CREATE TABLE second (x INTEGER) STRICT; UPDATE accounts SET handle = 'changed'; INSERT INTO nowhere VALUES (1)"}
		if err := db.migrate(t.Context(), path, append(known, second)); err == nil || !strings.Contains(err.Error(), "0099_second.sql") {
			t.Errorf("the migration that cannot be done: error is %v", err)
		}
		handle, err := value[string](t.Context(), db.read, "SELECT handle FROM accounts")
		expect.Is(t, "read", err, nil)
		expect.Equal(t, "the handle", handle, "kim")
		expect.Equal(t, "tables of it", count(t, db, "SELECT count(*) FROM sqlite_schema WHERE name = 'second'"), 0)

		second.SQL = "CREATE TABLE second (x INTEGER) STRICT; UPDATE accounts SET handle = 'changed'"
		expect.Is(t, "the migration, mended", db.migrate(t.Context(), path, append(known, second)), nil)
		expect.Is(t, "the migration, again", db.migrate(t.Context(), path, append(known, second)), nil)
		expect.Equal(t, "migrations", count(t, db, "SELECT count(*) FROM migrations"), len(known)+1)
		expect.Equal(t, "tables of it", count(t, db, "SELECT count(*) FROM sqlite_schema WHERE name = 'second'"), 1)
	})

	t.Run("a move of the release before that has not ended is not dropped", func(t *testing.T) {
		db, path, known := before(t, "_moved.sql")
		mustExec(t, db, "INSERT INTO moving VALUES (1, x'00', 'from', 'left', '', 'there', x'00', 1)")
		if err := db.migrate(t.Context(), path, known); err == nil || !strings.Contains(err.Error(), "end it with the release before") {
			t.Errorf("the migration: %v", err)
		}
		mustExec(t, db, "DELETE FROM moving")
		expect.OK(t, db.migrate(t.Context(), path, known))
	})

	for _, u := range storetest.Upgrades {
		t.Run(u.Name, func(t *testing.T) {
			db, path, known := before(t, u.Migration)
			for _, query := range u.Before {
				mustExec(t, db, query)
			}
			expect.OK(t, db.migrate(t.Context(), path, known))
			for query, want := range u.After {
				got, err := values[string](t.Context(), db.read, query)
				expect.OK(t, err)
				expect.Equal(t, query, strings.Join(got, " "), want)
			}
		})
	}
}

// TestEverySchemaIsUpgraded starts from each schema that ever was, with records.
func TestEverySchemaIsUpgraded(t *testing.T) {
	known, err := knownMigrations()
	expect.OK(t, err)
	for n := 1; n <= len(known); n++ {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		before, err := open(t.Context(), path, Options{}, known[:n])
		expect.OK(t, err)
		for _, query := range storetest.Landed {
			mustExec(t, before, query)
		}
		expect.OK(t, before.Close())
		after, err := open(t.Context(), path, Options{}, known)
		expect.OK(t, err)
		got, err := values[string](t.Context(), after.read, storetest.ReadLanded)
		expect.OK(t, err)
		expect.Equal(t, fmt.Sprint("the file of schema ", n), strings.Join(got, " "), storetest.LandedRead)
		expect.OK(t, after.Close())
	}
}

// before returns a database of the release before a migration, and the migrations that are known.
func before(t *testing.T, migration string) (*Engine, string, []engine.Migration) {
	t.Helper()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	known, err := knownMigrations()
	expect.OK(t, err)
	n := slices.IndexFunc(known, func(m engine.Migration) bool { return strings.HasSuffix(m.Name, migration) })
	expect.OK(t, prepareFile(t.Context(), path, known[:n]))
	db := &Engine{now: time.Now}
	expect.OK(t, db.connect(t.Context(), path, Options{CacheBytes: cacheBytes}))
	t.Cleanup(func() { expect.OK(t, db.Close()) })
	expect.OK(t, db.migrate(t.Context(), path, known[:n]))
	return db, path, known
}

func count(t *testing.T, db *Engine, query string) int {
	t.Helper()
	n, err := value[int](t.Context(), db.read, query)
	expect.OK(t, err)
	return n
}
