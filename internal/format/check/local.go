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
var sources = map[string]bool{".jsx": true, ".tsx": true, ".ts": true, ".mts": true, ".vue": true, ".svelte": true, ".scss": true, ".sass": true, ".less": true, ".coffee": true}

// local judges a reference to a file of the project.
func (f *finder) local(l *Look, r ref, t target) {
	candidates := f.candidates(l, r, t.path)
	if len(candidates) == 0 {
		return
	}
	name := candidates[0]
	for _, c := range candidates {
		if f.has(c) {
			f.there(l, r, t, c)
			return
		}
	}
	if f.Part && (path.Ext(name) == "" || !f.known[names.Fold(name)]) {
		return
	}
	if r.how == opens && f.suffixless(l, r, name) || r.how == opens && !isPageName(name) || !f.first(name) || !usable(name) || r.how == fetches && !f.All && f.below(r.to) != "" {
		return
	}
	if f.otherFont(name) || l.tiled && (!f.mapsLoad() || f.below(path.Base(t.path)) != "") {
		return
	}
	if same := f.sameFolded(name); same != "" {
		f.wrongCase(l, r, same)
		return
	}
	switch {
	case sources[strings.ToLower(path.Ext(name))]:
		f.notBuilt(l, r)
	case strings.HasPrefix(t.path, "/") && f.exact("public/"+name):
		f.inPublic(l, r, "public/"+name)
	default:
		if strings.HasPrefix(l.base, "/") {
			t.path = "/" + name
		}
		if of, file := f.built(l, t); of != "" {
			f.builtFor(l, r, of, file)
			return
		}
		f.missing(l, r, name)
	}
}

// wrongCase reports a file whose name differs from the reference in case.
func (f *finder) wrongCase(l *Look, r ref, same string) {
	f.add(WrongCase, fmt.Sprintf("Write %s there, exactly as the file is called.", inspect.Quoted(f.from(l, r, same))),
		"%s %s %s, and the file is called %s: names differ if a letter is large in one and small in the other.", at(l, r.place), verbs[r.how], inspect.Quoted(r.to), shown(same))
}

// exact reports whether the version has a file of that name.
func (f *finder) exact(name string) bool {
	_, ok := slices.BinarySearch(f.Names, name)
	return ok
}

// missing reports a missing file, and the file that was probably meant.
func (f *finder) missing(l *Look, r ref, name string) {
	verb, near, told := verbs[r.how], "", len(f.found)
	f.scriptless = f.scriptless || kindOf(name) == script
	if f.counts[MissingFile] < mostOf {
		near = cmp.Or(f.below(r.to), f.nearest(name))
	}
	if near != "" {
		f.add(MissingFile, fmt.Sprintf("Write %s there if that is meant, or send the file%s.", inspect.Quoted(f.from(l, r, near)), f.with(name)),
			"%s %s %s, which is not in the project. The nearest that is there is %s.", at(l, r.place), verb, written(r, name), shown(near))
	} else {
		f.add(MissingFile, fmt.Sprintf("Send the file%s, or take out what asks for it.", f.with(name)),
			"%s %s %s, which is not in the project.", at(l, r.place), verb, written(r, name))
	}
	for i := told; i < len(f.found); i++ {
		f.found[i].Lacks = name
	}
}

// written returns a reference as written, with the name that it resolves to if that differs.
func written(r ref, name string) string {
	if t := read(r.to); within("", t.path) != name {
		return inspect.Quoted(r.to) + " (that is " + shown(name) + ")"
	}
	return inspect.Quoted(r.to)
}

// verbs describe how a file uses its references.
var verbs = [...]string{loads: "loads", opens: "links to", imports: "imports", asks: "asks for", registers: "registers", fetches: "asks for", listed: "lists", caches: "adds to its cache"}

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
	if _, empty := slices.BinarySearch(f.Empty, name); empty && !f.otherFont(name) && noModule(strings.ToLower(path.Ext(name))) && kindOf(name) != style && f.first("empty "+name) {
		f.add(MissingFile, fmt.Sprintf("Send the file itself%s. With Git LFS, git lfs pull fetches it first.", f.with(name)),
			"%s %s %s, which is there and has no bytes of its own: it is empty, or a pointer of Git LFS.", at(l, r.place), verbs[r.how], inspect.Quoted(r.to))
		return
	}
	ext := strings.ToLower(path.Ext(name))
	if r.how == loads && l.kind == page && sources[ext] || r.how == imports && (sources[ext] || noModule(ext)) {
		f.notBuilt(l, r)
		return
	}
	rooted := strings.HasPrefix(t.path, "/") || strings.HasPrefix(l.base, "/")
	if !rooted || f.Place.Path == "" || r.how == registers || name == "favicon.ico" || strings.HasPrefix(name, ".sandlot/") || !f.first("/"+name) {
		return
	}
	hint := fmt.Sprintf("Write %s instead: that works at every address of the project. Vite does so with base: './'.", inspect.Quoted(f.from(l, r, name)))
	if strings.HasPrefix(l.base, "/") {
		hint = hintBase
	}
	if f.Place.PathAlone {
		f.add(AbsolutePath, hint, "%s %s %s from the root of the host. The project's address is %s, below which nothing of that is found.", at(l, r.place), verbs[r.how], inspect.Quoted(r.to), f.Place.Path)
		return
	}
	f.add(AbsolutePath, hint, "%s %s %s from the root of the host. That works at the project's own address, and not at its path form %s, which is for frames and for clients that cannot resolve that address.", at(l, r.place), verbs[r.how], inspect.Quoted(r.to), f.Place.Path)
}
