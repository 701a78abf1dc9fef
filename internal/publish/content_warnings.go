package publish

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"sandlot/internal/names"
)

// contentWarnings tells what may not have been meant. page says whether the file
// is what browsers open first.
func contentWarnings(c Content, filename string, page bool) []Warning {
	switch {
	case encodedTwice(c, filename):
		return []Warning{{
			string(CodeDoubleEncoded), "The bytes of " + filename + " are still base64 text after decoding: it was encoded twice, and was stored as it came.",
			"Encode the file once, with a command, and send it again with update.",
		}}
	case c.Gzip && !isHTML(filename) && !isPacked(filename):
		return []Warning{{
			"gzip_stored", "The bytes of " + filename + " are gzipped and were stored as they came.",
			"If the file itself was meant, send content_encoding gzip+base64.",
		}}
	case page && isHTML(filename) && !c.Empty:
		if seems, ok := unlikeHTML(c.Head); ok {
			return []Warning{{
				"not_html", fmt.Sprintf("The bytes of %s do not look like HTML: they look like %s. They were stored as they came, and browsers open them as a page.", filename, seems.what),
				seems.instead + " With update and filename " + filename + " it takes this one's place.",
			}}
		}
	}
	return nil
}

// fileWarnings are the contentWarnings of a file that is stored. Of most files the
// head is read alone; the whole is read of one that may be base64 again. charge is
// asked for what is read.
func (s *Service) fileWarnings(ctx context.Context, f File, page bool, charge Charge) ([]Warning, error) {
	r, err := s.Contents.Open(ctx, f.Blob, 0, -1)
	if err != nil {
		return nil, fmt.Errorf("look at the file again: %w", err)
	}
	defer r.Close()
	in, charged := newInspector(), charge.Of(r)
	_, err = io.CopyN(in, charged, headSize)
	if err == nil && in.base64.ok {
		_, err = io.Copy(in, charged)
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("look at the file again: %w", err)
	}
	c := in.content()
	if in.size < f.Blob.Size {
		c.Within = nil
	}
	return contentWarnings(c, f.Name, page), nil
}

// storedWarnings are the warnings about a stored file, for an answer from a record. A call
// whose bytes were all charged has no charge.
func (s *Service) storedWarnings(ctx context.Context, p Project, f File, page bool, charge Charge) (about, kept []Warning, err error) {
	if f.Blob.ID == 0 {
		return nil, nil, nil // its bytes were erased: there is nothing to look at
	}
	if about, err = s.fileWarnings(ctx, f, page, charge); err == nil {
		kept, err = s.quarantineWarnings(ctx, p, f)
	}
	return about, kept, err
}

// untold logs that a warning could not be made: what it would speak of has happened.
func (s *Service) untold(err error) {
	if err != nil {
		s.log.Warn("an answer lacks a warning", "error", err)
	}
}

// looksLike is what bytes seem to be that are no HTML, and what to send instead.
type looksLike struct{ what, instead string }

const (
	sendPage    = "Publish an HTML page, and send this file with update under a filename of its own."
	sendFolder  = "Unpack it, publish its index.html, and send each other file with update."
	sendWrapped = "Send a whole HTML document that begins with <!doctype html>."
	sendBetween = "Send only what stands between the ``` lines."
	sendBytes   = "Send the file's bytes, not its name: many programs read a file only where an @ stands before its name."
	sendInPage  = "Put it between <script> and </script> in an HTML page, or publish a page that loads it and send it with update as game.js."
)

