package sqlite

import (
	"database/sql/driver"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"modernc.org/sqlite"
)

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

// writerSettings returns the driver's parameters for the connection that writes. WAL lets readers and the writer go on
// side by side; FULL syncs the log in every commit, so that an acknowledged step survives a power loss. The rest bounds
// memory and disk, and keeps a strange file from doing harm.
func writerSettings(path string, cacheKiB int) url.Values {
	s := commonSettings(cacheKiB)
	s.Set("_journal_mode", "WAL")
	s.Add("_pragma", "journal_size_limit = "+strconv.Itoa(logKeepBytes))
	s.Add("_pragma", "wal_autocheckpoint = "+strconv.Itoa(checkpointAt))
	// These two, in this order, have no effect on a database that exists. It is written by the second all the same,
	// which fails where the disk is full.
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		s.Add("_pragma", "page_size = "+strconv.Itoa(pageSize)+"; PRAGMA auto_vacuum = INCREMENTAL")
	}
	return s
}

func readerSettings(cacheKiB int) url.Values {
	s := commonSettings(cacheKiB)
	s.Set("_query_only", "1")
	return s
}

func commonSettings(cacheKiB int) url.Values {
	return url.Values{
		"_busy_timeout": {strconv.Itoa(busyMillis)}, "_synchronous": {"FULL"}, "_foreign_keys": {"1"},
		"_pragma": {
			"cache_size = " + strconv.Itoa(-cacheKiB), // negative: KiB, not pages
			"temp_store = MEMORY",
			"trusted_schema = 0",
			"cell_size_check = 1",
			// Deleted records are overwritten, also in pages that become free: FAST would leave them there.
			"secure_delete = 1",
		},
	}
}

// newConnector prepares to open path, in mode "rw" or "ro". Neither creates a file.
func newConnector(path, mode string, settings url.Values) (driver.Connector, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	settings.Set("mode", mode)
	settings.Set("_dqs", "0")
	settings.Set("_defensive", "1")
	settings.Set("_error_rc", "1")
	u := url.URL{Path: filepath.ToSlash(abs)}
	return sqlite.NewConnector("file:" + u.EscapedPath() + "?" + settings.Encode())
}
