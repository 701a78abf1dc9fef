package check

import (
	"fmt"
	"slices"
	"strings"

	"sandlot/internal/format/inspect"
)

// notBuilt reports a page that loads source files which must be built first.
func (f *finder) notBuilt(l *Look, r ref) {
	if f.first("build " + r.to) {
		f.tell(NotBuilt, l, r, f.howToBuild(), ", which browsers do not run as it is: it is source to be built first.")
	}
}

// inPublic reports a file in a folder that a build copies from: nothing of the project was built.
func (f *finder) inPublic(l *Look, r ref, name string) {
	f.tell(NotBuilt, l, r, f.howToBuild(), ", which lies in %s: it is source to be built first.", shown(name))
}

// howToBuild returns the advice to build the project, or names the folder of a build that was sent with the source.
func (f *finder) howToBuild() string {
	for _, folder := range []string{"dist", "build", "out", "docs"} {
		if f.exact(folder + "/index.html") {
			return "Publish the folder " + folder +
				" alone, which looks built; if it is older than the source, build first (often npm run build)."
		}
	}
	return "Build the project (often npm run build) and publish what that made, often the folder dist."
}

// noModule reports whether files with that extension are imported only where a build replaces them.
func noModule(ext string) bool {
	return slices.Contains([]string{"picture", "sound", "style", "font", "model"}, familyOf(ext))
}

// deepestBase is the depth of the folder of a host that a project may be built for.
const deepestBase = 3

// built finds the file that a path from the root of a host means, if the project was built for a folder of that host:
// it returns the folder, and the file's name here. Both are empty if there is none.
func (f *finder) built(l *Look, t target) (folder, file string) {
	for _, b := range builtFor(l, t) {
		if f.exact(b.file) {
			return b.folder, b.file
		}
	}
	return "", ""
}

type based struct{ folder, file string }

// builtFor lists the possible meanings of a path from the root of a host, for a project that was built for a folder
// there.
func builtFor(l *Look, t target) (list []based) {
	if !strings.HasPrefix(t.path, "/") {
		return nil
	}
	rest := within("", t.path)
	for of := "/"; len(list) < 2*deepestBase; {
		first, after, ok := strings.Cut(rest, "/")
		if !ok || after == "" {
			break
		}
		of, rest = of+first+"/", after
		list = append(list, based{of, after})
		if folder := folderOf(l.name); folder != "" {
			list = append(list, based{of, within(folder, after)})
		}
	}
	return list
}

// hintBase says how a page works without the folder of a host.
const hintBase = `Take out the <base>, or write <base href="./">.`

// builtFor reports once, for all paths under the folder, that the project was built for a folder of a host.
func (f *finder) builtFor(l *Look, r ref, folder, file string) {
	if !f.first("built for " + folder) {
		return
	}
	if strings.HasPrefix(l.base, "/") {
		f.tell(MissingFile, l, r, hintBase,
			" below <base href=%s>, and the project has that as %s: it was built to lie in that folder of a host.",
			inspect.Quoted(l.base), shown(file))
		return
	}
	f.tell(MissingFile, l, r, fmt.Sprintf("Build again with relative addresses (Vite: base: './'; others: a homepage or public path "+
		"of \".\"), or write %s there and take %s off all others.", inspect.Quoted(f.from(l, r, file)), shown(folder)),
		", and the project has that as %s: it was built to lie in the folder %s of a host.", shown(file), shown(folder))
}
