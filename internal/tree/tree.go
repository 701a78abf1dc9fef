// Package tree has the rules of names for files that one call brings: which are left out, which folder wraps
// all of them, which is the page, and which cannot lie beside each other. It knows names alone.
package tree

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"sandlot/internal/names"
)

// Index is the page of files that have one of that name at the root.
const Index = "index.html"

// What tools leave beside people's work, in lower case. Neither changes.
var (
	foreignFolders = map[string]string{"__macosx": "__MACOSX/", ".git": ".git/", "node_modules": "node_modules/", ".sandlot": ".sandlot/"}
	foreignFiles   = map[string]string{".ds_store": ".DS_Store", "thumbs.db": "Thumbs.db", "desktop.ini": "desktop.ini", ".git": ".git"}
)

// LeftOut tells as what a file is left out, such as "node_modules/" or ".DS_Store", because some tool keeps it
// beside people's work; "" is a file that is taken. Where in the tree it lies makes no difference.
func LeftOut(name string) string {
	folders := strings.Split(strings.ToLower(strings.ReplaceAll(name, `\`, "/")), "/")
	file := folders[len(folders)-1]
	for _, folder := range folders[:len(folders)-1] {
		if what := foreignFolders[folder]; what != "" {
			return what
		}
	}
	if strings.HasPrefix(file, "._") { // what macOS adds beside each file of a tar
		return "._*"
	}
	return foreignFiles[file]
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

// Page returns the name of what a browser is to open first: Index, or else the one page at the root whose name ends
// in ".html". It is "" where there is none, or more than one.
func Page(list []string) string {
	found := ""
	for _, name := range list {
		switch {
		case name == Index:
			return name
		case strings.Contains(name, "/") || strings.ToLower(path.Ext(name)) != ".html":
		case found != "":
			found = "/" // there are several, which Index may still settle
		default:
			found = name
		}
	}
	if found == "/" {
		return ""
	}
	return found
}

// Candidates returns the files that could be the page, at most limit, those that lie highest first.
func Candidates(list []string, limit int) (pages []string) {
	for _, name := range list {
		if ext := strings.ToLower(path.Ext(name)); ext == ".html" || ext == ".htm" {
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
	files, folders := make(map[string]string, len(list)), map[string]string{}
	for _, name := range list {
		folded := names.Fold(name)
		if other, taken := files[folded]; taken {
			return name, other, true
		}
		files[folded] = name
		for _, folder := range names.Folders(folded) {
			folders[folder] = name
		}
	}
	for _, name := range list {
		if other, taken := folders[names.Fold(name)]; taken {
			return name, other, true
		}
	}
	return "", "", false
}
