package testenv

import (
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
)

// DatabaseCache is how many bytes a test's SQLite database caches of its pages. It holds little, and a test that ends gives all pages back:
// for
// each beyond some hundred that is a call of the kernel, which interrupts the other processors. With the server's 8 MiB that took a quarter
// of
// the processor time of tests with a store.
const DatabaseCache = 512 << 10

// CopyDatabase copies the files of an SQLite database that is in use, byte for byte: what a process that is killed leaves. to is the name
// of the copy. The program needs a driver "sqlite". It must not be called inside a transaction that writes.
//
// It holds the lock of those who write: the log of a server is emptied into the database also while nothing is written, and the database
// of before with the log of after lacks what was in the log.
func CopyDatabase(from, to string) (err error) {
	name := url.URL{Scheme: "file", OmitHost: true, Path: from, RawQuery: "mode=rw&_txlock=immediate&_pragma=busy_timeout(10000)"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	lock, err := db.Begin()
	if err != nil {
		return err
	}
	defer lock.Rollback() // nothing was written
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(from + suffix)
		if errors.Is(err, fs.ErrNotExist) && suffix != "" {
			break
		}
		if err == nil {
			err = os.WriteFile(to+suffix, data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
