package check

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// sources are the extensions of source files, which browsers run only after a build has made JavaScript of them.
var sources = strings.Fields(".jsx .tsx .ts .mts .vue .svelte .scss .sass .less .coffee")

func isSource(name string) bool { return slices.Contains(sources, strings.ToLower(path.Ext(name))) }

// local judges a reference to a file of the project.
func (f *finder) local(l *Look, r ref, t target) {
	candidates := f.candidates(l, r, t.path)
	if f.Unlisted || len(candidates) == 0 {
		return
	}
	name := candidates[0]
	for _, c := range candidates {
		if f.has(c) {
			f.there(l, r, t, c)
			return
		}
	}
	if r.how == opens && (f.suffixless(l, r, name) || !isPageName(name)) || !f.first(name) || !usable(name) {
		return
	}
	if r.how == fetches && !f.All && f.below(r.to) != "" || f.otherFont(name) {
		return
	}
	if l.tiled && (!f.mapsLoad() || f.below(path.Base(t.path)) != "") {
		return
	}
	if same := f.sameFolded(name); same != "" {
		f.wrongCase(l, r, same)
		return
	}
	switch {
	case isSource(name):
		f.notBuilt(l, r)
	case strings.HasPrefix(t.path, "/") && f.exact("public/"+name):
		f.inPublic(l, r, "public/"+name)
	default:
		f.missing(l, r, name)
	}
}

// wrongCase reports a file whose name differs from the reference in case.
func (f *finder) wrongCase(l *Look, r ref, same string) {
	f.report(WrongCase, l, r, fmt.Sprintf("Write %s there, exactly as the file is called.", inspect.Quoted(f.from(l, r, same))),
		", and the file is called %s: names differ if a letter is large in one and small in the other.", shown(same))
}

// exact reports whether the version has a file of that name.
func (f *finder) exact(name string) bool {
	_, ok := slices.BinarySearch(f.Names, name)
	return ok
}

// missing reports a missing file, and the file that was probably meant.
func (f *finder) missing(l *Look, r ref, name string) {
	near, first, is := "", len(f.found), ""
	f.scriptless = f.scriptless || kindOf(name) == script
	if f.counts[MissingFile] < mostOf {
		near = cmp.Or(f.below(r.to), f.nearest(name))
	}
	if within("", read(r.to).path) != name {
		is = " (that is " + shown(name) + ")"
	}
	switch {
	case strings.HasSuffix(name, sdkPath):
		f.report(MissingFile, l, r, "Write "+sdkLine(l.name)+" there.", "%s, and it lies at the root of the project.", is)
	case near != "":
		f.report(MissingFile, l, r, fmt.Sprintf("Write %s there if that is meant, or send the file%s.",
			inspect.Quoted(f.from(l, r, near)), f.with(name)),
			"%s, which is not in the project. The nearest that is there is %s.", is, shown(near))
	default:
		f.report(MissingFile, l, r, fmt.Sprintf("Send the file%s, or take out what asks for it.", f.with(name)),
			"%s, which is not in the project.", is)
	}
	for i := first; i < len(f.found); i++ {
		f.found[i].Lacks = name
	}
}

// verbs describe how a file uses its references.
var verbs = [...]string{
	loads: "loads", opens: "links to", imports: "imports", asks: "asks for", registers: "registers", fetches: "asks for",
	listed: "lists", caches: "adds to its cache",
}

// otherFont reports whether a font is there in another format: browsers need only one.
func (f *finder) otherFont(name string) bool {
	ext := path.Ext(name)
	there := func(other string) bool { return other != ext && f.exact(strings.TrimSuffix(name, ext)+other) }
	return (familyOf(ext) == "font" || ext == ".svg") && slices.ContainsFunc([]string{".woff2", ".woff", ".ttf", ".otf"}, there)
}

// with returns the hint to send a missing file under its name.
func (f *finder) with(name string) string {
	if f.Place.Project == "" {
		return " as " + inspect.Quoted(name) + " with the others"
	}
	return " with update, project_id " + f.Place.Project + " and filename " + inspect.Quoted(name)
}

// from returns the reference by which a file names another file of the project.
func (f *finder) from(l *Look, r ref, name string) string {
	folder, _ := l.baseOf()
	if r.how >= asks && l.kind == script {
		folder = folderOf(f.Primary)
	}
	to := relative(folder, name)
	if r.how == imports && !strings.HasPrefix(to, "../") {
		to = "./" + to
	}
	return to
}

// relative returns the path from a folder to a file.
func relative(folder, name string) string {
	up := ""
	for folder != "" && !strings.HasPrefix(name, folder+"/") {
		folder, up = folderOf(folder), up+"../"
	}
	if folder != "" {
		name = name[len(folder)+1:]
	}
	return up + name
}

// isPageName reports whether a name is that of a page: a program may make other targets of a link.
func isPageName(name string) bool { return kindOf(name) == page }

// usable reports whether a file may have the name: a file that no project can have was not forgotten.
func usable(name string) bool {
	clean, read, err := names.ReadFilename(name)
	return err == nil && !read && clean == name
}

// there judges a reference to a file that exists.
func (f *finder) there(l *Look, r ref, t target, name string) {
	ext := strings.ToLower(path.Ext(name))
	_, empty := slices.BinarySearch(f.Empty, name)
	if empty && !f.otherFont(name) && noModule(ext) && kindOf(name) != style && f.first("empty "+name) {
		f.report(MissingFile, l, r, fmt.Sprintf("Send the file itself%s. With Git LFS, git lfs pull fetches it first.", f.with(name)),
			", which is there and has no bytes of its own: it is empty, or a pointer of Git LFS.")
		return
	}
	if r.how == loads && l.kind == page && isSource(name) || r.how == imports && (isSource(name) || noModule(ext)) {
		f.notBuilt(l, r)
		return
	}
	rooted := strings.HasPrefix(t.path, "/") || strings.HasPrefix(l.base, "/")
	own := name == "favicon.ico" || strings.HasPrefix(name, ".sandlot/")
	if !rooted || own || f.Place.Path == "" || r.how == registers || !f.first("/"+name) {
		return
	}
	hint := fmt.Sprintf("Write %s instead: that works at every address of the project. Vite does so with base: './'.",
		inspect.Quoted(f.from(l, r, name)))
	if strings.HasPrefix(l.base, "/") {
		hint = `Take out the <base>, or write <base href="./">.`
	}
	rest := " from the root of the host. That works at the project's own address, and not at its path form %s, " +
		"which is for frames and for clients that cannot resolve that address."
	if f.Place.PathAlone {
		rest = " from the root of the host. The project's address is %s, below which nothing of that is found."
	}
	f.report(AbsolutePath, l, r, hint, rest, f.Place.Path)
}
