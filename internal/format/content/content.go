// Package content decodes request bodies in one pass and in constant memory, however large the file in them is.
//
// A publish is a JSON object of a few small members and one huge one:
//
//	{"email": "me@example.com", "content": "PGh0bWw+...", "content_encoding": "base64"}
//
// Reading that with encoding/json holds the body, the string and the decoded bytes at the same time. Here the body moves through one
// window of 64 KiB instead:
//
//	body -> scanner (window) -> text (unescape, drop line breaks) -> unpacker (base64) -> sink
//
// The members may come in any order. Small ones are kept in a Form; when `content` comes, Decode calls sink with a reader of its decoded
// bytes, and goes on behind it once sink is done. What is learnt only later (an encoding declared behind the content, a second
// `content`) makes Decode fail after sink has returned: whoever stored the bytes then drops them.
//
// The bytes of a file may also be the member `text`, a string that is the file itself; and where Decoder.Takes says so, a body may bring many
// files, in an array `files` or as parts of a form, each of which moves through the same window, or an `archive`.
//
// Gunzipping is a step of its own (Gunzip), for it may have to wait: the encoding can follow the content, and the parts of a chunked
// upload are joined before they are gunzipped.
//
// The package is strict on purpose. A model that cut its text short or mixed two alphabets learns at which character it went
// wrong, instead of publishing a broken file. Every refusal is an *Error with a Reason for programs and one sentence for people.
package content

import (
	"cmp"
	"io"
)

// The limits that hold where Limits says nothing.
const (
	DefaultContent = 104_857_600 // bytes of one file: 100 MB as the contract counts them
	DefaultRest    = 1 << 20     // bytes of a body without its content
	DefaultDepth   = 32          // objects and arrays inside one another; the body itself is the first
	DefaultNames   = 1000        // names in a body, those of nested objects included
)

// What one of many files may take beside its bytes, so that limits on the rest hold however many there are: its name of at most 512 bytes, its hash, the
// names of its members, the headers of its part. What it takes beyond that counts to the rest of the body.
const (
	fileRest  = 1 << 10
	fileNames = 20
)

// gzipRoom is how many bytes content may have beyond Limits.Content while they look gzipped. A gzip stream of random bytes is
// larger than they are: deflate stores what it cannot compress with 5 bytes around each 65,535, and every member adds 18 bytes and its
// name. For a file at the limit that is 8 KiB; 1 MiB leaves room for wasteful encoders. What is gunzipped is held to the exact limit.
const gzipRoom = 1 << 20

// Limits bounds what Decode accepts. A field that is zero stands for its default.
type Limits struct {
	Content int64 // decoded bytes of content, or of each of many files, before any gunzipping
	Archive int64 // decoded bytes of an archive; as Content if 0
	Rest    int64 // bytes of the body without the text of content: names, white space, other values, headers of parts
	Depth   int   // objects and arrays inside one another
	Names   int   // names of members, or parts of a multipart body
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

// More is what a body may bring beside content. What is nil or false is a field like any other. Of content, text, files and archive, a body
// may bring one.
type More struct {
	// Text: the member text is the file itself. In a form it is a part of UTF-8.
	Text bool
	// HTML is called with the bytes of the member html, read as text is, whatever else comes.
	HTML func(io.Reader) error
	// Files that bring no bytes may stand beside anything: an earlier answer that was sent back has such.
	// Place is called for each of many files once all is known of it. Its bytes are those that sink was given last, if its Form has
	// content, so sink is called for each file. In JSON its other members are the fields of the Form, in a form there is only FileName.
	// Where a form brings one part named file, that is content, and Place is not called.
	Place func(Form) error
	// Field reports whether a member of that name is a field of the call. Where it is set, a part of a form with the name of a file that
	// is none is taken for one named file.
	Field func(name string) bool
	// Upload: a part named upload is taken for one named archive if its file's name ends in ".zip", and else for one named file.
	Upload bool
	// Archive is called with the bytes of the member archive: those of a part, or decoded from base64.
	Archive func(io.Reader) error
}

// A Decoder decodes one body. It is made by JSON or Multipart, and not for use by several goroutines at once.
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

// Multipart returns a decoder of a body of multipart/form-data with the given boundary. Its parts have the names of the JSON members;
// `content` is raw bytes there, and every other field is a string. A file under the name `file` is content as well.
func Multipart(body io.Reader, boundary string, lim Limits) *Decoder {
	return &Decoder{body: body, boundary: boundary, multipart: true, lim: lim.withDefaults()}
}

// Takes makes Decode take more than content.
func (d *Decoder) Takes(more More) { d.also = more }

// ReadOn makes Decode read on behind a refusal of one member where may, called once with it, allows that: the Form then tells what else the body
// says, and whether it was read whole. Decode still returns that refusal, and passes over content that comes later.
func (d *Decoder) ReadOn(may func(refusal error) bool) { d.readOn = may }

// Decode reads the body to its end; it may be called once. When the member `content` comes, wherever it stands, sink is called with a
// reader of its bytes: base64-decoded, never gunzipped, at most Limits.Content of them. If they begin with the gzip magic and
// content_encoding does not speak against it, up to 1 MiB more may pass, since gzip can make a file larger. sink is called at most
// once, not at all without `content` or with null for it, unless More.Place lets many files come; its reader must not be used after it returns. What sink leaves unread is read and checked all the same.
//
// A refusal of the body is an *Error. If sink returns an error, Decode stops and returns it unchanged. An error of the body's reader is
// wrapped, so that errors.Is and errors.As find it; io.EOF and io.ErrUnexpectedEOF before the body's end are an *Error of reason Truncated.
// With any error the Form holds the members that came before it: enough for a hint, not to act on.
func (d *Decoder) Decode(sink func(io.Reader) error) (Form, error) {
	if d.multipart {
		m := newMultipart(d.body, d.boundary, d.lim)
		m.may, m.also = d.readOn, d.also
		err := m.decode(sink)
		return m.form, cmp.Or(m.first, err)
	}
	p := &parser{scanner: newScanner(d.body, d.window, d.lim.Rest), lim: d.lim, sink: sink, also: d.also}
	p.may = d.readOn
	err := p.document()
	return p.form, cmp.Or(p.first, err)
}
