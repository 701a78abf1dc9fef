package cover

import (
	"context"
	"encoding/hex"
	"errors"

	"sandlot"
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
		l.findings = append(l.findings, Finding{Source: FromCover, Kind: picture.Slow})
		return l.fallBack()
	}
	for _, source := range []func(context.Context) (*picture.Made, bool, error){l.chosen, l.called, l.document} {
		if made, ok, err := source(ctx); ok || err != nil {
			return made, err
		}
	}
	if t.Shot != "" {
		return l.fallBack()
	}
	made, _, err := l.icon(ctx)
	return made, err
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
	f, err := l.file(ctx, l.task.Project.ID, l.task.File)
	if errors.Is(err, sandlot.ErrNotFound) {
		l.findings = append(l.findings, Finding{Source: FromChosen, File: l.task.File, Kind: Missing})
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return l.make(ctx, FromChosen, f, l.cover)
}

// called makes the cover of a file with the name of a cover.
func (l *looking) called(ctx context.Context) (*picture.Made, bool, error) {
	files, err := l.files(ctx, l.task.Project.ID, named)
	return l.first(ctx, FromCover, files, l.cover, err)
}

// document makes the cover of the picture that the page names, if it is one of the project's own files.
func (l *looking) document(ctx context.Context) (*picture.Made, bool, error) {
	h, err := l.head(ctx, l.task.Project)
	if err != nil || h.picture == "" {
		return nil, false, err
	}
	f, err := l.file(ctx, l.task.Project.ID, h.picture)
	if errors.Is(err, sandlot.ErrNotFound) {
		l.findings = append(l.findings, Finding{Source: FromDocument, File: h.picture, Kind: Missing})
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return l.make(ctx, FromDocument, f, l.cover)
}

// icon makes the cover of the project's icon, on a tile.
func (l *looking) icon(ctx context.Context) (*picture.Made, bool, error) {
	h, err := l.head(ctx, l.task.Project)
	if err != nil {
		return nil, false, err
	}
	list := make([]string, 0, mostIcons+len(icons))
	for _, i := range h.icons {
		if i.size == 0 || i.size >= picture.MinIcon {
			list = append(list, i.name)
		}
	}
	files, err := l.files(ctx, l.task.Project.ID, append(list, icons...))
	found := len(l.findings)
	made, ok, err := l.first(ctx, FromIcon, files[:min(len(files), mostIcons)], l.onTile, err)
	l.findings = l.findings[:found] // an icon is made for other uses: that it makes no cover is no fault
	return made, ok, err
}

// first makes the picture of the first file that allows it.
func (l *looking) first(ctx context.Context, source Source, files []sandlot.File, by making, err error) (*picture.Made, bool, error) {
	if err != nil {
		return nil, false, err
	}
	for _, f := range files {
		if made, ok, err := l.make(ctx, source, f, by); ok || err != nil {
			return made, ok, err
		}
	}
	return nil, false, nil
}

// errSlow is a picture that took too long: perhaps the machine was busy, or its clock was set.
var errSlow = errors.New("a picture took too long, and is tried again")

// making makes a picture of a file.
type making func(ctx context.Context, f sandlot.File) (picture.Made, error)

// make makes a picture of a file, unless the cover was made of it before. A fault of the file is noted, and ok is
// false.
func (l *looking) make(ctx context.Context, source Source, f sandlot.File, by making) (_ *picture.Made, ok bool, err error) {
	what := madeOf(source, f)
	if l.task.Made == what && l.task.Project.Cover != "" {
		l.keep, l.source, l.made = l.task.Project.Cover, source, what
		return nil, true, nil
	}
	made, err := by(ctx, f)
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

func (l *looking) cover(ctx context.Context, f sandlot.File) (picture.Made, error) {
	return l.of(ctx, f, func(src picture.Source) (picture.Made, error) { return l.maker.Make(ctx, src, picture.Cover()) })
}

func (l *looking) onTile(ctx context.Context, f sandlot.File) (picture.Made, error) {
	hue := Hues[HueOf(l.task.Project.ID)]
	return l.of(ctx, f, func(src picture.Source) (picture.Made, error) {
		return l.maker.MakeIcon(ctx, src, picture.Cover(), hue[0], hue[1])
	})
}

// of makes a picture of a file by read. A file that the service itself can no longer read is damaged, and not tried
// forever.
func (l *looking) of(ctx context.Context, f sandlot.File, read func(picture.Source) (picture.Made, error)) (made picture.Made, err error) {
	if f.Blob.Size > picture.MaxBytes {
		return made, &picture.Problem{Kind: picture.TooManyBytes}
	}
	r, err := l.Content.Open(ctx, f.Blob, 0, -1)
	if err == nil {
		defer r.Close()
		err = l.held(r, func(src picture.Source) (err error) {
			made, err = read(src)
			return err
		})
	}
	if errors.Is(err, sandlot.ErrCorrupt) || errors.Is(err, sandlot.ErrNotFound) {
		err = &picture.Problem{Kind: picture.Damaged}
	}
	return made, err
}
