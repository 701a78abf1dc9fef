package play

import (
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/mediatype"
)

// A list holds the files of one version, with everything about them that does not depend on a request. It is shared by
// requests and never changes, except for the prepared answers in it, which may be set concurrently.
type list struct {
	files  map[string]*file // by name
	until  time.Time        // when to read the list again because variants may have come; zero: never
	weight uint32           // approximate size of the list in bytes
}

// A file is one published file.
type file struct {
	hash      string // SHA-256 of the published bytes, lower-case hex
	mediaType []string
	html      bool   // whether browsers show it as a page
	text      bool   // whether it is valid UTF-8
	plain     form   // the bytes as they were published
	packed    []form // compressed forms, each smaller than plain unless encoded
	encoded   bool   // whether its author compressed it: packed is the same bytes, for clients that unpack them
	varies    bool   // whether it has compressed forms, or may get them
}

// A form is one representation of a file: it has its own bytes and its own ETag.
type form struct {
	coding   coding
	encoding []string // value of Content-Encoding; nil for plain bytes
	etag     []string
	length   []string
	size     int64
	blob     sandlot.Blob
	body     []byte          // the bytes, if they are not in a blob
	after    []byte          // follows the bytes; counted in length and size
	prepared *preparedAnswer // nil: it has none
}

// newList returns the list of a version's files. until is the time to read them again if some may still get variants.
func newList(files []sandlot.File, until time.Time) *list {
	l := &list{files: make(map[string]*file, len(files))}
	for i := range files {
		f := newFile(&files[i])
		if len(files) <= preparedFiles {
			f.prepare()
		}
		l.files[files[i].Name] = f
		// Measured: a file takes about 400 bytes, and each form about 350 with its header values,
		// without its prepared answers.
		l.weight += uint32(400 + 2*len(files[i].Name) + (350+preparedWeight)*(1+len(f.packed)))
		if f.varies && !files[i].Squeezed {
			l.until = until
		}
	}
	return l
}

func newFile(p *sandlot.File) *file {
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

// makeForm returns one form of the file, with the bytes of b. Its ETag is the hash of the published bytes with the mark
// of the coding, since a file is compressed once and the result kept.
func (f *file) makeForm(c coding, b sandlot.Blob) form {
	o := form{coding: c, size: b.Size, blob: b}
	o.etag = []string{`"` + f.hash + marks[c] + `"`}
	o.length = []string{strconv.FormatInt(b.Size, 10)}
	if c != identity {
		o.encoding = []string{codings[c]}
	}
	return o
}

// prepare adds room for prepared answers to each form.
func (f *file) prepare() {
	f.plain.prepared = new(preparedAnswer)
	for i := range f.packed {
		f.packed[i].prepared = new(preparedAnswer)
	}
}

// find returns the file and the name for a path from names.Requested. "/" is the primary file, "folder/" the index.html
// in that folder. f is nil if there is no such file; folder reports whether only a slash at the end is missing.
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
