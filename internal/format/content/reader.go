package content

import (
	"bytes"
	"cmp"
	"io"
	"strings"
	"unicode/utf8"
)

// moreChars is how many characters content may have beyond twice its bytes: it stops endless line breaks.
const moreChars = 256 << 10

// A memberReader is sink's reader of a member of JSON: the string itself, or the bytes that it is the base64 of.
type memberReader struct {
	text  *stringReader
	field string
	lim   int64
	ready []byte // unread
	total int64  // bytes so far
	err   error  // after ready

	unpack   *unpacker // nil for the string itself
	begun    bool
	data     bool   // the string began with the data: prefix of a URL
	dataType string // the media type it names
	first    []byte // the first two bytes
}

func newTextReader(p *parser, field string) *memberReader {
	return &memberReader{text: &stringReader{p: p, field: field}, field: field, lim: p.lim.Content}
}

func newBase64Reader(p *parser, field string, enc Encoding, lim int64) *memberReader {
	r := newTextReader(p, field)
	r.lim, r.unpack = lim, &unpacker{field: field, enc: enc}
	return r
}

// Read reads bytes of the member.
func (m *memberReader) Read(b []byte) (int, error) {
	for len(m.ready) == 0 && len(b) > 0 {
		if m.err != nil {
			return 0, m.text.p.about(m.err)
		}
		m.fill()
	}
	n := copy(b, m.ready)
	m.ready = m.ready[n:]
	return n, nil
}

// fill makes the next block ready, unless it goes beyond the limit. The limit takes precedence over an error after the
// block, so that the answer does not depend on how the body was cut on its way.
func (m *memberReader) fill() {
	var b []byte
	if m.unpack == nil {
		b, m.err = m.text.next()
	} else {
		b, m.err = m.decode()
	}
	m.first = append(m.first, b[:min(2-len(m.first), len(b))]...)
	if m.total += int64(len(b)); m.total > m.allowed() {
		b, m.err = nil, fieldTooLarge(m.field, m.lim)
	}
	m.ready = b
}

// allowed returns the most bytes that may pass.
func (m *memberReader) allowed() int64 {
	if m.unpack != nil && isMagic(m.first) && (m.unpack.enc.Gzip || m.unpack.enc.Declared == "") {
		return m.lim + gzipRoom
	}
	return m.lim
}

// decode decodes the next block of base64.
func (m *memberReader) decode() ([]byte, error) {
	next := m.text.next
	if !m.begun {
		m.begun, next = true, m.begin
	}
	text, err := next()
	if m.unpack.at+int64(len(text)) > 2*m.lim+moreChars {
		return nil, fieldTooLarge(m.field, m.lim)
	}
	out, bad := m.unpack.decode(m.text.p.out[:0], text)
	if bad == nil && err == io.EOF {
		out, bad = m.unpack.finish(out)
	}
	m.text.p.out = out
	return out, cmp.Or(bad, err)
}

// maxPrefix bounds the data: prefix of a URL: media types with their parameters are far shorter.
const maxPrefix = 200

// begin returns the first block, after the data: prefix of a URL, "data:text/html;base64,". A prefix without base64 is
// an *Error.
func (m *memberReader) begin() ([]byte, error) {
	const scheme = "data:"
	text, err := m.text.next()
	for {
		n := min(len(text), len(scheme))
		if !strings.EqualFold(string(text[:n]), scheme[:n]) || err != nil && n < len(scheme) {
			return text, err
		}
		said, rest, found := bytes.Cut(text, []byte(","))
		switch {
		case len(said) >= maxPrefix || n == len(scheme) && err == io.EOF && !found:
			return nil, m.noBase64()
		case n == len(scheme) && found:
			return m.past(said, rest)
		case err != nil:
			return nil, err
		}
		var b []byte
		text = bytes.Clone(text) // the next block takes its place
		b, err = m.text.next()
		text = append(text, b...)
	}
}

// past records the media type of a data: prefix, and returns the text after its comma.
func (m *memberReader) past(said, rest []byte) ([]byte, error) {
	m.unpack.at = int64(utf8.RuneCount(said)) + 1
	kind, isBase64 := strings.CutSuffix(strings.ToLower(string(said[len("data:"):])), ";base64")
	if !isBase64 || strings.ContainsFunc(kind, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, m.noBase64()
	}
	kind, _, _ = strings.Cut(kind, ";")
	m.data, m.dataType = true, strings.TrimSpace(kind)
	return rest, nil
}

func (m *memberReader) noBase64() error {
	return m.unpack.fault(DataText, 1,
		"begins with the data: prefix of a URL that does not say base64, wanted only the base64 text of the file")
}
