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

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// Query reads the database with a connection beside the store's, and returns the first column of each row.
func (w *World) Query(query string, args ...any) []string {
	w.t.Helper()
	return w.first(w.reader().Query(w.set.dialect().bind(query), args...))
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

// Exec changes the records as another process would.
func (w *World) Exec(query string, args ...any) {
	w.t.Helper()
	db, err := w.set.beside() // Written does not see what its own connection does
	expect.OK(w.t, err)
	defer db.Close()
	_, err = db.Exec(w.set.dialect().bind(query), args...)
	expect.OK(w.t, err)
}

// reader is the connection beside the store's.
func (w *World) reader() *sql.DB {
	w.t.Helper()
	if w.beside != nil {
		return w.beside
	}
	db, err := w.set.beside()
	expect.OK(w.t, err)
	db.SetMaxOpenConns(1)
	w.beside = db
	w.t.Cleanup(func() { db.Close() })
	return db
}

// tables are the names of all tables.
func (w *World) tables() []string { w.t.Helper(); return w.Query(w.set.dialect().tables) }

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
		out[name] = w.rows(name, "TRUE")
	}
	return out
}

// RowsOf are all rows of an account and of its projects, by table.
func (w *World) RowsOf(id sandlot.AccountID) map[string][]string {
	w.t.Helper()
	out := map[string][]string{"accounts": w.rows("accounts", fmt.Sprint("id = ", id))}
	for column, where := range map[string]string{"account": " = %d", "project": " IN (SELECT num FROM projects WHERE account = %d)"} {
		for _, name := range w.Query(w.set.dialect().integers(column)) {
			out[name+" by "+column] = w.rows(name, fmt.Sprintf(column+where, id))
		}
	}
	return out
}

// rows are those of a table that are meant, in order.
func (w *World) rows(table, where string) []string {
	w.t.Helper()
	return w.Query("SELECT " + w.set.dialect().row(w, table) + " FROM \"" + table + "\" WHERE " + where + " ORDER BY 1")
}

// Written is a text that every commit changes.
func (w *World) Written() string {
	w.t.Helper()
	if w.written == nil { // prepared once: tests ask at every step
		var err error
		w.written, err = w.reader().Prepare(w.set.dialect().written(w))
		expect.OK(w.t, err)
	}
	return w.first(w.written.Query())[0]
}

// BlobsOnDisk counts the blobs that are stored, unfinished ones in a folder included.
func (w *World) BlobsOnDisk() int { w.t.Helper(); return w.set.countBlobs(w) }

// filesIn counts the files in the folder of blobs. It is asked at every step, and the folder has 257 others in it, most of them empty: so they
// are read without what package os prepares for each.
func filesIn(t testing.TB, blobs string) (n int) {
	t.Helper()
	buf := make([]byte, 32<<10)
	folders, err := entries(blobs, buf)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, f := range folders {
		in, err := entries(blobs+"/"+f, buf)
		expect.OK(t, err)
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
