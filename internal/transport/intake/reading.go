package intake

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/mediatype"
	"sandlot/internal/transport/intake/hint"
)

// ownName returns the name of the sender's file in a form without the field filename. The names that curl gives to its
// standard input and browsers to bytes without a name do not count.
func (f *Fields) ownName() string {
	name := f.Form.FileName
	if f.has("filename") || Nameless(name) {
		return ""
	}
	return name
}

func Nameless(name string) bool { return name == "-" || name == "blob" }

// readOdd adds the warnings about unusual but readable fields of the body.
func (f *Fields) readOdd() {
	if !f.Set.content {
		return
	}
	if e := f.Form.Encoding; e.Sent != "" {
		f.read = append(f.read, publish.ReadAs("content_encoding", e.Declared))
	}
	if f.Form.Encoding.Data {
		f.warn("read_as", "The field content was read without the data: prefix that it begins with.",
			"Send the base64 text alone.")
	}
	switch as := f.Form.FileAs; {
	case f.Form.FromFile:
		f.read = append(f.read, publish.ReadAs(cmp.Or(as, "file"), "content"))
	case as != "":
		f.read = append(f.read, publish.ReadAs(as, "file"))
	}
	if name := f.ownName(); name != "" && !f.Form.HasArchive && slices.Contains(f.Set.Names, "filename") {
		f.warn("read_as", "The field filename is absent, and the name of the file that was sent stands in: "+inspect.Quoted(name)+".",
			"Send filename as well.")
	}
}

// checkDataType refuses a data: prefix whose type differs from the file's: either the name or the bytes could be wrong.
func (f *Fields) checkDataType() error {
	said := f.Form.Encoding.DataType
	if !f.Form.Encoding.Data || !f.Set.content || saysNothing(said) {
		return nil
	}
	name := "index.html"
	if slices.Contains(f.Set.Names, "filename") {
		name, _, _ = f.Form.String("filename")
	}
	own, _, _ := strings.Cut(mediatype.Of(name, true), ";")
	if name == "" || own == mediatype.Unknown || sameType(said, own) || f.Form.Encoding.Gzip && plainType(said) == "gzip" {
		return nil
	}
	e := &content.Error{
		Kind: content.InvalidContent, Reason: content.DataPrefix, Field: "content", At: 1,
		Message: fmt.Sprintf("content begins with a data: prefix of the type %s, but a file called %s is %s",
			inspect.Quoted(said), inspect.Quoted(name), own),
	}
	refusal := WrongBody(e, hint.Request{})
	if slices.Contains(f.Set.Names, "filename") {
		return refusal.Note("If the type is right, send the file under a name of that type. " +
			"If the name is right, send that file's own base64, without the prefix.")
	}
	return refusal.Note("Content always becomes index.html. "+
		"If it is a page, leave out everything up to and including the comma; "+
		"if it is %s, publish a page first and add it with POST /v1/update.", inspect.Quoted(said))
}

func saysNothing(mediaType string) bool {
	return mediaType == "" || mediaType == mediatype.Unknown || mediaType == "binary/octet-stream"
}

// sameType reports whether two media types agree in substance: programs send text/javascript and
// application/x-javascript for the same file, or text/plain for any text.
func sameType(a, b string) bool {
	text := strings.HasPrefix(b, "text/") || strings.HasSuffix(b, "json") || strings.HasSuffix(b, "javascript") ||
		strings.HasSuffix(b, "xml")
	return plainType(a) == plainType(b) || a == "text/plain" && text && b != "text/html"
}

// plainType returns the last part of a media type without the marks of an unregistered type, under one of its names.
func plainType(t string) string {
	_, name, _ := strings.Cut(t, "/")
	for _, mark := range []string{"x-", "vnd.microsoft.", "font-"} {
		name = strings.TrimPrefix(name, mark)
	}
	return cmp.Or(otherTypes[name], name)
}

// otherTypes maps other names of a type to the usual one. It never changes.
var otherTypes = map[string]string{
	"jpg": "jpeg", "pjpeg": "jpeg", "mp3": "mpeg", "ecmascript": "javascript", "xhtml+xml": "html",
}
