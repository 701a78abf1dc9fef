package transfer

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// pictureOf returns the cover that the owner of a project sent or, without a project, the portrait as files of the
// archive. An export of less than an account has no portrait.
func pictureOf(e publish.Export, id sandlot.ProjectID) (f sandlot.File, ok bool) {
	if id == "" && !e.Whole {
		return f, false
	}
	p, ok := e.Pictures[id]
	return sandlot.File{Name: picturePath(p), Blob: p.Blob}, ok
}

// picturePath returns the path of a picture. No project id has a dot, so no file of a project lies there.
func picturePath(p publish.SentPicture) string {
	ending := ".jpg"
	if strings.HasPrefix(string(p.ID), sandlot.PNGPicture) {
		ending = ".png"
	}
	if p.Project == "" {
		return "portrait" + ending
	}
	return string(p.Project) + ".cover" + ending
}

func (l *plan) describePicture(e publish.Export, id sandlot.ProjectID) *fileEntry {
	f, ok := pictureOf(e, id)
	if !ok {
		return nil
	}
	l.due++
	out := describeFile(f, f.Name)
	return &out
}

func writePicture(
	ctx context.Context, z *zip.Writer, e publish.Export, id sandlot.ProjectID, at time.Time, l *plan,
) error {
	f, ok := pictureOf(e, id)
	if !ok {
		return nil
	}
	l.due--
	err := damaged(writeOpened(z, f.Name, at, openOne(ctx, f, l)), "the picture %s", f.Name)
	if e, refused := errors.AsType[*sandlot.Error](err); refused {
		return e.Note("Send that picture again on the website, then export again.")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}
