// This file writes an export: one ZIP with a manifest and the original bytes of every file, streamed as it is read.
// Nothing is compressed twice: if a file has a gzip variant, its deflate stream is copied into the archive as it is.

package transfer

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/flate"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// Source reads the files and details of an export.
type Source interface {
	// FilesWith returns the files of a version by name, with the variants of one encoding.
	FilesWith(ctx context.Context, id sandlot.ProjectID, version int, encoding string) ([]sandlot.File, error)
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
	Described(ctx context.Context, id sandlot.ProjectID) (publish.Details, error)
	// VersionsBelow returns a project's versions below before, newest first, at most limit.
	VersionsBelow(ctx context.Context, id sandlot.ProjectID, before, limit int) ([]sandlot.VersionChange, error)
}

// writeBuffer gathers the many small writes of ZIP headers into few.
const writeBuffer = 64 << 10

// Write writes the archive of e to w: manifest.json first, then the account's portrait, then {project_id}/{filename}
// for each file, in the order of e and of the names, behind them the cover that its owner sent, and, with e.History,
// after the files of a project those that only earlier versions of it have; after each project the data of its players, as
// of the time of writing. The same export with the same variants
// gives the same bytes; the time of the export is in the manifest and its entry alone. Memory does not depend on the
// size of the files: it holds the names of one project's files, those of up to 10,000 more and of files that only
// earlier versions have, the small contents of the next few files, and the directory that a ZIP has at its end.
//
// A gzip variant that is damaged or missing does no harm: the file's own bytes take its place. A file that is damaged
// or missing is a *sandlot.Error that names it. An entry that the manifest names and that was not written is an error,
// too. Any failure, and the end of ctx, ends Write; the bytes written then are not a whole archive, and the caller must
// break the connection so that nobody takes them for one.
func Write(ctx context.Context, w io.Writer, e publish.Export, src Source, kept ...Lines) error {
	buffered := bufio.NewWriterSize(untilDone{ctx, w}, writeBuffer)
	z := zip.NewWriter(buffered)
	z.RegisterCompressor(zip.Deflate, uncompressed())
	l := &plan{
		Source: src, room: listedFiles, known: map[sandlot.ProjectID][]sandlot.File{}, past: map[sandlot.ProjectID][]pastVersion{},
	}
	if err := writeManifest(ctx, z, e, l); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	if err := writePicture(ctx, z, e, "", e.Account.CreatedAt, l); err != nil {
		return err
	}
	for _, p := range e.Projects {
		err := writeProject(ctx, z, p.Project, l)
		if err == nil {
			err = writePicture(ctx, z, e, p.Project.ID, p.Project.UpdatedAt, l)
		}
		if err == nil && e.History {
			err = writeHistory(ctx, z, p.Project, l)
		}
		for _, lines := range kept {
			if err == nil {
				err = writeLines(ctx, z, p.Project, lines)
			}
		}
		if err != nil {
			return fmt.Errorf("write project %s: %w", p.Project.ID, err)
		}
	}
	if l.due != 0 {
		return fmt.Errorf("the manifest names %d entries that were not written", l.due)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("write directory: %w", err)
	}
	return buffered.Flush()
}

// untilDone writes to w until ctx ends.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u untilDone) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}

// uncompressed frames bytes as deflate blocks without compressing them. A stored entry would have to announce its
// checksum before its bytes; a deflated one may have it after them. One writer serves all entries, because they come
// one after another.
func uncompressed() zip.Compressor {
	var one *flate.Writer
	return func(w io.Writer) (io.WriteCloser, error) {
		if one != nil {
			one.Reset(w)
			return one, nil
		}
		var err error
		one, err = flate.NewWriter(w, flate.NoCompression)
		return one, err
	}
}

// listedFiles bounds the files of current versions that a plan remembers: as many as one project may have, at some 700
// bytes each. The others are read again: that would take a fourth of the time of an export of small files.
const listedFiles = 10_000

// A plan remembers the files that the manifest names until they are written; those of earlier versions all, because a
// version may be erased meanwhile.
type plan struct {
	Source
	room  int
	known map[sandlot.ProjectID][]sandlot.File
	past  map[sandlot.ProjectID][]pastVersion
	due   int // entries that the manifest names and that are not written yet
}

// current returns the files of a project's current version, the second time perhaps from memory.
func (l *plan) current(ctx context.Context, p sandlot.Project) ([]sandlot.File, error) {
	if files, ok := l.known[p.ID]; ok {
		delete(l.known, p.ID)
		return files, nil
	}
	files, err := l.FilesWith(ctx, p.ID, p.Version, packed)
	if err == nil && len(files) <= l.room {
		l.known[p.ID] = files
		l.room -= len(files)
	}
	return files, err
}

func writeProject(ctx context.Context, z *zip.Writer, p sandlot.Project, l *plan) error {
	files, err := l.current(ctx, p)
	if err != nil {
		return err
	}
	l.due -= len(files)
	return openAhead(ctx, files, l, func(o opened) error {
		if err := writeOpened(z, entryName(p, o.file), p.UpdatedAt, o); err != nil {
			return fmt.Errorf("%s: %w", o.file.Name, named(err, p, o.file))
		}
		return nil
	})
}

// damaged returns a refusal for a file whose bytes are damaged or missing, and any other error as it is.
func damaged(err error, what string, args ...any) error {
	if !errors.Is(err, sandlot.ErrCorrupt) && !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	what = fmt.Sprintf(what, args...)
	return sandlot.Refuse(sandlot.CodeBlobCorrupt, "The stored bytes of %s are damaged, so the export cannot be whole.", what).
		With(sandlot.OpExport).Because(err)
}

// named names the damaged file to the owner, because until it is sent again nothing can be exported.
func named(err error, p sandlot.Project, f sandlot.File) error {
	e, refused := errors.AsType[*sandlot.Error](damaged(err, "%q in the project %s", f.Name, p.ID))
	if !refused {
		return err
	}
	return e.With(sandlot.OpUpdate, sandlot.Arg{Name: "project_id", Value: string(p.ID)}, sandlot.Arg{Name: "filename", Value: f.Name}).
		Note("Send this file again with update, then export again.")
}

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
