package transfer

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/unpack"
)

// Lines write and read the data of a project's players, one kind each, as an entry {project_id}.NAME of text lines. An
// export has the entry if there is such data, and its manifest does not name it: an import that does not know it skips it.
type Lines interface {
	Name() string
	// Kind returns the name of the data in messages, such as saves.
	Kind() string
	// Write writes the lines of a project; without such data it writes nothing.
	Write(ctx context.Context, w io.Writer, id sandlot.ProjectID) error
	// Read adds lines to a project. It is idempotent. left is the reason for which it left out the rest, for people; "" if it
	// left out nothing.
	Read(ctx context.Context, id sandlot.ProjectID, r io.Reader) (left string, err error)
}

// linesPath returns the path of an entry. No project id has a dot, so no file of a project lies there.
func linesPath(id string, l Lines) string { return id + "." + l.Name() }

// An entryOf a ZIP begins with its first byte.
type entryOf struct {
	z *zip.Writer
	h *zip.FileHeader
	w io.Writer
}

// Write implements io.Writer.
func (e *entryOf) Write(p []byte) (n int, err error) {
	if e.w == nil {
		if e.w, err = e.z.CreateHeader(e.h); err != nil {
			return 0, err
		}
	}
	return e.w.Write(p)
}

func writeLines(ctx context.Context, z *zip.Writer, p sandlot.Project, l Lines) error {
	h := &zip.FileHeader{Name: linesPath(string(p.ID), l), Method: zip.Deflate, Flags: utf8Name, Modified: p.UpdatedAt.UTC()}
	h.SetMode(0o644)
	w := bufio.NewWriterSize(&entryOf{z: z, h: h}, writeBuffer)
	if err := l.Write(ctx, w, p.ID); err != nil {
		return fmt.Errorf("%s: %w", h.Name, err)
	}
	return w.Flush()
}

// linesOf imports the data of an adopted project's players.
func (s *Service) linesOf(ctx context.Context, in Input, p project, a *publish.Adopted) error {
	for _, l := range s.Lines {
		path := linesPath(p.id, l)
		if _, has := in.zip.Find(path); !has || in.DryRun {
			continue
		}
		var left string
		err := in.zip.Read(path, func(_ unpack.Entry, r io.Reader) (err error) {
			left, err = l.Read(ctx, a.Project.ID, in.Charge.Of(r))
			return err
		})
		if bad, damaged := errors.AsType[*unpack.Error](err); damaged {
			left, err = fmt.Sprintf("The archive is damaged there: %s.", bad.Message), nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if left != "" {
			a.Warnings = append(a.Warnings, sandlot.Warn(l.Kind()+"_left_out", "Some of "+path+" was left out. "+left,
				"Everything else is here; export the project again, and import that, if "+l.Kind()+" are missing."))
		}
	}
	return nil
}
