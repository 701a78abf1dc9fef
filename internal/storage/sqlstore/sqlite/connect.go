package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"modernc.org/sqlite"
)

// minVersion is the first SQLite in which a race between a checkpoint and a writer, which could damage a database in
// WAL mode, is mended.
// https://www.sqlite.org/wal.html#walresetbug
const minVersion = "3.51.3"

// pageSize is that of a new database, in bytes. Small content lies in the database, and pages of 16 KiB hold most of
// it without a chain of overflow pages; it was the fastest size for publishes of 10 KiB.
const pageSize = 16384

const (
	busyMillis = 5000 // how long a connection waits for another process
	// cacheBytes are the pages of a batch, in the writer, and some for each reader: frequent reads are cached above
	// the store. Larger caches were no faster, for the kernel has the rest.
	cacheBytes     = 8 << 20
	readerCacheKiB = cacheBytes >> 10 / 2 / readers
	checkpointAt   = 2048     // pages in the log, 32 MiB: a checkpoint syncs the database, so not too often
	logKeepBytes   = 64 << 20 // a log that once grew is cut back to this
)

type pragma struct {
	name string
	set  string // how it is set; empty if it is only looked at
	want string // the value that reading it back must yield; empty if any will do
	born bool   // it is set of a database that is new, and not looked at
}

// writerPragmas returns the settings of the connection that writes. WAL lets readers and the writer go on side by
// side; FULL syncs the log in every commit, so that an acknowledged step survives a power loss. The rest bounds
// memory and disk, and keeps a strange file from doing harm.
func writerPragmas(cacheKiB int) []pragma {
	return append([]pragma{
		{name: "busy_timeout", set: strconv.Itoa(busyMillis), want: strconv.Itoa(busyMillis)},
		// These two have no effect on a database that exists. It is written by the second all the same, which fails
		// where the disk is full.
		{name: "page_size", set: strconv.Itoa(pageSize), born: true},
		{name: "auto_vacuum", set: "INCREMENTAL", born: true},
		{name: "journal_mode", set: "WAL", want: "wal"},
		{name: "journal_size_limit", set: strconv.Itoa(logKeepBytes), want: strconv.Itoa(logKeepBytes)},
		{name: "wal_autocheckpoint", set: strconv.Itoa(checkpointAt), want: strconv.Itoa(checkpointAt)},
		{name: "query_only", want: "0"},
	}, commonPragmas(cacheKiB)...)
}

func readerPragmas(cacheKiB int) []pragma {
	return append([]pragma{
		{name: "busy_timeout", set: strconv.Itoa(busyMillis), want: strconv.Itoa(busyMillis)},
		{name: "journal_mode", want: "wal"},
		{name: "query_only", set: "1", want: "1"},
	}, commonPragmas(cacheKiB)...)
}

func commonPragmas(cacheKiB int) []pragma {
	cache := strconv.Itoa(-cacheKiB) // negative: KiB, not pages
	return []pragma{
		{name: "synchronous", set: "FULL", want: "2"},
		{name: "foreign_keys", set: "1", want: "1"},
		{name: "cache_size", set: cache, want: cache},
		{name: "temp_store", set: "MEMORY", want: "2"},
		{name: "trusted_schema", set: "0", want: "0"},
		{name: "cell_size_check", set: "1", want: "1"},
		// What is deleted is overwritten, also in pages that become free: FAST would leave it there.
		{name: "secure_delete", set: "1", want: "1"},
	}
}

// connector opens connections to one file and checks each: one that is of an older SQLite, or does not take every
// setting, is refused.
type connector struct {
	driver.Connector
	pragmas []pragma
}

// newConnector prepares to open path, in mode "rw" or "ro". Neither creates a file.
func newConnector(path, mode string, pragmas []pragma) (*connector, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	u := url.URL{Path: filepath.ToSlash(abs)}
	c, err := sqlite.NewConnector("file:" + u.EscapedPath() + "?mode=" + mode + "&_dqs=0&_defensive=1&_error_rc=1")
	if err != nil {
		return nil, err
	}
	return &connector{Connector: c, pragmas: pragmas}, nil
}

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkPragmas(ctx, conn, c.pragmas); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// checkPragmas makes the settings of a connection and reads each of them back. It refuses an SQLite that is too old.
func checkPragmas(ctx context.Context, conn driver.Conn, pragmas []pragma) error {
	got, err := text(ctx, conn, "SELECT sqlite_version()")
	if err != nil {
		return err
	}
	if older(got, minVersion) {
		return fmt.Errorf("SQLite is %s, and %s is the oldest that is safe", got, minVersion)
	}
	pages, err := text(ctx, conn, "PRAGMA page_count")
	if err != nil {
		return in("count pages", err)
	}
	for _, p := range pragmas {
		if p.born && pages != "0" {
			continue
		}
		if p.set != "" {
			if _, err := text(ctx, conn, "PRAGMA "+p.name+" = "+p.set); err != nil {
				return in("set "+p.name, err)
			}
		}
		got, err := text(ctx, conn, "PRAGMA "+p.name)
		if err != nil {
			return in("read "+p.name, err)
		}
		if p.want != "" && got != p.want {
			return fmt.Errorf("%s of a connection is %q and not %q", p.name, got, p.want)
		}
	}
	return nil
}

// text runs one statement and returns the first value it yields, as text; empty if it yields none.
func text(ctx context.Context, conn driver.Conn, query string) (string, error) {
	q, ok := conn.(driver.QueryerContext)
	if !ok {
		return "", errors.New("the driver cannot query a connection directly")
	}
	rows, err := q.QueryContext(ctx, query, nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	v := make([]driver.Value, len(rows.Columns()))
	if err := rows.Next(v); err == io.EOF || len(v) == 0 {
		return "", nil
	} else if err != nil {
		return "", err
	}
	return fmt.Sprint(v[0]), nil
}

func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range bs {
		x, y := 0, 0
		if i < len(as) {
			x, _ = strconv.Atoi(as[i])
		}
		y, _ = strconv.Atoi(bs[i])
		if x != y {
			return x < y
		}
	}
	return false
}
