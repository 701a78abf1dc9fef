// Package names also has the rules for the files of one call: which are left out, which folder wraps all of them, which
// is the page, and which cannot lie beside each other.
package names

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Index is the page of a list of files that has it at the root.
const Index = "index.html"

// The files that tools leave beside people's work, in lower case. Neither changes.
var (
	foreignFolders = map[string]string{"__macosx": "__MACOSX/", ".git": ".git/", "node_modules": "node_modules/", ".sandlot": ".sandlot/"}
	foreignFiles   = map[string]string{".ds_store": ".DS_Store", "thumbs.db": "Thumbs.db", "desktop.ini": "desktop.ini", "icon\r": "Icon", ".git": ".git"}
)

// The files that hold secrets of the sender, in lower case. Neither changes.
var (
	secretFolders = map[string]string{".aws": ".aws/", ".ssh": ".ssh/", ".gnupg": ".gnupg/"}
	secretFiles   = map[string]bool{
		".npmrc": true, ".netrc": true, "_netrc": true, ".pypirc": true, ".git-credentials": true, ".htpasswd": true, ".sandlot.json": true,
		"id_rsa": true, "id_dsa": true, "id_ecdsa": true, "id_ecdsa_sk": true, "id_ed25519": true, "id_ed25519_sk": true,
	}
	notSecret = map[string]bool{".env.example": true, ".env.sample": true, ".env.template": true, ".env.dist": true}
)

// Secret returns the kind of a file that probably holds secrets of its sender, such as ".env" or ".ssh/", or "" for any
// other, by its name. Its folder in the tree makes no difference.
func Secret(name string) string {
	file := strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	for folder, rest, found := strings.Cut(file, "/"); found; folder, rest, found = strings.Cut(file, "/") {
		if what := secretFolders[folder]; what != "" {
			return what
		}
		file = rest
	}
	switch {
	case file == ".env" || strings.HasPrefix(file, ".env.") && !notSecret[file]:
		return ".env"
	case strings.HasSuffix(file, ".pem"):
		return "*.pem"
	case secretFiles[file]:
		return file
	}
	return ""
}

// LeftOut returns the kind of a file that is left out, such as "node_modules/" or ".DS_Store", because some tool keeps
// it beside people's work, or because it is a Secret; "" for a file that is accepted. Its folder in the tree makes no
// difference.
func LeftOut(name string) string {
	file := strings.ToLower(strings.ReplaceAll(name, `\`, "/"))
	for folder, rest, found := strings.Cut(file, "/"); found; folder, rest, found = strings.Cut(file, "/") {
		if what := foreignFolders[folder]; what != "" {
			return what
		}
		file = rest
	}
	if strings.HasPrefix(file, "._") { // macOS adds one beside each file of a tar
		return "._*"
	}
	return cmp.Or(foreignFiles[file], Secret(name))
}

// Wrapper returns the folder, with its slash, that all files lie in, if it holds their page; else "".
func Wrapper(list []string) string {
	if len(list) == 0 {
		return ""
	}
	folder, _, found := strings.Cut(list[0], "/")
	folder += "/"
	if !found || slices.ContainsFunc(list, func(name string) bool { return !strings.HasPrefix(name, folder) }) {
		return ""
	}
	inside := make([]string, len(list))
	for i, name := range list {
		inside[i] = name[len(folder):]
	}
	if Page(inside) == "" {
		return ""
	}
	return folder
}

// lost is the page that a project has for addresses without a file.
const lost = "404.html"

// Page returns the name of the file that a browser should open first: Index, or else the one page at the root whose
// name ends in ".html", or, without any, in ".htm". It is "" if there is none, or more than one. The page for addresses
// without a file counts only if there is no other page at all.
func Page(list []string) string {
	if slices.Contains(list, Index) {
		return Index
	}
	for _, end := range []string{".html", ".htm"} {
		pages := slices.DeleteFunc(slices.Clone(list), func(name string) bool {
			return strings.Contains(name, "/") || strings.ToLower(path.Ext(name)) != end || strings.EqualFold(name, lost)
		})
		switch n := slices.Index(pages, "index.htm"); {
		case n >= 0:
			return pages[n]
		case len(pages) == 1:
			return pages[0]
		case len(pages) > 1:
			return ""
		}
	}
	if pages := Candidates(list, 2); len(pages) == 1 && !strings.Contains(pages[0], "/") {
		return pages[0]
	}
	return ""
}

// Candidates returns the files that could be the page, at most limit: those nearest to the root first, and of these the
// page for addresses without a file last.
func Candidates(list []string, limit int) (pages []string) {
	for _, name := range list {
		if ext := strings.ToLower(path.Ext(name)); ext == ".html" || ext == ".htm" {
			pages = append(pages, name)
		}
	}
	slices.SortFunc(pages, func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), last(a)-last(b), strings.Compare(a, b))
	})
	return pages[:min(len(pages), limit)]
}

// last returns 1 for the page for addresses without a file, and 0 for others.
func last(name string) int {
	if strings.EqualFold(path.Base(name), lost) {
		return 1
	}
	return 0
}

// Clash returns two of the names, which are all different, that no file system could keep apart: they have the same
// fold, or one is a folder in the other's path.
func Clash(list []string) (name, other string, found bool) {
	places := make([]Place, len(list))
	for i, name := range list {
		places[i] = Place{Fold(name), name, true}
	}
	return Collide(places)
}

// A Place is the future name of a file.
type Place struct {
	Folded, Name string
	New          bool // the file is not there yet
}

// Collide is Clash for files of which at least the first returned one is new. It reorders the list, and takes no memory
// for folders, of which there may be many times as many.
func Collide(list []Place) (name, other string, found bool) {
	slices.SortFunc(list, func(a, b Place) int { return compareBelow(a.Folded, b.Folded) })
	var above []Place // the possible folders of the next file: more than one only if existing files collide
	for _, p := range list {
		for len(above) > 0 && !within(p.Folded, above[len(above)-1].Folded) {
			above = above[:len(above)-1]
		}
		for _, a := range above {
			switch {
			case p.New:
				return p.Name, a.Name, true
			case a.New:
				return a.Name, p.Name, true
			}
		}
		above = append(above, p)
	}
	return "", "", false
}

// within reports whether the first name is the other one, or in the folder of that name.
func within(name, other string) bool {
	return strings.HasPrefix(name, other) && (len(name) == len(other) || name[len(other)] == '/')
}

// compareBelow sorts the names under a folder's path right after that path: nothing comes before a slash.
func compareBelow(a, b string) int {
	for i := range min(len(a), len(b)) {
		switch x, y := a[i], b[i]; {
		case x == y:
		case x == '/':
			return -1
		case y == '/':
			return 1
		default:
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}
