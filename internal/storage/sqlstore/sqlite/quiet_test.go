package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAConnectionToWhatExistsWritesNothing: a setting that only a new database takes was written at each start, which failed on a full disk, so
// that nothing could be read or deleted there until somebody made room by hand.
func TestAConnectionToWhatExistsWritesNothing(t *testing.T) {
	path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
	expect.OK(t, os.WriteFile(path, nil, 0o600))
	open := func() *sql.DB {
		c, err := newConnector(path, "rw", writerSettings(path, 100))
		expect.OK(t, err)
		pool := sql.OpenDB(c)
		pool.SetMaxOpenConns(1)
		expect.OK(t, pool.PingContext(t.Context()))
		return pool
	}
	pool := open()
	_, err := pool.ExecContext(t.Context(), "CREATE TABLE a (b)")
	expect.OK(t, err)
	var mode, size int64
	expect.OK(t, pool.QueryRowContext(t.Context(), "SELECT auto_vacuum, page_size FROM pragma_auto_vacuum, pragma_page_size").Scan(&mode, &size))
	expect.Equal(t, "auto_vacuum of a new one", mode, 2)
	expect.Equal(t, "the page size of a new one", size, pageSize)
	expect.OK(t, pool.Close())

	pool = open()
	if log, err := os.Stat(path + "-wal"); err == nil {
		expect.Equal(t, "bytes that were logged", log.Size(), 0)
	}
	expect.OK(t, pool.Close())
}
