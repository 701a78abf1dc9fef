package play

import (
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"sandlot/internal/mediatype"
	"sandlot/internal/publish"
)

// A list is the files of one version, with all that can be said about them before a request comes.
type list struct {
	files  map[string]*file
	icon   atomic.Pointer[string] // the name of the project's own; nil: not looked for yet
	until  time.Time              // when to ask again because variants may have come; zero: never
	weight uint32                 // about how many bytes the list takes
}

// A file is one published file.
type file struct {
	hash      string // SHA-256 of the published bytes, lower-case hex
	mediaType []string
	html      bool // browsers show it as a page
	text      bool // valid UTF-8
	plain     form
	packed    []form // smaller forms of the same bytes
	encoded   bool   // pre-compressed by its author: packed is the same bytes, to be unpacked by the client
	varies    bool   // there are, or may come, packed forms
}

// A form is one representation of a file: it has its own bytes and its own validator.
type form struct {
	coding   coding
	encoding []string // value of Content-Encoding; nil for plain bytes
	etag     []string
	length   []string
	size     int64
	blob     publish.Blob
	body     []byte          // the bytes, if they are not in a blob
	after    []byte          // follows the bytes; counted in length and size
	prepared *preparedAnswer // nil: it has none
}

// newList makes a list; until is when to ask again if anything is still to come.
func newList(files []publish.File, until time.Time) *list {
	l := &list{files: make(map[string]*file, len(files))}
	for i := range files {
		f := newFile(&files[i])
		if len(files) <= preparedFiles {
			f.prepare()
		}
		l.files[files[i].Name] = f
		// Measured: a file takes about 400 bytes, and each form about 350 with its header values, beside its prepared answers.
		l.weight += uint32(400 + 2*len(files[i].Name) + (350+preparedWeight)*(1+len(f.packed)))
		if f.varies && !files[i].Squeezed {
			l.until = until
		}
	}
	return l
}

// newFile says what can be said about a file beforehand.
func newFile(p *publish.File) *file {
	f := &file{
		hash:      p.Blob.SHA256.String(),
		mediaType: []string{mediatype.Of(p.Name, p.Blob.Text)},
		html:      mediatype.IsHTML(p.Name),
		text:      p.Blob.Text,
		varies:    mediatype.Compressible(p.Name) || len(p.Variants) > 0,
	}
	f.plain = f.makeForm(identity, p.Blob)
	if c := codingOf(mediatype.Encoding(p.Name)); c != identity {
		f.encoded, f.varies = true, true
		f.packed = []form{f.makeForm(c, p.Blob)}
		return f
	}
	for _, v := range p.Variants {
		if c := codingOf(v.Encoding); c != identity && v.Blob.Size < p.Blob.Size {
			f.packed = append(f.packed, f.makeForm(c, v.Blob))
		}
	}
	return f
}

// makeForm makes one form of the file. Its ETag is the hash of the published bytes and the mark of the coding: what a
// coding makes of the same bytes is made once and kept.
func (f *file) makeForm(c coding, b publish.Blob) form {
	o := form{coding: c, size: b.Size, blob: b}
	o.etag = []string{`"` + f.hash + marks[c] + `"`}
	o.length = []string{strconv.FormatInt(b.Size, 10)}
	if c != identity {
		o.encoding = []string{codings[c]}
	}
	return o
}

// prepare gives each form a place for its prepared answers.
func (f *file) prepare() {
	f.plain.prepared = new(preparedAnswer)
	for i := range f.packed {
		f.packed[i].prepared = new(preparedAnswer)
	}
}

// find returns the file that a decoded path names: "/" is the primary file, "folder/" the index.html in it, all other
// names are as published. A folder that lacks its slash but has an index.html is told by folder.
func (l *list) find(path, primary string) (f *file, name string, folder bool) {
	name, ok := strings.CutPrefix(path, "/")
	switch {
	case !ok && path != "":
		return nil, "", false
	case name == "":
		name = primary
	case strings.HasSuffix(name, "/"):
		name += "index.html"
	}
	if f := l.files[name]; f != nil {
		return f, name, false
	}
	_, folder = l.files[name+"/index.html"]
	return nil, name, folder
}
