package check

import (
	"path"
	"strings"

	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// suffixless judges a link to "about" beside about.html, which some servers find.
func (f *finder) suffixless(l *Look, r ref, name string) bool {
	file := strings.TrimSuffix(name, "/index.html") + ".html"
	if !f.exact(file) {
		return false
	}
	if f.first("link " + name) {
		f.report(MissingFile, l, r, "Write "+inspect.Quoted(f.from(l, r, file))+" there, or put that page into a folder as its index.html.",
			", and the project has that as %s: no page is found without the end of its name.", shown(file))
	}
	return true
}

// mostSame is how many files with one last name are compared.
const mostSame = 50

// below finds a file whose name ends with that of a reference, ignoring case if necessary, or returns "": it is for
// references whose folder is not known.
func (f *finder) below(to string) (found string) {
	to = stripped(to)
	fold := names.Fold(to)
	if f.bases == nil {
		f.bases = map[string][]string{}
		for _, name := range f.Names {
			if base := names.Fold(path.Base(name)); len(f.bases[base]) < mostSame {
				f.bases[base] = append(f.bases[base], name)
			}
		}
	}
	for _, name := range f.bases[path.Base(fold)] {
		switch folded := names.Fold(name); {
		case name == to, strings.HasSuffix(name, "/"+to):
			return name
		case folded == fold, strings.HasSuffix(folded, "/"+fold):
			found = name
		}
	}
	return found
}
