package testworld

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
)

// Query reads the database with a connection beside the store's, and returns the first column of each row.
func (w *World) Query(query string, args ...any) []string {
	w.t.Helper()
	return w.first(w.reader().Query(query, args...))
}

// first is the first column of each row.
func (w *World) first(rows *sql.Rows, err error) (out []string) {
	w.t.Helper()
	expect.OK(w.t, err)
	defer rows.Close()
	for rows.Next() {
		var v string
		expect.OK(w.t, rows.Scan(&v))
		out = append(out, v)
	}
	expect.OK(w.t, rows.Err())
	return out
}

// reader is the connection beside the store's.
func (w *World) reader() *sql.DB {
	w.t.Helper()
	if w.beside != nil {
		return w.beside
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.Dir, "sandlot.db")+"?mode=ro")
	expect.OK(w.t, err)
	db.SetMaxOpenConns(1)
	w.beside = db
	w.t.Cleanup(func() { db.Close() })
	return db
}

// tables are the names of all tables but the virtual ones, which are kept in tables of their own.
func (w *World) tables() []string {
	w.t.Helper()
	return w.Query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
}

// Sizes are how many rows each table has, and "blobs on disk" how many files the folder of blobs has, unfinished ones included.
func (w *World) Sizes() map[string]int {
	w.t.Helper()
	out := map[string]int{"blobs on disk": w.BlobsOnDisk()}
	if w.sizes == nil { // in one statement, which is prepared once: tests ask at every step
		var each []string
		for _, name := range w.tables() {
			each = append(each, "SELECT count(*) || ' "+name+"' FROM \""+name+"\"")
		}
		var err error
		w.sizes, err = w.reader().Prepare(strings.Join(each, " UNION ALL "))
		expect.OK(w.t, err)
	}
	for _, row := range w.first(w.sizes.Query()) {
		count, name, _ := strings.Cut(row, " ")
		n, err := strconv.Atoi(count)
		expect.OK(w.t, err)
		out[name] = n
	}
	return out
}

// Rows are all that is recorded: each row of each table.
func (w *World) Rows() map[string][]string {
	w.t.Helper()
	out := map[string][]string{}
	for _, name := range w.tables() {
		out[name] = w.rows(name, "1")
	}
	return out
}

// RowsOf are all rows of an account and of its projects, by table.
func (w *World) RowsOf(id publish.AccountID) map[string][]string {
	w.t.Helper()
	out := map[string][]string{"accounts": w.rows("accounts", fmt.Sprint("id = ", id))}
	for column, where := range map[string]string{"account": " = %d", "project": " IN (SELECT num FROM projects WHERE account = %d)"} {
		for _, name := range w.tables() {
			if len(w.Query("SELECT name FROM pragma_table_info(?) WHERE name = ? AND type = 'INTEGER'", name, column)) > 0 {
				out[name+" by "+column] = w.rows(name, fmt.Sprintf(column+where, id))
			}
		}
	}
	return out
}

// rows are those of a table that are meant, in order.
func (w *World) rows(table, where string) []string {
	w.t.Helper()
	columns := w.Query("SELECT 'coalesce(hex(\"' || name || '\"), ''-'')' FROM pragma_table_info('" + table + "')")
	return w.Query("SELECT " + strings.Join(columns, " || ' ' || ") + " FROM \"" + table + "\" WHERE " + where + " ORDER BY 1")
}

// Written is a number that every commit changes.
func (w *World) Written() string {
	w.t.Helper()
	return w.Query("PRAGMA data_version")[0]
}

// BlobsOnDisk counts the files in the folder of blobs, unfinished ones included. It is asked at every step, and the folder has 257 others in
// it, most of them empty: so they are read without what package os prepares for each.
func (w *World) BlobsOnDisk() (n int) {
	w.t.Helper()
	blobs := filepath.Join(w.Dir, "blobs")
	buf := make([]byte, 32<<10)
	folders, err := entries(blobs, buf)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	for _, f := range folders {
		in, err := entries(blobs+"/"+f, buf)
		expect.OK(w.t, err)
		n += len(in)
	}
	return n
}

// entries are the names in a folder, which is read into buf.
func entries(dir string, buf []byte) (names []string, err error) {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	defer syscall.Close(fd)
	for {
		got, err := syscall.ReadDirent(fd, buf)
		if err != nil || got == 0 {
			return names, err
		}
		_, _, names = syscall.ParseDirent(buf[:got], -1, names)
	}
}

// removeEmptyFolders removes the folders in dir that have nothing in them, eight times as fast as os.RemoveAll would.
func removeEmptyFolders(dir string) {
	folders, _ := os.ReadDir(dir)
	for _, f := range folders {
		syscall.Rmdir(filepath.Join(dir, f.Name())) // fails for one that is not empty, which goes with the folder of the test
	}
}

// Unchanged checks that what is done leaves nothing behind, and takes nothing away.
func (w *World) Unchanged(t testing.TB, do func()) {
	t.Helper()
	before := w.Sizes()
	do()
	expect.Same(t, "what is kept", w.Sizes(), before)
}
