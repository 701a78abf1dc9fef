package check

import (
	"path"
	"slices"
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
	apart, extA, extB := 1, path.Ext(a), path.Ext(b)
	if together {
		apart = 0
	}
	stemA, stemB := strings.TrimSuffix(a, extA), strings.TrimSuffix(b, extB)
	switch {
	case a == b:
		return apart
	case max(len(a), len(b)) > longestNear:
	case stemA == stemB && alike(extA, extB):
		return 3 + apart
	case extA != extB, min(len(stemA), len(stemB)) < 4: // two edits turn one short name into any other
	case max(len(stemA)-len(stemB), len(stemB)-len(stemA)) > mostEdits:
	default:
		if n := names.Edits(stemA, stemB); n <= mostEdits {
			return 3*n + apart
		}
	}
	return 100
}

// alike reports whether files with two extensions may replace each other, like two kinds of pictures. A name without an
// extension matches any.
func alike(a, b string) bool {
	return a == "" || b == "" || familyOf(a) == familyOf(b)
}

// families are the extensions of files that may replace each other.
var families = map[string][]string{
	"picture": strings.Fields(".png .jpg .jpeg .gif .webp .avif .svg .bmp .ico"),
	"sound":   strings.Fields(".mp3 .ogg .wav .m4a .aac .flac .opus .webm .mp4"),
	"script":  strings.Fields(".js .mjs .cjs .ts .mts .jsx .tsx"),
	"style":   strings.Fields(".css .scss .sass .less"),
	"page":    strings.Fields(".html .htm"),
	"font":    strings.Fields(".woff .woff2 .ttf .otf"),
	"model":   strings.Fields(".gltf .glb .obj .fbx"),
}

// familyOf returns the family of files of an extension; an extension without others is its own family.
func familyOf(ext string) string {
	for family, list := range families {
		if slices.Contains(list, ext) {
			return family
		}
	}
	return ext
}
