package sqlstore

import (
	"database/sql"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAdopt opens a database that was made before it could shrink.
func TestAdopt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	db := mustOpen(t, path)
	p := mustProject(t, db, 1)
	expect.Is(t, "close", db.Close(), nil)
	neverShrink(t, path)
	db = mustOpen(t, path)
	mode, err := one(t.Context(), db, scanValue[int64], "PRAGMA auto_vacuum")
	expect.Is(t, "read", err, nil)
	if mode == 0 {
		t.Error("it still cannot shrink")
	}
	_, err = db.Publish().Project(t.Context(), p.ID)
	expect.Is(t, "a project of before", err, nil)
}

// neverShrink makes a database as it was made before it could shrink.
func neverShrink(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	expect.OK(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, q := range []string{"PRAGMA journal_mode = DELETE", "PRAGMA auto_vacuum = NONE", "VACUUM"} {
		_, err := db.Exec(q)
		expect.OK(t, err)
	}
	var mode int
	if err := db.QueryRow("PRAGMA auto_vacuum").Scan(&mode); err != nil || mode != 0 {
		t.Fatalf("auto_vacuum is %d, %v", mode, err)
	}
}
