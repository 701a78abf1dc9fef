package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/text/unicode/norm"

	"sandlot/internal/client/client"
)

// A work is what a command was given to send: a file or a folder, and where its state is.
type work struct {
	place  place
	path   string // as it was given
	folder bool
	as     string // the name that the file gets in the project, if one was given
	alone  bool   // whether a file that no state knows is a project of its own
}

// work is readWork, whose errors have the command that mends them.
func (env *Env) work(path string, above bool) (work, error) {
	w, err := readWork(path, above)
	var f *Failure
	if !errors.As(err, &f) {
		return w, err
	}
	switch {
	case len(f.Fix) > 0: // a state that cannot be used is put aside
		f.Notes = []string{"Put it right, or put it aside and name the project once; without --id the work becomes a new project:"}
		f.Fix = append(f.Fix, env.again("--id", "<project_id>"))
	case errors.Is(err, fs.ErrNotExist):
		f.Fix = []string{env.instead(path, nearby(path))}
	}
	return w, err
}

// nearby is what lies in the same folder under a name that is like this one.
func nearby(path string) string {
	dir, base := filepath.Split(path)
	list, err := os.ReadDir(filepath.Clean(dir + "."))
	var names []string
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	if near := Nearest(base, names); err == nil && near != "" {
		return dir + near
	}
	return "<file or folder>"
}

// readWork looks at a path. With above, a state further up counts, too: the path is then part of that project.
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

// files lists what there is to send, by the names that it has in the project, of which page is the primary file.
func (w work) files(page string) (*tree, error) {
	if w.folder {
		return readTree(w.path)
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
	base := filepath.Base(w.path)
	sum, size, err := t.hash(base)
	if err != nil {
		_ = root.Close()
		return nil, unreadable(w.path, &fs.PathError{Path: w.path, Err: cause(err)})
	}
	t.files, t.size = []localFile{{name: name, path: base, size: size, sha256: sum}}, size
	return t, nil
}

// name is that of a file in the project: the page's for what is published as one file, else its path below the folder.
func (w work) name(page string) (string, error) {
	switch {
	case w.as != "":
		return w.as, nil
	case w.isPage():
		return page, nil
	}
	return w.place.name(w.path)
}

// isPage reports whether the file is what the folder publishes, alone.
func (w work) isPage() bool {
	known := w.place.state
	if known.ID == "" {
		return w.alone && !w.folder
	}
	return !w.folder && sameFile(filepath.Join(w.place.dir, known.Path), w.path)
}

// name is the name in the project of a path on this machine.
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

// published is what of its folder is the project.
func (w work) published() string {
	if w.folder || !w.isPage() {
		return "."
	}
	return filepath.Base(w.path)
}

// page is the primary file of a project.
func page(p client.Project) string {
	if p.PrimaryFile == "" {
		return "index.html"
	}
	return p.PrimaryFile
}
