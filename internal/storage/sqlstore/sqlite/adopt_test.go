package sqlite

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/storage/sqlstore/engine"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// oldMigrations are those of before the baseline, as they were.
func oldMigrations(t *testing.T) []engine.Migration {
	t.Helper()
	list, err := engine.LoadMigrations(os.DirFS("testdata"), "before")
	expect.OK(t, err)
	return list
}

// mustOld makes a database as the first of the old migrations made it, with a row in
// each table.
func mustOld(t *testing.T, path string, migrations []engine.Migration) {
	t.Helper()
	db := mustRaw(t, path)
	defer db.Close()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	exec("CREATE TABLE migrations (n INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 BLOB NOT NULL, applied_at INTEGER NOT NULL) STRICT")
	for _, m := range migrations {
		exec(m.SQL)
		exec("INSERT INTO migrations (n, name, sha256, applied_at) VALUES (?, ?, ?, 0)", m.N, m.Name, m.Sum[:])
	}
	for _, table := range tables(t, db) {
		if table == "migrations" {
			continue
		}
		var columns, values []string
		for _, c := range rows(t, db, "SELECT name || ' ' || type FROM pragma_table_xinfo(?) WHERE hidden = 0", table) {
			name, kind, _ := strings.Cut(c, " ")
			columns = append(columns, name)
			values = append(values, map[string]string{"INTEGER": "1", "TEXT": "'" + name + "'", "BLOB": "x'0102'", "": "'" + name + "'"}[kind])
			if name == "until" { // of files, after its since
				values[len(values)-1] = "2"
			}
		}
		exec("INSERT OR REPLACE INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")")
	}
}

func mustRaw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	expect.OK(t, err)
	db.SetMaxOpenConns(1)
	return db
}

func rows(t *testing.T, db *sql.DB, query string, args ...any) (list []string) {
	t.Helper()
	found, err := db.QueryContext(context.Background(), query, args...)
	expect.OK(t, err, query)
	defer found.Close()
	for found.Next() {
		var s string
		expect.OK(t, found.Scan(&s))
		list = append(list, s)
	}
	return list
}

// tables are those that hold records; listings was another form of what projects and accounts have.
func tables(t *testing.T, db *sql.DB) []string {
	return rows(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'listings%' ORDER BY name")
}

// schema tells of everything in a database what it is, without how it is laid out.
func schema(t *testing.T, path string) []string {
	t.Helper()
	db := mustRaw(t, path)
	defer db.Close()
	list := rows(t, db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
	for i, s := range list {
		list[i] = regexp.MustCompile(`[\s"]+`).ReplaceAllString(s, "")
	}
	slices.Sort(list)
	return list
}

func TestAdoptionOfADatabaseOfBefore(t *testing.T) {
	old := oldMigrations(t)
	t.Run("it has the schema of a new one", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		mustOld(t, dir+"/old.db", old)
		expect.Is(t, "close", mustOpenFile(t, dir+"/old.db").Close(), nil)
		expect.Is(t, "close", mustOpenFile(t, dir+"/new.db").Close(), nil)
		if got, want := schema(t, dir+"/old.db"), schema(t, dir+"/new.db"); !slices.Equal(got, want) {
			for _, s := range got {
				if !slices.Contains(want, s) {
					t.Errorf("only in the adopted one: %s", s)
				}
			}
			for _, s := range want {
				if !slices.Contains(got, s) {
					t.Errorf("only in the new one: %s", s)
				}
			}
		}
		both := [2]string{}
		for i, name := range []string{"old.db", "new.db"} {
			db := mustRaw(t, filepath.Join(dir, name))
			both[i] = strings.Join(rows(t, db, "SELECT n || name || hex(sha256) FROM migrations"), " ")
			expect.Is(t, "close", db.Close(), nil)
		}
		expect.Equal(t, "what is recorded of migrations", both[0], both[1])
	})
	t.Run("every record is kept", func(t *testing.T) {
		path := testenv.MemoryDir(t) + "/old.db"
		mustOld(t, path, old)
		db := mustRaw(t, path)
		want := map[string]string{}
		for _, table := range tables(t, db) {
			if table == "migrations" || table == "counter" || table == "drafts" {
				continue
			}
			columns := rows(t, db, "SELECT 'quote(' || name || ')' FROM pragma_table_xinfo(?) WHERE hidden = 0", table)
			query := "SELECT " + strings.Join(columns, " || ',' || ") + " FROM " + table
			if want[query] = strings.Join(rows(t, db, query), " "); want[query] == "" {
				t.Errorf("%s has no record to be kept", table)
			}
		}
		expect.Is(t, "close", db.Close(), nil)
		expect.Is(t, "close", mustOpenFile(t, path).Close(), nil)
		db = mustRaw(t, path)
		defer db.Close()
		for query, rowsOf := range want {
			expect.Equal(t, query, strings.Join(rows(t, db, query), " "), rowsOf)
		}
		expect.Equal(t, "the order of an account's projects goes on", strings.Join(rows(t, db, "SELECT seq FROM accounts"), " "), "1")
		expect.Is(t, "open again", mustOpenFile(t, path).Close(), nil)
	})
	t.Run("one that is older is refused, and left as it was", func(t *testing.T) {
		path := testenv.MemoryDir(t) + "/old.db"
		mustOld(t, path, old[:29])
		before := schema(t, path)
		_, err := Open(t.Context(), path, Options{})
		if err == nil || !strings.Contains(err.Error(), "(schema 30) on it once") {
			t.Errorf("error is %v", err)
		}
		expect.Equal(t, "the schema", strings.Join(schema(t, path), ""), strings.Join(before, ""))
	})
	t.Run("one that a command is to use as it is, is refused", func(t *testing.T) {
		path := testenv.MemoryDir(t) + "/old.db"
		mustOld(t, path, old)
		if _, err := Open(t.Context(), path, Options{Existing: true}); err == nil || !strings.Contains(err.Error(), "older") {
			t.Errorf("error is %v", err)
		}
	})
}

// mustOpenFile opens a database, which is closed by the test.
func mustOpenFile(t *testing.T, path string) *Engine {
	t.Helper()
	db, err := Open(t.Context(), path, Options{})
	expect.OK(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}
