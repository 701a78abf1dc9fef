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
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// records are the database of a world, beside its store.
type records struct {
	t      testing.TB
	set    set
	Stored sandlot.Blobs // the blobs themselves, which have no faults

	beside  *sql.DB
	sizes   *sql.Stmt // on beside, as written is
	written *sql.Stmt
}

// Query reads the database with a connection beside the store's, and returns the first column of each row.
func (r *records) Query(query string, args ...any) []string {
	r.t.Helper()
	return r.first(r.reader().Query(r.set.dialect().bind(query), args...))
}

// first is the first column of each row.
func (r *records) first(rows *sql.Rows, err error) (out []string) {
	r.t.Helper()
	expect.OK(r.t, err)
	defer rows.Close()
	for rows.Next() {
		var v string
		expect.OK(r.t, rows.Scan(&v))
		out = append(out, v)
	}
	expect.OK(r.t, rows.Err())
	return out
}

// Exec changes the records as another process would.
func (r *records) Exec(query string, args ...any) {
	r.t.Helper()
	db, err := r.set.beside() // Written does not see what its own connection does
	expect.OK(r.t, err)
	defer db.Close()
	_, err = db.Exec(r.set.dialect().bind(query), args...)
	expect.OK(r.t, err)
}

// reader is the connection beside the store's.
func (r *records) reader() *sql.DB {
	r.t.Helper()
	if r.beside != nil {
		return r.beside
	}
	db, err := r.set.beside()
	expect.OK(r.t, err)
	db.SetMaxOpenConns(1)
	r.beside = db
	r.t.Cleanup(func() { db.Close() })
	return db
}

// tables are the names of all tables.
func (r *records) tables() []string { r.t.Helper(); return r.Query(r.set.dialect().tables) }

// Sizes are how many rows each table has, and "blobs on disk" how many files the folder of blobs has, unfinished ones included.
func (r *records) Sizes() map[string]int {
	r.t.Helper()
	out := map[string]int{"blobs on disk": r.BlobsOnDisk()}
	if r.sizes == nil { // in one statement, which is prepared once: tests ask at every step
		var each []string
		for _, name := range r.tables() {
			each = append(each, "SELECT count(*) || ' "+name+"' FROM \""+name+"\"")
		}
		var err error
		r.sizes, err = r.reader().Prepare(strings.Join(each, " UNION ALL "))
		expect.OK(r.t, err)
	}
	for _, row := range r.first(r.sizes.Query()) {
		count, name, _ := strings.Cut(row, " ")
		n, err := strconv.Atoi(count)
		expect.OK(r.t, err)
		out[name] = n
	}
	return out
}

// Rows are all that is recorded: each row of each table.
func (r *records) Rows() map[string][]string {
	r.t.Helper()
	out := map[string][]string{}
	for _, name := range r.tables() {
		out[name] = r.rows(name, "TRUE")
	}
	return out
}

// RowsOf are all rows of an account and of its projects, by table.
func (r *records) RowsOf(id sandlot.AccountID) map[string][]string {
	r.t.Helper()
	out := map[string][]string{"accounts": r.rows("accounts", fmt.Sprint("id = ", id))}
	for column, where := range map[string]string{"account": " = %d", "project": " IN (SELECT num FROM projects WHERE account = %d)"} {
		for _, name := range r.Query(r.set.dialect().integers(column)) {
			out[name+" by "+column] = r.rows(name, fmt.Sprintf(column+where, id))
		}
	}
	return out
}

// rows are those of a table that are meant, in order.
func (r *records) rows(table, where string) []string {
	r.t.Helper()
	return r.Query("SELECT " + r.set.dialect().row(r, table) + " FROM \"" + table + "\" WHERE " + where + " ORDER BY 1")
}

// Written is a text that every commit changes.
func (r *records) Written() string {
	r.t.Helper()
	if r.written == nil { // prepared once: tests ask at every step
		var err error
		r.written, err = r.reader().Prepare(r.set.dialect().written(r))
		expect.OK(r.t, err)
	}
	return r.first(r.written.Query())[0]
}

// BlobsOnDisk counts the blobs that are stored, unfinished ones in a folder included.
func (r *records) BlobsOnDisk() int { r.t.Helper(); return r.set.countBlobs(r.t, r.Stored) }

// filesIn counts the files in the folder of blobs, which has 257 folders, most of them empty: names alone are read, for tests ask at every
// step.
func filesIn(t testing.TB, blobs string) (n int) {
	t.Helper()
	for _, folder := range namesIn(t, blobs) {
		n += len(namesIn(t, filepath.Join(blobs, folder)))
	}
	return n
}

func namesIn(t testing.TB, dir string) []string {
	t.Helper()
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	expect.OK(t, err)
	defer f.Close()
	names, err := f.Readdirnames(-1)
	expect.OK(t, err)
	return names
}

// Unchanged checks that what is done leaves nothing behind, and takes nothing away.
func (r *records) Unchanged(t testing.TB, do func()) {
	t.Helper()
	before := r.Sizes()
	do()
	expect.Same(t, "what is kept", r.Sizes(), before)
}
