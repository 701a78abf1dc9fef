package check

import "slices"

// notBuilt reports a page that loads source files which must be built first.
func (f *finder) notBuilt(l *Look, r ref) {
	if f.first("build " + r.to) {
		f.report(NotBuilt, l, r, f.howToBuild(), ", which browsers do not run as it is: it is source to be built first.")
	}
}

// inPublic reports a file in a folder that a build copies from: nothing of the project was built.
func (f *finder) inPublic(l *Look, r ref, name string) {
	f.report(NotBuilt, l, r, f.howToBuild(), ", which lies in %s: it is source to be built first.", shown(name))
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
