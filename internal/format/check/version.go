package check

import (
	"slices"
	"strings"
)

// A Place is the address of a project, and its permissions there.
type Place struct {
	Project   string // its id, for hints; empty before there is one
	Own       string // host[:port] of the service itself; the hosts below it are its own, too
	Path      string // the address of its path form, empty if that is not served
	PathAlone bool   // whether it has no other address
	HTTPS     bool
	Blocked   bool   // whether its quarantine blocks other hosts
	NoRuntime bool   // whether the service keeps nothing of its players
	Threads   bool   // whether its pages may share memory between threads
	Told      string // the text of other warnings: a host named there is not named again
}

// A Version holds all that the check knows of one version of a project.
type Version struct {
	Place   Place
	Primary string
	Looks   []*Look
	// Names are the existing files, in byte order. If Unlisted is set they are not known, and no name is judged.
	Names    []string
	Unlisted bool
	Empty    []string // files without bytes, or with those of a pointer of Git LFS, in byte order
	// All says that every page and script is in Looks, so that a name in none of them is nowhere.
	All   bool
	Size  int64    // of all files, in bytes
	Count int      // of all files
	steps int      // taken by the parser
	set   []string // folders that scripts set, nil until needed
}

// candidates returns the files that a reference may mean: the page that runs a script is not known, so its files may
// lie beside it or beside the page. There is none if that is another host.
func (v *Version) candidates(l *Look, r ref, to string) (candidates []string) {
	folder, host := l.baseOf()
	if host != "" {
		return nil
	}
	add := func(folder, to string) {
		name := within(folder, to)
		if name == "" {
			name = v.Primary
		} else if strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		if !slices.Contains(candidates, name) {
			candidates = append(candidates, name)
		}
	}
	for _, in := range v.folders(l, r) {
		if r.how >= asks && l.kind == script {
			add(folderOf(v.Primary), in+to)
		}
		add(folder, in+to)
	}
	return candidates
}

// has reports whether the version has the file, or serves another file under its name.
func (v *Version) has(name string) bool {
	if _, ok := slices.BinarySearch(v.Names, name); ok {
		return true
	}
	if name == "favicon.ico" || strings.HasPrefix(name, ".sandlot/") {
		return true // the service itself answers it
	}
	_, folder := slices.BinarySearch(v.Names, name+"/index.html")
	return folder
}

// reached returns the Looks of files that pages load, directly or not. If there is no page among them all count: then
// they are files that pages elsewhere load.
func (v *Version) reached() []*Look {
	var out, queue []*Look
	by := make(map[string]*Look, len(v.Looks))
	for _, l := range v.Looks {
		if l.kind == page {
			queue = append(queue, l)
		} else if l.kind == data && len(l.refs) == 0 {
			out = append(out, l) // programs ask for it by names that they make
		} else {
			by[l.name] = l
		}
	}
	if len(by) == 0 || !v.All {
		return v.Looks
	}
	take := func(name string) {
		if next := by[name]; next != nil {
			delete(by, name)
			queue = append(queue, next)
		}
	}
	for len(queue) > 0 {
		l := queue[0]
		queue, out = queue[1:], append(out, l)
		for _, r := range l.refs {
			t := read(r.to)
			if !t.ok || t.host != "" || r.how == opens {
				continue
			}
			for _, name := range v.candidates(l, r, t.path) {
				take(name)
			}
		}
		for _, list := range l.lists {
			for _, r := range list.files {
				for _, name := range v.candidates(l, r, read(r.to).path) {
					take(name)
				}
			}
		}
	}
	for _, l := range v.Looks {
		if by[l.name] == l && l.kind == data { // programs may still ask for it, or it is left over
			out = append(out, &Look{name: l.name, kind: l.kind, faults: l.faults, cut: l.cut, cutAt: l.cutAt})
		}
	}
	return out
}
