package lure

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"

	"github.com/andybalholm/brotli"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"sandlot/internal/format/mediatype"
)

// The kinds of a Sign.
const (
	Password = "password" // also a code that is used once
	Card     = "card"     // also the number of a bank account
	Seed     = "seed"     // a recovery phrase
	Sends    = "sends"    // a form whose action is on another host
	Leads    = "leads"    // nothing but a way to another host
	Hides    = "hides"    // nothing but a page that its script writes, of a text that cannot be read
)

// kinds are in the order of Signs.
var kinds = [...]string{Password, Card, Seed, Sends, Leads, Hides}

// Sign is something in a file that requests a secret of its reader.
type Sign struct {
	Kind, File string
}

// Most is the most bytes of text that a Look reads of one version.
const Most = 4 << 20

// mostWork bounds the bytes that are read again because they were decoded or joined.
const mostWork = 2 * Most

// A Look reads the files of one version, one after another.
type Look struct {
	Own    string  // the host to which a form of the project may send
	Brands *Brands // names that a page which leads elsewhere must not have; nil: none

	found   map[string]string // the file of each kind
	likely  map[string]string // the same for signs that count beside a field alone
	field   bool              // a file has, or makes, a field to be filled
	read    int               // bytes of files
	work    int               // bytes that were decoded or joined
	steps   int               // tokens of scripts that were looked at
	current string
	bait    bait
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
	switch plain, kind := decoded(text), mediatype.Of(name, false); {
	case kind == "text/javascript":
		l.script(plain, 0)
	case Reads(name):
		l.bait.page = cmp.Or(l.bait.page, name)
		l.page(plain, 0, !mediatype.IsHTML(mediatype.Inner(name)) && !mediatype.IsHTML(name))
	default: // as text a lure is harmless
		l.encoded(plain, 0)
		if kind == "application/json" {
			l.script(plain, 0)
		}
	}
}

// Signs returns the signs that were found, one of each kind.
func (l *Look) Signs() (signs []Sign) {
	if len(l.found) == 0 && l.leadsAway() {
		l.found = map[string]string{Leads: cmp.Or(l.bait.way, l.bait.page)}
	} else if len(l.found) == 0 && l.hides() {
		l.found = map[string]string{Hides: l.bait.writes}
	}
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
	if l.work+n > mostWork {
		return false
	}
	l.work += n
	return true
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

// decoded returns text in UTF-8: a byte order mark says whether it is in UTF-16.
func decoded(text []byte) string {
	plain, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), text)
	if err != nil {
		plain = text
	}
	return string(plain)
}
