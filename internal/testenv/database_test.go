package testenv

import (
	"database/sql"
	"path/filepath"
	"testing"

	"sandlot/internal/expect"

	_ "modernc.org/sqlite"
)

// TestACopyOfADatabaseHasWhatWasCommitted has the log emptied into the database between
// the reads of both, as a server does by itself.
func TestACopyOfADatabaseHasWhatWasCommitted(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from.db"), filepath.Join(t.TempDir(), "to.db")
	db := openDatabase(t, from)
	mustExec(t, db, "PRAGMA journal_mode = WAL")
	mustExec(t, db, "CREATE TABLE t (n INTEGER)")
	mustExec(t, db, "INSERT INTO t VALUES (7)")
	err := copyDatabase(from, to, func() { mustExec(t, db, "PRAGMA wal_checkpoint(TRUNCATE)") })
	expect.OK(t, err)
	var n int
	if err := openDatabase(t, to).QueryRow("SELECT n FROM t").Scan(&n); err != nil || n != 7 {
		t.Errorf("the copy has %d, %v", n, err)
	}
}

func openDatabase(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	expect.OK(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func mustExec(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.Exec(query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}
