package transfer

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// versionsPage is the number of versions that are read at a time.
const versionsPage = publish.MaxPage

// A pastVersion is an earlier version with those files that lie in the archive for it alone.
type pastVersion struct {
	n     int
	at    time.Time
	files []sandlot.File
}

// add plans the entries of an earlier version.
func (l *plan) add(id sandlot.ProjectID, v pastVersion) {
	l.past[id] = append(l.past[id], v)
	l.due += len(v.files)
}

// paths maps the bytes of one project's files to their entries. Files of the current version lie under their names.
// Bytes that only earlier versions have lie, once for each hash, where the first of these has them, in a folder beside
// the project's.
type paths struct {
	project sandlot.Project
	known   map[sandlot.Digest]string
}

func pathsOf(p sandlot.Project, current []sandlot.File) *paths {
	at := &paths{p, map[sandlot.Digest]string{}}
	for _, f := range current {
		if _, ok := at.known[f.Blob.SHA256]; !ok {
			at.known[f.Blob.SHA256] = entryName(p, f)
		}
	}
	return at
}

// of returns the path of a file of version n; fresh means that no file has it yet.
func (p *paths) of(n int, f sandlot.File) (path string, fresh bool) {
	if n == p.project.Version {
		return entryName(p.project, f), false
	}
	if path, ok := p.known[f.Blob.SHA256]; ok {
		return path, false
	}
	path = pastName(p.project, n, f)
	p.known[f.Blob.SHA256] = path
	return path, true
}

// pastName returns the path of a file that came with an earlier version.
func pastName(p sandlot.Project, n int, f sandlot.File) string {
	return fmt.Sprintf("%s.v%d/%s", p.ID, n, f.Name) // no project id has a dot
}

// eachVersion calls do with each version of a project up to the exported one, the oldest first, with its files. A
// version that was erased, also since it was listed, comes without files.
func eachVersion(
	ctx context.Context, p sandlot.Project, current []sandlot.File, src Source, do func(sandlot.VersionChange, []sandlot.File) error,
) error {
	list, err := versionsOf(ctx, p, src)
	if err != nil {
		return err
	}
	for _, v := range list {
		files := current
		if v.N != p.Version && !v.Erased {
			files, err = src.FilesWith(ctx, p.ID, v.N, packed)
			v.Erased = errors.Is(err, sandlot.ErrNotFound)
			if err != nil && !v.Erased {
				return fmt.Errorf("version %d: %w", v.N, err)
			}
		}
		if err := do(v, files); err != nil {
			return err
		}
	}
	return nil
}

// versionsOf lists the versions up to the exported one, without their lists of changes.
func versionsOf(ctx context.Context, p sandlot.Project, src Source) (list []sandlot.VersionChange, err error) {
	for before := p.Version + 1; before > 1; before = list[len(list)-1].N {
		page, err := src.VersionsBelow(ctx, p.ID, before, versionsPage)
		if err != nil {
			return nil, err
		}
		for _, v := range page {
			v.Added, v.Changed, v.Removed = nil, nil, nil
			list = append(list, v)
		}
		if len(page) < versionsPage {
			break
		}
	}
	slices.Reverse(list)
	return list, nil
}

// writeHistory writes the files that only earlier versions have.
func writeHistory(ctx context.Context, z *zip.Writer, p sandlot.Project, l *plan) error {
	for _, v := range l.past[p.ID] {
		l.due -= len(v.files)
		for _, f := range v.files {
			err := writeOpened(z, pastName(p, v.n, f), v.at, openOne(ctx, f, l))
			err = damaged(err, "%q in version %d of the project %s", f.Name, v.n, p.ID)
			if e, refused := errors.AsType[*sandlot.Error](err); refused { // it cannot be sent again
				err = e.Note("Export without the earlier versions, or erase that version on the website first.")
			}
			if err != nil {
				return fmt.Errorf("version %d: %s: %w", v.n, f.Name, err)
			}
		}
	}
	delete(l.past, p.ID)
	return nil
}
