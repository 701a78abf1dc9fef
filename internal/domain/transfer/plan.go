package transfer

import (
	"context"
	"fmt"

	"sandlot"
)

// listedFiles is how many files of current versions a plan remembers: as many as one project
// may have, at some 700 bytes each.
const listedFiles = 10_000

// A plan remembers what the manifest names until it is written. What earlier versions have is only asked for once, for a version may be
// erased meanwhile; the files of a current one do not change, and what does not fit is read again, which else took a fourth of the
// time of an export of small files. It is used by one goroutine.
type plan struct {
	Source
	room  int
	known map[listed][]sandlot.File
	past  map[sandlot.ProjectID][]pastVersion
	due   int // entries that the manifest names and that are not written
}

type listed struct {
	project  sandlot.ProjectID
	version  int
	encoding string
}

// FilesWith returns the files of a version, the second time perhaps from memory, which
// then lets go of them.
func (l *plan) FilesWith(ctx context.Context, id sandlot.ProjectID, version int, encoding string) ([]sandlot.File, error) {
	key := listed{id, version, encoding}
	if files, ok := l.known[key]; ok {
		delete(l.known, key)
		return files, nil
	}
	files, err := l.Source.FilesWith(ctx, id, version, encoding)
	if err == nil && len(files) <= l.room {
		if l.known == nil {
			l.known = map[listed][]sandlot.File{}
		}
		l.known[key] = files
		l.room -= len(files)
	}
	return files, err
}

// done fails unless as many entries were written as the manifest names.
func (l *plan) done() error {
	if l.due != 0 {
		return fmt.Errorf("the manifest names %d entries that were not written", l.due)
	}
	return nil
}
