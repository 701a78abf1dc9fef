package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
	"sandlot/internal/format/unpack"
)

// stage reads the bytes of a project from the archive, each content once, compares them with the manifest, and returns
// the project for its record. It believes no date in the future, before the web, or before that of the version before.
func (p project) stage(ctx context.Context, zip *unpack.ZIPFile, tree *publish.Tree,
	now time.Time,
) (np publish.NewProject, w []sandlot.Warning, err error) {
	d, w, err := publish.ReadBrought(p.title, p.description, p.tags)
	if err != nil {
		return np, w, err
	}
	lang, read := sandlot.CleanLang(p.lang)
	w = append(w, read...)
	kept := map[sandlot.Digest]publish.Content{}
	changes := make([]publish.Change, len(p.versions))
	for i, v := range p.versions {
		if changes[i], err = v.stage(ctx, zip, tree, kept); err != nil {
			return np, w, err
		}
	}
	first := p.versions[0]
	np = publish.NewProject{
		Title: d.Title, Described: publish.Described{
			Description: d.Description, Tags: d.Tags, Unlisted: p.unlisted,
			Threads: p.threads,
		}, Lang: lang,
		Files: changes[0].Put, Primary: first.primary,
	}
	for i, v := range p.versions[1:] {
		c := changes[i+1]
		if v.primary != p.versions[i].primary {
			c.Primary = v.primary
		}
		title, _, _ := names.Title(v.title)
		np.Later = append(np.Later, publish.LaterVersion{Change: c, Title: title, RestoredFrom: v.restored})
	}
	if n := len(np.Later); n > 0 { // the newest version has the title of the project
		np.Later[n-1].Title = d.Title
		np.Title, _, _ = names.Title(first.title)
	}
	if p.dates(&np, now) {
		w = append(w, sandlot.Warn("date_changed",
			"Some dates of the manifest cannot be: they lie in the future, or before those of earlier versions.",
			"The dates that it has here are in order; nothing has to be done."))
	}
	return np, w, nil
}

// stage returns the changes of a version, with the bytes of its files. kept holds the contents of the versions before.
func (v version) stage(ctx context.Context, zip *unpack.ZIPFile, tree *publish.Tree,
	kept map[sandlot.Digest]publish.Content,
) (c publish.Change, err error) {
	for _, f := range v.put {
		content, ok := kept[f.sum]
		if !ok {
			if content, err = read(ctx, zip, tree, f); err != nil {
				return c, err
			}
			kept[f.sum] = content
		}
		if err := check(content, f.name, v.primary); err != nil {
			return c, err
		}
		c.Put = append(c.Put, sandlot.File{Name: f.name, Folded: names.Fold(f.name), Blob: content.Blob})
	}
	for _, name := range v.drop {
		c.Drop = append(c.Drop, sandlot.File{Name: name, Folded: names.Fold(name)})
	}
	return c, nil
}

// check refuses content that a publish would refuse.
func check(c publish.Content, name, primary string) error {
	err := publish.CheckBrought(c, name, primary)
	var e *sandlot.Error
	if !errors.As(err, &e) {
		return err
	}
	e.Message = fmt.Sprintf("Of %s: %s", inspect.Quoted(name), e.Message)
	return e.In("archive").Detail("filename", name).With(sandlot.OpNothing).
		Note("Mend the file where the project is, and export it again. Of this project nothing was imported.")
}

// earliest is the oldest date that a project may have: the web is not older.
var earliest = time.Date(1991, time.January, 1, 0, 0, 0, 0, time.UTC)

// dates gives the versions their dates, and reports whether it had to change any.
func (p project) dates(np *publish.NewProject, now time.Time) (changed bool) {
	last := earliest
	next := func(was time.Time) time.Time {
		at := was.UTC()
		if at.After(now) {
			at = now
		}
		if at.Before(last) {
			at = last
		}
		changed, last = changed || !at.Equal(was), at
		return at
	}
	np.Begun, np.CreatedAt = next(p.created), next(p.versions[0].at)
	for i := range np.Later {
		np.Later[i].At = next(p.versions[i+1].at)
	}
	return changed
}

// read stages the bytes of one file, if they match the manifest.
func read(ctx context.Context, zip *unpack.ZIPFile, tree *publish.Tree, f file) (c publish.Content, err error) {
	err = zip.Read(f.path, func(_ unpack.Entry, r io.Reader) error {
		c, err = tree.Keep(ctx, f.name, r)
		return err
	})
	if err != nil {
		return c, badArchive(err)
	}
	if c.SHA256 != f.sum {
		return c, sandlot.Refuse(sandlot.CodeDigestMismatch,
			"The file %s has other bytes than the manifest says: their SHA-256 is %s, not %s.", inspect.Quoted(f.name), c.SHA256, f.sum).
			In("archive").Detail("filename", f.name).
			Detail("declared_sha256", f.sum.String()).Detail("received_sha256", c.SHA256.String()).
			With(sandlot.OpNothing).Note("Export the project again. Of this project nothing was imported.")
	}
	return c, nil
}
