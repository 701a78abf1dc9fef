package check

import (
	"path"
	"strings"

	"sandlot/internal/format/names"
)

const (
	// mostNear is how many names are compared with a missing one.
	mostNear = 2000
	// longestNear is as long as a name may be that is compared letter by letter.
	longestNear = 48
	// mostEdits is how many letters two names may differ in that were meant to be one.
	mostEdits = 2
)

// folds are the names of a version as names.Fold gives them, and which name each is of.
type folds struct {
	names []string
	of    map[string]string
}

func newFolds(all []string) *folds {
	f := &folds{names: make([]string, len(all)), of: make(map[string]string, len(all))}
	for i, name := range all {
		f.names[i] = names.Fold(name)
		f.of[f.names[i]] = name
	}
	return f
}

// sameFolded is the file whose name differs from one that is not there only in case, or "".
func (f *finder) sameFolded(name string) string {
	if f.folds == nil {
		f.folds = newFolds(f.Names)
	}
	return f.folds.of[names.Fold(name)]
}

// nearest is the file that was probably meant by a name that is not there, or "".
func (f *finder) nearest(name string) (near string) {
	fold := names.Fold(name)
	file, folder, best := path.Base(fold), folderOf(fold), 3*(mostEdits+1)
	for i, other := range f.folds.names[:min(len(f.folds.names), mostNear)] {
		if far := distance(file, path.Base(other), folder == folderOf(other)); far < best {
			near, best = f.Names[i], far
		}
	}
	return near
}

// distance tells how far two names are from each other: that of the files counts, and then whether they lie in one folder.
func distance(a, b string, together bool) int {
	apart := 1
	if together {
		apart = 0
	}
	switch {
	case a == b:
		return apart
	case len(a) > longestNear || len(b) > longestNear:
		return 100
	case strings.TrimSuffix(a, path.Ext(a)) == strings.TrimSuffix(b, path.Ext(b)) && alike(path.Ext(a), path.Ext(b)):
		return 3 + apart
	}
	if path.Ext(a) != path.Ext(b) {
		return 100
	}
	a, b = strings.TrimSuffix(a, path.Ext(a)), strings.TrimSuffix(b, path.Ext(b))
	if min(len(a), len(b)) < 4 { // two letters make of one short name any other
		return 100
	}
	if max(len(a)-len(b), len(b)-len(a)) > mostEdits {
		return 100
	}
	if n := names.Edits(a, b); n <= mostEdits {
		return 3*n + apart
	}
	return 100
}

// alike reports whether files with two extensions may stand for each other, as two kinds of pictures do. A name without one
// stands for any.
func alike(a, b string) bool {
	return a == "" || b == "" || familyOf(a) == familyOf(b)
}

// familyOf is the family of files that an extension belongs to, by itself where no other does.
func familyOf(ext string) string {
	switch ext {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".bmp", ".ico":
		return "picture"
	case ".mp3", ".ogg", ".wav", ".m4a", ".aac", ".flac", ".opus", ".webm", ".mp4":
		return "sound"
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx":
		return "script"
	case ".css", ".scss", ".sass", ".less":
		return "style"
	case ".html", ".htm":
		return "page"
	case ".woff", ".woff2", ".ttf", ".otf":
		return "font"
	case ".gltf", ".glb", ".obj", ".fbx":
		return "model"
	}
	return ext
}