// magics are the beginnings of files that people send for a page by mistake.
var magics = []struct {
	at    int
	magic string
	looksLike
}{
	{0, "PK\x03\x04", looksLike{"a ZIP archive", sendFolder}},
	{0, "PK\x05\x06", looksLike{"an empty ZIP archive", sendFolder}},
	{257, "ustar", looksLike{"a tar archive", sendFolder}},
	{0, "7z\xbc\xaf\x27\x1c", looksLike{"a 7z archive", sendFolder}},
	{0, "Rar!\x1a", looksLike{"a RAR archive", sendFolder}},
	{0, "\x28\xb5\x2f\xfd", looksLike{"zstd data", sendFolder}},
	{0, "BZh", looksLike{"bzip2 data", sendFolder}},
	{0, "\xfd7zXZ\x00", looksLike{"xz data", sendFolder}},
	{0, "\x89PNG\r\n\x1a\n", looksLike{"a PNG picture", sendPage}},
	{0, "GIF87a", looksLike{"a GIF picture", sendPage}},
	{0, "GIF89a", looksLike{"a GIF picture", sendPage}},
	{0, "\xff\xd8\xff", looksLike{"a JPEG picture", sendPage}},
	{8, "WEBP", looksLike{"a WebP picture", sendPage}},
	{8, "WAVE", looksLike{"a sound", sendPage}},
	{4, "ftyp", looksLike{"a video, a sound or an AVIF picture", sendPage}},
	{0, "OggS", looksLike{"an Ogg sound or video", sendPage}},
	{0, "ID3", looksLike{"an MP3 sound", sendPage}},
	{0, "%PDF-", looksLike{"a PDF document", sendPage}},
	{0, "\x00asm", looksLike{"a WebAssembly program", sendPage}},
	{0, "\x7fELF", looksLike{"a program for Linux", sendPage}},
	{0, "wOF2", looksLike{"a font", sendPage}},
}

func magicOf(p []byte) (looksLike, bool) {
	for _, m := range magics {
		if len(p) > m.at && bytes.HasPrefix(p[m.at:], []byte(m.magic)) {
			return m.looksLike, true
		}
	}
	return looksLike{}, false
}

// Each is matched against the 16 KiB of a file's head at most, in linear time.
var (
	// aTag is what makes a browser see more than words. Names of elements in any
	// other case count, and custom ones too, for they have a hyphen.
	aTag = regexp.MustCompile(`(?i)<(?:!doctype|!--|\?xml|(?:a|abbr|article|aside|audio|b|base|body|br|button|canvas|center|code|dialog|div|dl|em|embed|fieldset|figure|font|footer|form|frameset|h[1-6]|head|header|hr|html|i|iframe|img|input|label|li|link|main|map|marquee|math|menu|meta|nav|noscript|object|ol|option|p|picture|pre|progress|script|section|select|small|span|strong|style|sub|sup|svg|table|tbody|td|template|textarea|th|title|tr|tt|u|ul|video|[a-z][a-z0-9]*-[a-z0-9-]*)[\s/>])`)
	// aPage is what no script has at the beginning of a line but in a text.
	aPage = regexp.MustCompile(`(?im)^[ \t]*<(?:!doctype\s|html[\s>]|head[\s>]|body[\s>])`)
	// opening is how a document begins, whatever its elements are called.
	opening = regexp.MustCompile(`^<[!?/a-zA-Z]`)
	fence   = regexp.MustCompile("(?m)^[ \t]*(?:```|~~~)")
	// aScript is how programs in JavaScript begin, comments left out; words of prose
	// that begin with the same words are not meant.
	aScript = regexp.MustCompile(`^(?:["']use strict["']|(?:const|let|var)\s+[\w$\[{][^\n<]*[=;]|(?:async\s+)?function\b\s*\*?\s*[\w$]*\s*\(|class\s+[\w$]+\s*(?:\{|extends\s)|` +
		`import\s*(?:["'({*]|[^\n]*\bfrom\s*["'])|export\s+(?:default|const|let|var|function|class|async|\{)|(?:if|for|while|switch)\s*\(|(?:try|do)\s*\{|` +
		`[!+;]*\(\s*(?:async\s*)?(?:function\b|\([\w\s,]*\)\s*=>)|[\w$]+(?:\.[\w$]+)+\s*(?:=[^=]|\()|[a-z$][\w$]*\()`)
	aJSON   = regexp.MustCompile(`^(?:\{\s*["}]|\[\s*["{\[\]\d-]|"<)`)
	aStyle  = regexp.MustCompile(`^(?:@(?:charset|import|media|font-face|keyframes|layer)\b|[\w.#:*>\[\]=",\s-]{1,200}\{\s*(?:/\*|[\w-]+\s*:))`)
	aName   = regexp.MustCompile(`^@?(?:[^\s<>]{1,200}|(?:[.~]{0,2}/|[A-Za-z]:\\)[^\n<>]{1,200})\.html?$`)
	heading = regexp.MustCompile(`^#{1,6} \S`)
	comment = regexp.MustCompile(`^(?:\s*//[^\n]*(?:\n|$)|\s*/\*(?s:.*?)\*/)+`)
)

