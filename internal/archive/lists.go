package archive

import (
	"context"

	"sandlot/internal/publish"
)

// listedFiles is how many files of lists are remembered: as many as one project
// may have, at some 700 bytes each.
const listedFiles = 10_000

// lists remembers what the manifest has asked for until the files themselves are
// written: to read a list twice took a fourth of the time of an export of small
// files. What does not fit is read again. It is used by one goroutine.
type lists struct {
	Source
	room  int
	known map[listed][]publish.File
}

type listed struct {
	project  publish.ProjectID
	version  int
	encoding string
}

// FilesWith returns the files of a version, the second time perhaps from memory, which
// then lets go of them.
func (l *lists) FilesWith(ctx context.Context, id publish.ProjectID, version int, encoding string) ([]publish.File, error) {
	key := listed{id, version, encoding}
	if files, ok := l.known[key]; ok {
		delete(l.known, key)
		return files, nil
	}
	files, err := l.Source.FilesWith(ctx, id, version, encoding)
	if err == nil && len(files) <= l.room {
		if l.known == nil {
			l.known = map[listed][]publish.File{}
		}
		l.known[key] = files
		l.room -= len(files)
	}
	return files, err
}
