package lure

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/andybalholm/brotli"

	"sandlot/internal/format/mediatype"
)

// The kinds of a Sign.
const (
	Password = "password" // also a code that is used once
	Card     = "card"     // also the number of a bank account
	Seed     = "seed"     // a recovery phrase
	Sends    = "sends"    // a form whose action is on another host
)

// kinds are in the order of Signs.
var kinds = [...]string{Password, Card, Seed, Sends}

// Sign is something in a file that requests a secret of its reader.
type Sign struct {
	Kind, File string
}

// Most is the most bytes of text that a Look reads of one version.
const Most = 4 << 20

// mostWork bounds the bytes that are read again because they were decoded or joined.
const mostWork = 4 * Most

// A Look reads the files of one version, one after another.
type Look struct {
	Own string // the host to which a form of the project may send

	found   map[string]string // the file of each kind
	likely  map[string]string // the same for signs that count beside a field alone
	field   bool              // a file has, or makes, a field to be filled
	read    int               // bytes of files
	work    int               // bytes that were decoded or joined
	current string
}

// Reads reports whether a file of that name can request anything: a page, a script, or a picture of text.
func Reads(name string) bool {
	switch mediatype.Of(name, false) {
	case "text/html", "text/javascript", "image/svg+xml", "application/xml":
		return true
	}
	return false
}

// Read looks at a file. Text beyond Most in all is not read.
func (l *Look) Read(name string, text []byte) {
	left := Most - l.read
	text = unpacked(name, text, left)
	text = text[:min(len(text), left)]
	l.read += len(text)
	l.current = name
	if mediatype.Of(name, false) == "text/javascript" {
		l.script(decodeUTF16(text), 0)
		return
	}
	l.page(decodeUTF16(text), 0, !mediatype.IsHTML(mediatype.Inner(name)) && !mediatype.IsHTML(name))
}

// Signs returns the signs that were found, one of each kind.
func (l *Look) Signs() (signs []Sign) {
	for _, kind := range kinds {
		file, ok := l.found[kind]
		if !ok && l.field {
			file, ok = l.likely[kind]
		}
		if ok {
			signs = append(signs, Sign{kind, file})
		}
	}
	return signs
}

// sign records that the file at hand has a sign.
func (l *Look) sign(kind string) { l.found = l.record(l.found, kind) }

// maybe records a sign that counts where a file of the version has a field.
func (l *Look) maybe(kind string) { l.likely = l.record(l.likely, kind) }

func (l *Look) record(signs map[string]string, kind string) map[string]string {
	if signs == nil {
		signs = map[string]string{}
	}
	if _, ok := signs[kind]; !ok {
		signs[kind] = l.current
	}
	return signs
}

// spend reports whether n more bytes may be decoded or joined.
func (l *Look) spend(n int) bool {
	l.work += n
	return l.work <= mostWork
}

// unpacked returns the bytes that browsers unpack of a compressed file, up to most.
func unpacked(name string, text []byte, most int) []byte {
	var from io.Reader
	switch mediatype.Encoding(name) {
	case "br":
		from = brotli.NewReader(bytes.NewReader(text))
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return nil
		}
		from = z
	default:
		return text
	}
	plain, _ := io.ReadAll(io.LimitReader(from, int64(most))) // browsers show the bytes before a fault
	return plain
}

// decodeUTF16 returns text that begins with the byte order mark of UTF-16 as UTF-8, and any other as it is.
func decodeUTF16(text []byte) string {
	var high, low int
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		high, low = 1, 0
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		high, low = 0, 1
	default:
		return strings.TrimPrefix(string(text), "\ufeff")
	}
	units := make([]uint16, 0, len(text)/2)
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, uint16(text[i+high])<<8|uint16(text[i+low]))
	}
	return string(utf16.Decode(units))
}
