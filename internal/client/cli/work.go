package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/text/unicode/norm"

	"sandlot/internal/client/client"
)

// A work is the file or folder that a command sends, with the place of its state.
type work struct {
	place  place
	path   string // as given
	folder bool
	as     string // the name of the file in the project, if given
	alone  bool   // whether a file without a state is a project of its own
}

// readWork examines a path. With above, a state in a parent folder also counts: the path is then part of that project.
func readWork(path string, above bool) (w work, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return w, usage("%s cannot be read: %w", path, cause(err))
	}
	w = work{path: path, folder: info.IsDir()}
	dir := path
	if !w.folder {
		if !info.Mode().IsRegular() {
			return w, usage("%s is no file and no folder", path)
		}
		dir = filepath.Dir(path)
	}
	w.place, err = readPlace(dir)
	if err == nil && w.place.state.ID == "" && above {
		w.place, err = findPlace(dir)
	}
	return w, err
}

// files lists the files to send, under their names in the project; page is its primary file.
func (w work) files(ctx context.Context, page string) (*tree, error) {
	if w.folder {
		return readTree(ctx, w.path)
	}
	name, err := w.name(page)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(filepath.Dir(w.path))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", w.path, cause(err))
	}
	t := &tree{root: root}
	if err := t.hash(name, filepath.Base(w.path)); err != nil {
		_ = root.Close()
		return nil, fmt.Errorf("%s cannot be read: %w; nothing was sent", w.path, cause(err))
	}
	return t, nil
}

// name returns a file's name in the project: that of the page if the one file is the project, else its path below the
// folder.
func (w work) name(page string) (string, error) {
	switch {
	case w.as != "":
		return w.as, nil
	case w.isPage():
		return page, nil
	}
	return w.place.name(w.path)
}

// isPage reports whether the file alone is the project of the folder.
func (w work) isPage() bool {
	known := w.place.state
	if known.ID == "" {
		return w.alone && !w.folder
	}
	return !w.folder && sameFile(filepath.Join(w.place.dir, known.Path), w.path)
}

// name returns the name in the project of a local path.
func (p place) name(path string) (string, error) {
	from, errFrom := filepath.Abs(p.dir)
	to, errTo := filepath.Abs(path)
	if errFrom == nil && errTo == nil {
		if rel, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(rel) {
			return norm.NFC.String(filepath.ToSlash(rel)), nil
		}
	}
	return "", usage("%s is not in %s, so it has no name in the project: give it one with --as", path, p.dir)
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// published returns the path of the project in its folder.
func (w work) published() string {
	if !w.isPage() {
		return "."
	}
	return filepath.Base(w.path)
}

// page returns the primary file of a project.
func page(p client.Project) string {
	if p.PrimaryFile == "" {
		return "index.html"
	}
	return p.PrimaryFile
}
