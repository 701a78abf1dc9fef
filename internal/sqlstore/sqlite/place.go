package sqlite

import (
	"fmt"
	"os"
)

// place is where the database's files were when it was opened.
type place struct {
	names []string
	files []os.FileInfo
}

// placeOf remembers the files of an open database: the records and the log, which
// both stay the same as long as a connection is open.
func placeOf(path string) (place, error) {
	p := place{names: []string{path, path + "-wal"}}
	for _, name := range p.names {
		info, err := os.Stat(name)
		if err != nil {
			return place{}, err
		}
		p.files = append(p.files, info)
	}
	return p, nil
}

// check returns an error unless the files are still there. One that was deleted,
// or replaced by a backup, can be written and synced for as long as it is open,
// and whoever opens the database next finds nothing of it. It costs two calls of
// the system, some microseconds, for a whole commit.
func (p place) check() error {
	for i, name := range p.names {
		now, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("the database is not where it was opened: %w", err)
		}
		if !os.SameFile(p.files[i], now) {
			return fmt.Errorf("the database is not where it was opened: %s is another file", name)
		}
	}
	return nil
}
