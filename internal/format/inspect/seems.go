package inspect

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Seems is the probable kind of bytes that are no HTML, and the advice for the sender.
type Seems struct {
	What    string // with its article: "a ZIP archive"
	Instead string // one sentence or two
}

const (
	sendPage   = "Publish an HTML page, and send this file with update under a filename of its own."
	sendFolder = "An archive is sent as archive instead of content, and its files are the project. " +
		"Packed as something else, unpack it first and send its folder."
	sendWrapped = "Send a whole HTML document that begins with <!doctype html>."
	sendBetween = "Send only what stands between the ``` lines."
	sendBytes   = "Send the file's bytes, not its name: many programs read a file only where an @ stands before its name."
	sendInPage  = "Put it between <script> and </script> in an HTML page, " +
		"or publish a page that loads it and send it with update as game.js."
)

// magics are the first bytes of files that people send by mistake instead of a page.
var magics = []struct {
	at    int
	magic string
	Seems
}{
	{0, "PK\x03\x04", Seems{"a ZIP archive", sendFolder}},
	{0, "PK\x05\x06", Seems{"an empty ZIP archive", sendFolder}},
	{257, "ustar", Seems{"a tar archive", sendFolder}},
	{0, "7z\xbc\xaf\x27\x1c", Seems{"a 7z archive", sendFolder}},
	{0, "Rar!\x1a", Seems{"a RAR archive", sendFolder}},
	{0, "\x28\xb5\x2f\xfd", Seems{"zstd data", sendFolder}},
	{0, "BZh", Seems{"bzip2 data", sendFolder}},
	{0, "\xfd7zXZ\x00", Seems{"xz data", sendFolder}},
	{0, "\x89PNG\r\n\x1a\n", Seems{"a PNG picture", sendPage}},
	{0, "GIF87a", Seems{"a GIF picture", sendPage}},
	{0, "GIF89a", Seems{"a GIF picture", sendPage}},
	{0, "\xff\xd8\xff", Seems{"a JPEG picture", sendPage}},
	{8, "WEBP", Seems{"a WebP picture", sendPage}},
	{8, "WAVE", Seems{"a sound", sendPage}},
	{4, "ftyp", Seems{"a video, a sound or an AVIF picture", sendPage}},
	{0, "OggS", Seems{"an Ogg sound or video", sendPage}},
	{0, "ID3", Seems{"an MP3 sound", sendPage}},
	{0, "%PDF-", Seems{"a PDF document", sendPage}},
	{0, "\x00asm", Seems{"a WebAssembly program", sendPage}},
	{0, "\x7fELF", Seems{"a program for Linux", sendPage}},
	{0, "wOF2", Seems{"a font", sendPage}},
}

func magicOf(p []byte) (Seems, bool) {
	for _, m := range magics {
		if len(p) > m.at && bytes.HasPrefix(p[m.at:], []byte(m.magic)) {
			return m.Seems, true
		}
	}
	return Seems{}, false
}

// Each is matched against the 16 KiB of a file's head at most, in linear time.
var (
	// aTag matches a tag that a browser renders. Names of elements count in any case, and custom ones too, for they
	// have a hyphen.
	aTag = regexp.MustCompile(`(?i)<(?:!doctype|!--|\?xml|(?:a|abbr|article|aside|audio|b|base|body|br|button|canvas|center|code|` +
		`dialog|div|dl|em|embed|fieldset|figure|font|footer|form|frameset|h[1-6]|head|header|hr|html|i|iframe|img|input|label|li|` +
		`link|main|map|marquee|math|menu|meta|nav|noscript|object|ol|option|p|picture|pre|progress|script|section|select|small|span|` +
		`strong|style|sub|sup|svg|table|tbody|td|template|textarea|th|title|tr|tt|u|ul|video|[a-z][a-z0-9]*-[a-z0-9-]*)[\s/>])`)
	// aPage matches a beginning of a line that no script has outside a string.
	aPage = regexp.MustCompile(`(?im)^[ \t]*<(?:!doctype\s|html[\s>]|head[\s>]|body[\s>])`)
	// opening matches the beginning of a document, with any names of its elements.
	opening = regexp.MustCompile(`^<[!?/a-zA-Z]`)
	fence   = regexp.MustCompile("(?m)^[ \t]*(?:```|~~~)")
	// aScript matches the beginning of a program in JavaScript, without comments, but not prose that begins with the
	// same words.
	aScript = regexp.MustCompile(`^(?:["']use strict["']|(?:const|let|var)\s+[\w$\[{][^\n<]*[=;]|` +
		`(?:async\s+)?function\b\s*\*?\s*[\w$]*\s*\(|class\s+[\w$]+\s*(?:\{|extends\s)|import\s*(?:["'({*]|[^\n]*\bfrom\s*["'])|` +
		`export\s+(?:default|const|let|var|function|class|async|\{)|(?:if|for|while|switch)\s*\(|(?:try|do)\s*\{|` +
		`[!+;]*\(\s*(?:async\s*)?(?:function\b|\([\w\s,]*\)\s*=>)|[\w$]+(?:\.[\w$]+)+\s*(?:=[^=]|\()|[a-z$][\w$]*\()`)
	aJSON  = regexp.MustCompile(`^(?:\{\s*["}]|\[\s*["{\[\]\d-]|"<)`)
	aStyle = regexp.MustCompile(`^(?:@(?:charset|import|media|font-face|keyframes|layer)\b|` +
		`[\w.#:*>\[\]=",\s-]{1,200}\{\s*(?:/\*|[\w-]+\s*:))`)
	aName   = regexp.MustCompile(`^@?(?:[^\s<>]{1,200}|(?:[.~]{0,2}/|[A-Za-z]:\\)[^\n<>]{1,200})\.html?$`)
	heading = regexp.MustCompile(`^#{1,6} \S`)
	comment = regexp.MustCompile(`^(?:\s*//[^\n]*(?:\n|$)|\s*/\*(?s:.*?)\*/)+`)
)

