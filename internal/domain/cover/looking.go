package cover

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"sandlot"
	"sandlot/internal/format/names"
	"sandlot/internal/format/picture"
)

// looking is the search for the cover of one project: the first source that has a picture.
type looking struct {
	*Service
	task Task

	keep     sandlot.PictureID // a recorded picture that is the cover
	source   Source
	made     string
	findings []Finding
}

// madeOf returns the record of the file that a cover is made of.
func madeOf(source Source, f sandlot.File) string {
	return way + " " + string(source) + " " + hex.EncodeToString(f.Blob.SHA256[:])
}

// look returns the picture that was made, or nil if keep is the cover, or there is none.
func (l *looking) look(ctx context.Context) (*picture.Made, error) {
	t := l.task
	switch {
	case t.Wish == None:
		return nil, nil
	case t.Wish == Uploaded && t.Upload != "":
		l.keep, l.source, l.made = t.Upload, FromUpload, string(FromUpload)
		return nil, nil
	case t.Tries > mostTries: // no worker finished with one of its files
		l.findings = append(l.findings, Finding{FromCover, "", picture.Problem{Kind: picture.Slow}})
		return l.fallBack()
	}
	for _, source := range []func(context.Context) (*picture.Made, bool, error){l.chosen, l.called, l.document} {
		if made, ok, err := source(ctx); ok || err != nil {
			return made, err
		}
	}
	return l.fallBack()
}

// fallBack takes the trial's shot, if there is one.
func (l *looking) fallBack() (*picture.Made, error) {
	if l.task.Shot != "" {
		l.keep, l.source, l.made = l.task.Shot, FromShot, string(FromShot)
	}
	return nil, nil
}

// chosen makes the cover of the file that the owner has chosen.
func (l *looking) chosen(ctx context.Context) (*picture.Made, bool, error) {
	if l.task.Wish != OfFile {
		return nil, false, nil
	}
	return l.ofFile(ctx, FromChosen, l.task.File)
}

// called makes the cover of the first file with the name of a cover that allows it.
func (l *looking) called(ctx context.Context) (*picture.Made, bool, error) {
	files, err := l.Store.FilesFolded(ctx, l.task.Project.ID, named)
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(files, func(a, b sandlot.File) int {
		return slices.Index(named, names.Fold(a.Name)) - slices.Index(named, names.Fold(b.Name))
	})
	for _, f := range files {
		if made, ok, err := l.make(ctx, FromCover, f); ok || err != nil {
			return made, ok, err
		}
	}
	return nil, false, nil
}

// document makes the cover of the picture that the page names, if it is one of the project's own files.
func (l *looking) document(ctx context.Context) (*picture.Made, bool, error) {
	name, err := l.pictureOf(ctx, l.task.Project)
	if err != nil || name == "" {
		return nil, false, err
	}
	return l.ofFile(ctx, FromDocument, name)
}

// ofFile makes the cover of a file. A missing one is a finding.
func (l *looking) ofFile(ctx context.Context, source Source, name string) (*picture.Made, bool, error) {
	f, err := l.file(ctx, l.task.Project.ID, name)
	if errors.Is(err, sandlot.ErrNotFound) {
		l.findings = append(l.findings, Finding{source, name, picture.Problem{Kind: Missing}})
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return l.make(ctx, source, f)
}

// errSlow is a picture that took too long: perhaps the machine was busy, or its clock was set.
var errSlow = errors.New("a picture took too long, and is tried again")

// make makes a picture of a file, unless the cover was made of it before. A fault of the file is noted, and ok is
// false.
func (l *looking) make(ctx context.Context, source Source, f sandlot.File) (_ *picture.Made, ok bool, err error) {
	what := madeOf(source, f)
	if l.task.Made == what && l.task.Project.Cover != "" {
		l.keep, l.source, l.made = l.task.Project.Cover, source, what
		return nil, true, nil
	}
	made, err := l.read(ctx, f)
	switch finding, wrong := findingOf(source, f.Name, err); {
	case wrong && finding.Kind == picture.Slow && l.task.Tries < mostTries:
		return nil, false, errSlow
	case wrong:
		l.findings = append(l.findings, finding)
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	l.source, l.made = source, what
	return &made, true, nil
}

// read makes a picture of a file. A file that the service itself can no longer read is damaged, and not tried forever.
func (l *looking) read(ctx context.Context, f sandlot.File) (made picture.Made, err error) {
	if f.Blob.Size > picture.MaxBytes {
		return made, &picture.Problem{Kind: picture.TooManyBytes}
	}
	r, err := l.Content.Open(ctx, f.Blob, 0, -1)
	if err == nil {
		defer r.Close()
		err = l.held(r, func(src picture.Source) (err error) {
			made, err = l.maker.Make(ctx, src, picture.Cover())
			return err
		})
	}
	if errors.Is(err, sandlot.ErrCorrupt) || errors.Is(err, sandlot.ErrNotFound) {
		err = &picture.Problem{Kind: picture.Damaged}
	}
	return made, err
}
