package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"sandlot"
	"sandlot/internal/base/durable"
	"sandlot/internal/storage/sqlstore/engine"
)

// checkWholeBytes is up to which size a database is read through when it is opened. That takes about a second; a
// larger one only has its schema and the beginnings of its tables read.
const checkWholeBytes = 64 << 20

const applicationID = 0x53444c54 // "SDLT", as in the first migration

var magic = []byte("SQLite format 3\x00") // https://www.sqlite.org/fileformat.html#magic_header_string

// prepareFile makes sure that there is a file, and that it is one that may be written to. It changes nothing in a
// file that exists, except that it rolls back a transaction that a crash cut short (rollBack).
func prepareFile(ctx context.Context, path string, known []engine.Migration) error {
	size, err := ensureFile(path)
	if err != nil {
		return err
	}
	if size == 0 {
		return checkEmpty(path)
	}
	if err := checkHeader(path); err != nil {
		return err
	}
	err = inspect(ctx, path, known)
	if code(err) == sqlite3.SQLITE_READONLY_ROLLBACK {
		if err := rollBack(ctx, path); err != nil {
			return sentence(path, err)
		}
		err = inspect(ctx, path, known)
	}
	return err
}

// rollBack lets SQLite take back a transaction that a crash has cut short. That is the very first one, which switches
// to the log: only before it is there a journal, and a power loss may bring a journal back that was deleted already.
func rollBack(ctx context.Context, path string) error {
	c, err := newConnector(path, "rw", url.Values{"_busy_timeout": {strconv.Itoa(busyMillis)}})
	if err != nil {
		return err
	}
	db := sql.OpenDB(c)
	_, err = value[int64](ctx, newReader(db), "SELECT count(*) FROM sqlite_schema")
	return errors.Join(err, db.Close())
}

// checkCurrent makes sure that there is a database that needs no migration.
func checkCurrent(ctx context.Context, path string, known []engine.Migration) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return notADatabase(path)
	}
	if err := prepareFile(ctx, path, known); err != nil {
		return err
	}
	r, end, err := lookAt(path)
	if err != nil {
		return err
	}
	defer end()
	todo, err := unapplied(ctx, r, path, known)
	if err == nil && len(todo) > 0 {
		err = fmt.Errorf("%s was written by an older Sandlot; nothing changed. Run this version's \"sandlot serve\" on it first", path)
	}
	return err
}

// ensureFile creates an empty file if there is none. Its entry is synced too: the database syncs only its contents.
func ensureFile(path string) (size int64, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s is not a file", path)
	case err == nil:
		return info.Size(), nil
	case !errors.Is(err, fs.ErrNotExist):
		return 0, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	return 0, durable.Sync(os.Open(filepath.Dir(path)))
}

// checkEmpty refuses an empty file beside a log that holds something: it was a database once, and to begin a new one
// would throw the log away.
func checkEmpty(path string) error {
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return damaged(path, errors.New("it is empty, but its log is not"))
	}
	return nil
}

func checkHeader(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(f, head); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if !bytes.Equal(head, magic) {
		return notADatabase(path)
	}
	return nil
}

// inspect looks at an existing database through a connection that cannot write.
func inspect(ctx context.Context, path string, known []engine.Migration) error {
	r, end, err := lookAt(path)
	if err != nil {
		return err
	}
	defer end()
	tables, err := values[string](ctx, r, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
	if err != nil {
		return sentence(path, err)
	}
	if len(tables) == 0 {
		return nil // a start that was cut short before the first migration
	}
	id, err := value[int64](ctx, r, "PRAGMA application_id")
	if err != nil {
		return sentence(path, err)
	}
	if id != applicationID {
		return fmt.Errorf("%s is the database of another program; nothing was changed", path)
	}
	if _, err := unapplied(ctx, r, path, known); err != nil {
		return err
	}
	return sentence(path, checkPages(ctx, r, tables))
}

// lookAt opens a database for reading, until end is called. Its cache is small: each page is read once, and freeing
// many pages is a call of the kernel for each.
func lookAt(path string) (r *reader, end func() error, err error) {
	c, err := newConnector(path, "ro", url.Values{
		"_busy_timeout": {strconv.Itoa(busyMillis)}, "_query_only": {"1"}, "_pragma": {"cache_size = 10"},
	})
	if err != nil {
		return nil, nil, err
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1)
	return newReader(db), db.Close, nil
}

// checkPages checks the pages that can be read at once.
func checkPages(ctx context.Context, r *reader, tables []string) error {
	size, err := value[int64](ctx, r, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
	if err != nil {
		return err
	}
	if size <= checkWholeBytes {
		found, err := values[string](ctx, r, "PRAGMA quick_check(1)")
		if err == nil && !slices.Equal(found, []string{"ok"}) {
			err = fmt.Errorf("%w: %s", sandlot.ErrCorrupt, strings.Join(strings.Fields(strings.Join(found, " ")), " "))
		}
		return err
	}
	for _, t := range tables {
		if _, err := values[int64](ctx, r, `SELECT 1 FROM "`+t+`" LIMIT 1`); err != nil {
			return err
		}
	}
	return nil
}

// sentence adds the path to err, and advice if the file is damaged. It keeps nil.
func sentence(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(Classify(err), sandlot.ErrCorrupt):
		return damaged(path, err)
	}
	return fmt.Errorf("open %s: %w", path, Classify(err))
}

func damaged(path string, err error) error {
	if !errors.Is(err, sandlot.ErrCorrupt) {
		err = fmt.Errorf("%w: %w", sandlot.ErrCorrupt, err)
	}
	return fmt.Errorf("%s is damaged; nothing was changed, recover a backup of it: %w", path, err)
}

func notADatabase(path string) error {
	return fmt.Errorf("%s is not a database, or its beginning is damaged; nothing was changed, recover a backup of it: %w",
		path, sandlot.ErrCorrupt)
}