// unlikeHTML tells what the head of a file looks like that browsers are to show as
// a page; false if it may well be HTML. When in doubt it is.
func unlikeHTML(head []byte) (looksLike, bool) {
	if seems, ok := magicOf(head); ok {
		return seems, true
	}
	text := head
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")): // UTF-16, which browsers know by these
		text = bytes.ReplaceAll(head[2:], []byte{0}, nil)
	case bytes.IndexByte(head[:min(len(head), 512)], 0) >= 0:
		return looksLike{"binary data", sendWrapped}, true
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(text) == 0 {
		return looksLike{"blank text", sendWrapped}, true
	}
	if bytes.HasPrefix(text, []byte("<?php")) {
		return looksLike{"PHP source, which runs on no project", sendWrapped}, true
	}
	if opening.Match(text) {
		return looksLike{}, false
	}
	return unlikePage(text)
}

// unlikePage goes on with text that does not begin with a tag.
func unlikePage(text []byte) (looksLike, bool) {
	page, fenced := aPage.FindIndex(text), fence.FindIndex(text)
	code := bytes.TrimSpace(comment.ReplaceAll(text, nil))
	switch {
	case fenced != nil && (page == nil || fenced[0] < page[0]) && !aTag.Match(text[:fenced[0]]):
		return looksLike{"Markdown with a fenced block", sendBetween}, true
	case page != nil:
		return looksLike{}, false
	case aJSON.Match(text):
		if bytes.HasPrefix(bytes.TrimLeft(text, "\"{[ \r\n\t"), []byte("<")) {
			return looksLike{"HTML inside a JSON string", "Send the document itself, without quotes and escapes, in base64."}, true
		}
		return looksLike{"JSON", sendPage}, true
	case bytes.HasPrefix(text, []byte("#!")):
		return looksLike{"a program for a shell", sendPage}, true
	case aScript.Match(code):
		return looksLike{"a bare script", sendInPage}, true
	case aStyle.Match(code):
		return looksLike{"a style sheet", sendPage}, true
	case aTag.Match(text):
		return looksLike{}, false
	case bytes.HasPrefix(text, []byte("&lt;")):
		return looksLike{"HTML whose < are written as &lt;", "Send the document with the characters themselves."}, true
	case aName.Match(text):
		return looksLike{"the name of a file", sendBytes}, true
	case heading.Match(text):
		return looksLike{"Markdown", "Send it as HTML: browsers do not read Markdown."}, true
	}
	return looksLike{"plain words", sendWrapped}, true
}

// packedKinds are the types of files in which text, whole in base64, is a mistake
// however it goes on.
var packedKinds = map[string]bool{
	".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true, ".avif": true, ".ico": true, ".wasm": true, ".mp3": true, ".ogg": true,
	".wav": true, ".mp4": true, ".webm": true, ".woff": true, ".woff2": true, ".ttf": true, ".otf": true, ".zip": true, ".pdf": true,
}

// codeKinds are those whose text could by chance be base64 if it is short: there
// what it decodes to must be text as well.
var codeKinds = map[string]bool{".css": true, ".js": true, ".mjs": true, ".svg": true, ".json": true, ".xml": true, ".txt": true, ".md": true, ".csv": true, ".glsl": true}

// leastEncoded is how long a text of code must be to be taken for base64.
const leastEncoded = 24

// encodedTwice reports whether the bytes of a file are base64 of what its name says.
func encodedTwice(c Content, filename string) bool {
	ext := strings.ToLower(path.Ext(filename))
	switch {
	case len(c.Within) == 0:
		return false
	case packedKinds[ext]:
		return true
	case codeKinds[ext]:
		return c.Size >= leastEncoded && (isGzip(c.Within) || printable(c.Within))
	}
	return false
}

// printable reports whether p is ASCII that stands in code.
func printable(p []byte) bool {
	for _, b := range p {
		if b >= 0x7f || b < ' ' && b != '\n' && b != '\r' && b != '\t' {
			return false
		}
	}
	return true
}

// documentTitle finds the title in the head of an HTML document.
func documentTitle(c Content) string {
	if !c.Text {
		return ""
	}
	return names.DocumentTitle(c.Head)
}

// isPacked reports whether a file of that name is expected to be gzipped.
func isPacked(filename string) bool {
	switch strings.ToLower(path.Ext(filename)) {
	case ".gz", ".tgz", ".svgz", ".unityweb":
		return true
	}
	return false
}
