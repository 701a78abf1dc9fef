package transfer

import (
	"context"
	"fmt"

	"sandlot"
)

// listedFiles bounds the files of current versions that a plan remembers: as many as one project may have, at some 700
// bytes each.
const listedFiles = 10_000

// A plan remembers the files that the manifest names until they are written. Files of earlier versions are read only
// once, because a version may be erased meanwhile; files of a current version do not change, and those that do not fit
// are read again. Reading all of them again would take a fourth of the time of an export of small files. It is used by
// one goroutine.
type plan struct {
	Source
	room  int
	known map[listed][]sandlot.File
	past  map[sandlot.ProjectID][]pastVersion
	due   int // entries that the manifest names and that are not written yet
}

type listed struct {
	project  sandlot.ProjectID
	version  int
	encoding string
}

// FilesWith returns the files of a version, the second time perhaps from memory, and then forgets them.
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