// NotPage returns the probable kind of a file that should be a page, by its head; false if it may well be HTML. When in
// doubt it is HTML.
func NotPage(head []byte) (Seems, bool) {
	if seems, ok := magicOf(head); ok {
		return seems, true
	}
	text := head
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")): // UTF-16, which browsers detect by these
		text = bytes.ReplaceAll(head[2:], []byte{0}, nil)
	case bytes.IndexByte(head[:min(len(head), 512)], 0) >= 0:
		return Seems{"binary data", sendWrapped}, true
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(text) == 0 {
		return Seems{"blank text", sendWrapped}, true
	}
	if bytes.HasPrefix(text, []byte("<?php")) {
		return Seems{"PHP source, which runs on no project", sendWrapped}, true
	}
	if opening.Match(text) {
		return Seems{}, false
	}
	return notPage(text)
}

// notPage judges text that does not begin with a tag.
func notPage(text []byte) (Seems, bool) {
	page, fenced := aPage.FindIndex(text), fence.FindIndex(text)
	code := bytes.TrimSpace(comment.ReplaceAll(text, nil))
	switch {
	case fenced != nil && (page == nil || fenced[0] < page[0]) && !aTag.Match(text[:fenced[0]]):
		return Seems{"Markdown with a fenced block", sendBetween}, true
	case page != nil:
		return Seems{}, false
	case aJSON.Match(text):
		if bytes.HasPrefix(bytes.TrimLeft(text, "\"{[ \r\n\t"), []byte("<")) {
			return Seems{"HTML inside a JSON string", "Send the document itself, without quotes and escapes, in base64."}, true
		}
		return Seems{"JSON", sendPage}, true
	case bytes.HasPrefix(text, []byte("#!")):
		return Seems{"a program for a shell", sendPage}, true
	case aScript.Match(code):
		return Seems{"a bare script", sendInPage}, true
	case aStyle.Match(code):
		return Seems{"a style sheet", sendPage}, true
	case aTag.Match(text):
		return Seems{}, false
	case bytes.HasPrefix(text, []byte("&lt;")):
		return Seems{"HTML whose < are written as &lt;", "Send the document with the characters themselves."}, true
	case aName.Match(text):
		return Seems{"the name of a file", sendBytes}, true
	case heading.Match(text):
		return Seems{"Markdown", "Send it as HTML: browsers do not read Markdown."}, true
	}
	return Seems{"plain words", sendWrapped}, true
}

// packedKinds are the types of files in which text that is all base64 is a mistake, with any content.
var packedKinds = strings.Fields(".png .jpg .jpeg .gif .webp .avif .ico .wasm .mp3 .ogg .wav .mp4 .webm .woff .woff2 .ttf .otf .zip .pdf")

// codeKinds are the types whose text could by chance be base64 if it is short: for these the decoded bytes must be text
// as well.
var codeKinds = strings.Fields(".css .js .mjs .svg .json .xml .txt .md .csv .glsl")

// leastEncoded is the shortest text of code that is treated as base64.
const leastEncoded = 24

// EncodedTwice reports whether a file was encoded twice, as far as its name shows: it has size bytes, in base64 of
// bytes that begin with within.
func EncodedTwice(filename string, size int64, within []byte) bool {
	ext := strings.ToLower(path.Ext(filename))
	switch {
	case len(within) == 0:
		return false
	case slices.Contains(packedKinds, ext):
		return true
	case slices.Contains(codeKinds, ext):
		return size >= leastEncoded && (isGzip(within) || printable(within))
	}
	return false
}

// printable reports whether p is ASCII that can be in code.
func printable(p []byte) bool {
	for _, b := range p {
		if b >= 0x7f || b < ' ' && b != '\n' && b != '\r' && b != '\t' {
			return false
		}
	}
	return true
}

// IsPacked reports whether a file of that name is expected to be gzipped.
func IsPacked(filename string) bool {
	switch strings.ToLower(path.Ext(filename)) {
	case ".gz", ".tgz", ".svgz", ".unityweb":
		return true
	}
	return false
}

// IsHTML reports whether browsers open a file of that name as a page.
func IsHTML(filename string) bool {
	ext := strings.ToLower(path.Ext(filename))
	return ext == ".html" || ext == ".htm"
}
