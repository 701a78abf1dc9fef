package check

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
)

// mostCompared bounds the names in lists of one version.
const mostCompared = 5000

// A list is a run of strings with only the punctuation of arrays and objects between them, such as the pictures that a
// game loads in a loop.
type list struct {
	of    string // the variable that it is assigned to, if any
	files []ref  // the values that name files
	taken bool   // a cache takes it directly
}

// A row is the current list of a lexer.
type row struct {
	list
	on   bool
	upTo int // the end of its last part
}

// mostBetween is the most data between two names of a list, in bytes.
const mostBetween = 400

// element adds the string between two quotes to its list.
func (x *lexer) element(start, end int) {
	x.viewport = x.viewport || x.kind == page && string(x.text[start+1:end]) == "viewport" // a viewport that a script adds, as Unity's does
	if n := len(x.text[start+1 : end]); n > 0 && x.text[end-1] == '/' || n < near && bytes.Contains(x.text[start+1:end], []byte("://")) {
		x.facts |= joins
	}
	if !x.row.on || !plainData(x.text[x.row.upTo:start]) {
		x.endList()
		x.beginList(start)
	}
	x.row.upTo = end + 1
	value := bytes.TrimSpace(x.text[start+1 : end])
	after := bytes.TrimLeft(x.text[end+1:min(x.end, end+1+near)], " \t\r\n")
	if x.row.on && len(after) > 0 && bytes.IndexByte([]byte(",]}"), after[0]) >= 0 && len(x.row.files) < mostRefs &&
		len(value) > 0 && len(value) <= longestRef && namesFile(value) && !bytes.Contains(value, []byte("//")) && !unreadable(value) {
		x.row.files = append(x.row.files, ref{string(value), x.spot(start), listed})
	}
}

// beginList begins a list with the string at an offset, if an array or an object begins there.
func (x *lexer) beginList(start int) {
	before := bytes.TrimRight(x.text[max(0, start-near):start], " \t\r\n")
	x.row = row{on: len(before) > 0 && bytes.IndexByte([]byte("[{:"), before[len(before)-1]) >= 0}
	before, array := bytes.CutSuffix(before, []byte("["))
	x.row.taken = array && bytes.HasSuffix(before, []byte(".addAll("))
	if before, given := bytes.CutSuffix(bytes.TrimRight(before, " \t\r\n"), []byte("=")); array && given {
		x.row.of = string(wordBefore(bytes.TrimRight(before, " \t\r\n")))
	}
}

// endList keeps the list, if it has something to compare.
func (x *lexer) endList() {
	if n := len(x.row.files); n > 1 || n == 1 && (x.row.taken || x.row.of != "") {
		x.lists = append(x.lists, x.row.list)
	}
	x.row = row{}
}

// pass counts a comment inside a list as part of it.
func (x *lexer) pass(from, to int) {
	if x.row.on && to > 0 && plainData(x.text[x.row.upTo:from]) {
		x.row.upTo = to
	}
}

// plainData reports whether text may stand between two values of an array or an object.
func plainData(text []byte) bool {
	if len(text) > mostBetween {
		return false
	}
	for _, c := range text {
		if !inName(c) && bytes.IndexByte([]byte(" \t\r\n,:{}[].-"), c) < 0 {
			return false
		}
	}
	return true
}

// takesAll keeps the variable whose files a service worker adds to its cache.
func (s *scanner) takesAll(at int) {
	text := s.text[min(len(s.text), at+len(".addall(")):min(len(s.text), at+2*near)]
	if n := bytes.IndexByte(text, ')'); n > 0 && len(s.cached) < mostPrefixes {
		s.cached = append(s.cached, string(bytes.TrimSpace(text[:n])))
	}
}

// listed judges the lists of a file: each name in a cache's list, and the missing names in other lists if most are
// there.
func (f *finder) listed(l *Look) {
	for _, list := range l.lists {
		switch {
		case list.taken || list.of != "" && slices.Contains(l.cached, list.of):
			for _, r := range list.files {
				r.how = caches
				f.local(l, r, read(r.to))
			}
		case !f.Unlisted && l.whole:
			f.among(l, list.files)
		}
	}
}

// among judges names that a script may put a folder in front of. If most files of a family are there, the others should
// lie beside them. If none is, the names count only if they begin with a folder, and the script puts none in front.
func (f *finder) among(l *Look, files []ref) {
	families := map[string][]ref{}
	if f.compared += len(files); f.compared > mostCompared {
		return
	}
	for _, r := range files {
		if family := familyOf(strings.ToLower(path.Ext(r.to))); assets[family] && read(r.to).ok {
			families[family] = append(families[family], r)
		}
	}
	for _, family := range slices.Sorted(maps.Keys(families)) {
		lacking, n, before := f.lacking(l, families[family])
		switch {
		case len(lacking) == n && n > 1 && l.facts&joins == 0:
			for _, r := range lacking {
				if strings.Contains(r.to, "/") {
					f.local(l, r, read(r.to))
				}
			}
		case 2*len(lacking) <= n:
			for _, r := range lacking {
				if name := within("", before+stripped(r.to)); f.first(name) && usable(name) {
					f.sameFolded(name)
					f.missing(l, r, name)
				}
			}
		}
	}
}

// lacking returns the names that no file ends with, the number of all names, and the folder of the last file that is
// there. Of files that differ only in their extension, such as one sound in two formats, one is enough.
func (f *finder) lacking(l *Look, files []ref) (lacking []ref, of int, before string) {
	there := map[string]bool{}
	for _, r := range files {
		name, whole := f.below(r.to), false
		if name == "" {
			continue
		}
		there[stem(r.to)] = true
		if before, whole = strings.CutSuffix(name, stripped(r.to)); !whole && f.first(name+" "+r.to) {
			f.wrongCase(l, r, name)
		}
	}
	for _, r := range files {
		if name := stem(r.to); !there[name] {
			lacking, there[name] = append(lacking, r), true
		}
	}
	return lacking, len(there), before
}

// stem returns a reference without its extension.
func stem(to string) string { return strings.TrimSuffix(to, path.Ext(to)) }

// stripped returns the path of a reference without its leading slash or dots.
func stripped(to string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(read(to).path, "../", "")), "/")
}

// assets are the families of files that programs load by lists: names of other families may be plain words.
var assets = map[string]bool{"picture": true, "sound": true, "model": true, "font": true, ".json": true, ".atlas": true, ".tmj": true}
