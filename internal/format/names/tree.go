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
	foreignFiles   = map[string]string{
		".ds_store": ".DS_Store", "thumbs.db": "Thumbs.db", "desktop.ini": "desktop.ini", "icon\r": "Icon", ".git": ".git",
	}
)

// The files that hold secrets of the sender, in lower case. Neither changes.
var (
	secretFolders = map[string]string{".aws": ".aws/", ".ssh": ".ssh/", ".gnupg": ".gnupg/"}
	secretFiles   = map[string]bool{
		".npmrc": true, ".netrc": true, "_netrc": true, ".pypirc": true, ".git-credentials": true, ".htpasswd": true, ".sandlot.json": true, ".sandlot-login.json": true,
		"id_rsa": true, "id_dsa": true, "id_ecdsa": true, "id_ecdsa_sk": true, "id_ed25519": true, "id_ed25519_sk": true,
	}
	notSecret = map[string]bool{".env.example": true, ".env.sample": true, ".env.template": true, ".env.dist": true}
)

// Secret returns the kind of a file that probably holds secrets of its sender, such as ".env" or ".ssh/", or "" for any
// other, by its name. Its folder in the tree makes no difference.
func Secret(name string) string {
	what, file := inFolder(name, secretFolders)
	switch {
	case what != "":
		return what
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
	what, file := inFolder(name, foreignFolders)
	if what == "" && strings.HasPrefix(file, "._") { // macOS adds one beside each file of a tar
		return "._*"
	}
	return cmp.Or(what, foreignFiles[file], Secret(name))
}

// inFolder returns the kind of the first of the folders that a file lies in, if any, and its last part, both in lower
// case.
func inFolder(name string, folders map[string]string) (what, file string) {
	parts := strings.Split(strings.ToLower(strings.ReplaceAll(name, `\`, "/")), "/")
	for _, folder := range parts[:len(parts)-1] {
		if what := folders[folder]; what != "" {
			return what, ""
		}
	}
	return "", parts[len(parts)-1]
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
// name ends in ".html", apart from the page for addresses without a file. It is "" if there is none, or more than one.
func Page(list []string) (page string) {
	if slices.Contains(list, Index) {
		return Index
	}
	for _, name := range list {
		if strings.Contains(name, "/") || strings.ToLower(path.Ext(name)) != ".html" || strings.EqualFold(name, lost) {
			continue
		}
		if page != "" {
			return ""
		}
		page = name
	}
	return page
}

// Candidates returns the files that could be the page, at most limit: those nearest to the root first.
func Candidates(list []string, limit int) (pages []string) {
	for _, name := range list {
		ext := strings.ToLower(path.Ext(name))
		if (ext == ".html" || ext == ".htm") && !strings.EqualFold(path.Base(name), lost) {
			pages = append(pages, name)
		}
	}
	slices.SortFunc(pages, func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	})
	return pages[:min(len(pages), limit)]
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

// Collide is Clash for files of which at least the first returned one is new.
func Collide(list []Place) (name, other string, found bool) {
	by := make(map[string]Place, len(list))
	for _, p := range list {
		if o, twice := by[p.Folded]; twice && (p.New || o.New) {
			return newFirst(p, o)
		}
		by[p.Folded] = p
	}
	for _, p := range list {
		for folder := p.Folded; strings.Contains(folder, "/"); {
			folder = folder[:strings.LastIndexByte(folder, '/')]
			if o, is := by[folder]; is && (p.New || o.New) {
				return newFirst(p, o)
			}
		}
	}
	return "", "", false
}

func newFirst(a, b Place) (name, other string, found bool) {
	if !a.New {
		a, b = b, a
	}
	return a.Name, b.Name, true
}
