package check

import (
	"path"
	"strings"

	"sandlot/internal/format/names"
)

const (
	// mostNear is how many names are compared with a missing one.
	mostNear = 2000
	// longestNear is the longest name that is compared letter by letter.
	longestNear = 48
	// mostEdits is the most letters in which a name may differ from the intended one.
	mostEdits = 2
)

// folds are the names of a version as names.Fold returns them, each with its original name.
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

// sameFolded returns the file whose name differs from a missing one only in case, or "".
func (f *finder) sameFolded(name string) string {
	if f.folds == nil {
		f.folds = newFolds(f.Names)
	}
	return f.folds.of[names.Fold(name)]
}

// nearest returns the file that was probably meant by a missing name, or "".
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

// distance returns how far two names are apart: first that of the files counts, and then whether they share a folder.
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
	if min(len(a), len(b)) < 4 { // two edits turn one short name into any other
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

// alike reports whether files with two extensions may replace each other, like two kinds of pictures. A name without an
// extension matches any.
func alike(a, b string) bool {
	return a == "" || b == "" || familyOf(a) == familyOf(b)
}

// familyOf returns the family of files of an extension; an extension without others is its own family.
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
