// Package content decodes request bodies in one pass and in constant memory, however large the file in them is.
//
// A publish is a JSON object of a few small members and one huge one:
//
//	{"email": "me@example.com", "content": "PGh0bWw+...", "content_encoding": "base64"}
//
// Reading that with encoding/json holds the body, the string and the decoded bytes at the same time. Here the body
// moves through one window of 64 KiB instead:
//
//	body -> scanner (window) -> text (unescape, drop line breaks) -> unpacker (base64) -> sink
//
// The members may come in any order. Small ones are kept in a Form; when `content` comes, Decode calls sink with a
// reader of its decoded bytes, and continues after it once sink is done. A fault found only later (an encoding declared
// after the content, a second `content`) makes Decode fail after sink has returned: the caller must then drop the
// stored bytes.
//
// The bytes of a file may also be the member `text`, a string that is the file itself; and if Decoder.Takes allows it,
// a body may bring many files, in an array `files` or as parts of a form, each of which moves through the same window,
// or an `archive`.
//
// Gunzipping is a step of its own (Gunzip), for it may have to wait: the encoding can follow the content, and the parts
// of a chunked upload are joined before they are gunzipped.
//
// The package is strict on purpose. A model that cut its text short or mixed two alphabets learns at which character it
// went wrong, instead of publishing a broken file. Every refusal is an *Error with a Reason for programs and one
// sentence for people.
package content

import (
	"cmp"
	"io"
)

// The defaults of Limits.
const (
	DefaultContent = 104_857_600 // bytes of one file: 100 MB as the contract counts them
	DefaultRest    = 1 << 20     // bytes of a body without its content
	DefaultDepth   = 32          // objects and arrays inside one another; the body itself is the first
	DefaultNames   = 1000        // names in a body, those of nested objects included
)

// The allowance of each of many files beside its bytes, so that limits on the rest hold for any number of files: its
// name of at most 512 bytes, its hash, the names of its members, the headers of its part. Anything beyond that counts
// as the rest of the body.
const (
	fileRest  = 1 << 10
	fileNames = 20
)

// gzipRoom is how many bytes content may have beyond Limits.Content while they look gzipped. A gzip stream of random
// bytes is larger than they are: deflate stores incompressible bytes with 5 bytes around each 65,535, and every member
// adds 18 bytes and its name. For a file at the limit that is 8 KiB; 1 MiB leaves room for wasteful encoders. The
// gunzipped bytes are held to the exact limit.
const gzipRoom = 1 << 20

// Limits bounds the bodies that Decode accepts. A field that is zero stands for its default.
type Limits struct {
	Content int64 // decoded bytes of content, or of each of many files, before any gunzipping
	Archive int64 // decoded bytes of an archive; as Content if 0
	Rest    int64 // bytes of the body without the text of content: names, white space, other values, headers of parts
	Depth   int   // objects and arrays inside one another
	Names   int   // names of members, or parts of a multipart body
	Length  int64 // bytes of the body as announced, for the first window; 0 if unknown
}

func (l Limits) withDefaults() Limits {
	if l.Content == 0 {
		l.Content = DefaultContent
	}
	if l.Archive == 0 {
		l.Archive = l.Content
	}
	if l.Rest == 0 {
		l.Rest = DefaultRest
	}
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	if l.Names == 0 {
		l.Names = DefaultNames
	}
	return l
}

// More lists the members that a body may have beside content. A member whose entry is nil or false is a field like any
// other. Of content, text, files and archive, a body may bring one.
type More struct {
	// Text: the member text is the file itself. In a form it is a part of UTF-8.
	Text bool
	// HTML is called with the bytes of the member html, read as text is, beside any other member.
	HTML func(io.Reader) error
	// Place is called for each of many files, after all its members are read. If its Form has content, its bytes are
	// those of the last call of sink, so sink is called for each file. In JSON its other members are the fields of the
	// Form, in a form there is only FileName. If a form brings one part named file, that is content, and Place is not
	// called. Files without bytes may stand beside any member: an earlier answer that a client sends back has such.
	Place func(Form) error
	// Field reports whether a member of that name is a field of the call. If it is set, a part of a form that has a
	// file name but no name of a field is read as a part named file.
	Field func(name string) bool
	// Upload: a part named upload is read as one named archive if its file's name ends in ".zip", and else as one named
	// file.
	Upload bool
	// Archive is called with the bytes of the member archive: those of a part, or decoded from base64.
	Archive func(io.Reader) error
}

// A Decoder decodes one body. JSON and Multipart return one. It is not for use by several goroutines at once.
type Decoder struct {
	body      io.Reader
	boundary  string
	multipart bool
	lim       Limits
	window    int
	readOn    func(error) bool
	also      More
}

// JSON returns a decoder of a body that is one JSON object.
func JSON(body io.Reader, lim Limits) *Decoder {
	return &Decoder{body: body, lim: lim.withDefaults(), window: maxWindow}
}

// Multipart returns a decoder of a body of multipart/form-data with the given boundary. Its parts have the names of the
// JSON members; `content` is raw bytes there, and every other field is a string. A file under the name `file` is
// content as well.
func Multipart(body io.Reader, boundary string, lim Limits) *Decoder {
	return &Decoder{body: body, boundary: boundary, multipart: true, lim: lim.withDefaults()}
}

// Takes makes Decode accept other sources than content.
func (d *Decoder) Takes(more More) { d.also = more }

// ReadOn makes Decode read on after a refusal of one member if may, called once with it, allows that: the Form then has
// the other members, and reports whether the body was read whole. Decode still returns that refusal, and skips content
// that comes later.
func (d *Decoder) ReadOn(may func(refusal error) bool) { d.readOn = may }

// Decode reads the body to its end; it may be called once. When the member `content` comes, wherever it stands, sink is
// called with a reader of its bytes: base64-decoded, never gunzipped, at most Limits.Content of them. If they begin
// with the gzip magic and content_encoding does not rule gzip out, up to 1 MiB more may pass, since gzip can make a
// file larger. sink is called at most once, not at all without `content` or with null for it, unless More.Place allows
// many files; its reader must not be used after it returns. Bytes that sink leaves unread are read and checked all the
// same.
//
// A refusal of the body is an *Error. If sink returns an error, Decode stops and returns it unchanged. An error of the
// body's reader is wrapped, so that errors.Is and errors.As find it; io.EOF and io.ErrUnexpectedEOF before the body's
// end are an *Error of reason Truncated. With any error the Form holds the members that came before it: enough for a
// hint, not to act on.
func (d *Decoder) Decode(sink func(io.Reader) error) (Form, error) {
	if d.multipart {
		m := newMultipart(d.body, d.boundary, d.lim)
		m.may, m.also = d.readOn, d.also
		err := m.decode(sink)
		return m.form, cmp.Or(m.first, err)
	}
	p := &parser{scanner: newScanner(d.body, d.window, d.lim.Length, d.lim.Rest), lim: d.lim, sink: sink, also: d.also}
	p.may = d.readOn
	err := p.document()
	return p.form, cmp.Or(p.first, err)
}
