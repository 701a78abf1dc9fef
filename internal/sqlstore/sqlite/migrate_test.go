package sqlite

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"sandlot/internal/expect"
)

func TestMigrations(t *testing.T) {
	t.Run("are numbered without gaps", func(t *testing.T) {
		if _, err := knownMigrations(); err != nil {
			t.Error(err)
		}
		for _, names := range [][]string{{"0002_b.sql"}, {"0001_a.sql", "0003_c.sql"}, {"0001_a.sql", "0001_b.sql"}, {"first.sql"}} {
			files := fstest.MapFS{}
			for _, n := range names {
				files["m/"+n] = &fstest.MapFile{}
			}
			if _, err := loadMigrations(files, "m"); err == nil {
				t.Errorf("%v was loaded", names)
			}
		}
	})

	t.Run("half a migration rolls back", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "sandlot.db")
		db := mustOpen(t, path)
		mustExec(t, db, "INSERT INTO accounts (id, handle, email, verified, lang, created_at) VALUES (1, 'kim', '', 0, '', 0)")
		known, err := knownMigrations()
		expect.OK(t, err)
		second := migration{n: len(known) + 1, name: "0099_second.sql", sql: "CREATE TABLE second (x INTEGER) STRICT; UPDATE accounts SET handle = 'changed'; INSERT INTO nowhere VALUES (1)"}
		if err := db.migrate(t.Context(), path, append(known, second)); err == nil || !strings.Contains(err.Error(), "0099_second.sql") {
			t.Errorf("the migration that cannot be done: error is %v", err)
		}
		handle, err := value[string](t.Context(), db.read, "SELECT handle FROM accounts")
		expect.Is(t, "read", err, nil)
		expect.Equal(t, "the handle", handle, "kim")
		expect.Equal(t, "tables of it", count(t, db, "SELECT count(*) FROM sqlite_schema WHERE name = 'second'"), 0)

		second.sql = "CREATE TABLE second (x INTEGER) STRICT; UPDATE accounts SET handle = 'changed'"
		expect.Is(t, "the migration, mended", db.migrate(t.Context(), path, append(known, second)), nil)
		expect.Is(t, "the migration, again", db.migrate(t.Context(), path, append(known, second)), nil)
		expect.Equal(t, "migrations", count(t, db, "SELECT count(*) FROM migrations"), len(known)+1)
		expect.Equal(t, "tables of it", count(t, db, "SELECT count(*) FROM sqlite_schema WHERE name = 'second'"), 1)
	})
}

func count(t *testing.T, db *Engine, query string) int {
	t.Helper()
	n, err := value[int](t.Context(), db.read, query)
	expect.OK(t, err)
	return n
}
