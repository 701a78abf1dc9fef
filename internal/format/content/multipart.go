package content

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"unicode/utf8"
)

// gateSlack is how much mime/multipart may read ahead of the current part, and the boundaries, beyond the budget of the
// rest.
const gateSlack = 64 << 10

// A multiparser reads a multipart body, part by part.
type multiparser struct {
	refusal
	gate  *gate
	parts *multipart.Reader
	lim   Limits
	also  More
	left  int64 // of the budget of the rest
	seen  map[string]bool
	came  string // the part that brought the bytes
	files int    // parts named file
	form  Form
}

func newMultipart(body io.Reader, boundary string, lim Limits) *multiparser {
	g := &gate{body: bufio.NewReaderSize(body, maxWindow), left: lim.Rest + gateSlack}
	return &multiparser{
		gate: g, parts: multipart.NewReader(g, boundary), lim: lim,
		left: lim.Rest, seen: make(map[string]bool), form: Form{Multipart: true},
	}
}

func (m *multiparser) decode(sink func(io.Reader) error) error {
	for {
		p, err := m.parts.NextRawPart()
		if err == io.EOF {
			m.form.Whole = true
			return nil
		}
		if err != nil {
			return m.broken(err)
		}
		name, err := m.admit(p)
		if err != nil && (bounding(err) || m.putOff(err) != nil) {
			return err
		}
		if err != nil {
			continue
		}
		if err := m.part(name, p, sink); err != nil {
			return err
		}
	}
}

// part reads one part.
func (m *multiparser) part(name string, p *multipart.Part, sink func(io.Reader) error) error {
	switch {
	case name == "content" && m.files > 0:
		return m.file(p, sink)
	case name == "content":
		m.form.HasContent = true
		return m.bytes(&partReader{raw: p, part: p, m: m, field: name, lim: m.lim.Content}, sink)
	case name == "text" && m.also.Text:
		m.form.HasContent, m.form.FromText = true, true
		return m.bytes(&partReader{raw: p, part: &utf8Reader{r: p, field: name}, m: m, field: name, lim: m.lim.Content}, sink)
	case name == "html" && m.also.HTML != nil:
		m.form.HasHTML = true
		return m.bytes(&partReader{raw: p, part: &utf8Reader{r: p, field: name}, m: m, field: name, lim: m.lim.Content}, m.also.HTML)
	case name == "archive" && m.also.Archive != nil:
		m.form.HasArchive = true
		return m.bytes(&partReader{raw: p, part: p, m: m, field: name, lim: m.lim.Archive}, m.also.Archive)
	}
	return m.field(name, p)
}

// file reads a part named file. The first is content; a second turns both into many files.
func (m *multiparser) file(p *multipart.Part, sink func(io.Reader) error) error {
	name := fileName(p)
	if m.files == 2 && m.first == nil {
		first := Form{HasContent: true, Multipart: true, FileName: m.form.FileName, Whole: true}
		if err := m.putOff(m.also.Place(first)); err != nil {
			return err
		}
	}
	if m.files == 1 {
		m.form.HasContent, m.form.FileName, m.form.FromFile = true, name, true
	} else {
		m.form.HasContent, m.form.HasFiles, m.form.FileName, m.form.FromFile = false, true, "", false
	}
	r := &partReader{raw: p, part: p, m: m, field: "content", lim: m.lim.Content}
	if m.files > 1 {
		r.field = "file"
	}
	if err := m.bytes(r, sink); err != nil || m.files == 1 || m.first != nil {
		return err
	}
	return m.putOff(m.also.Place(Form{HasContent: true, Multipart: true, FileName: name, Whole: true}))
}

// admit checks the headers of a part and returns its name.
func (m *multiparser) admit(p *multipart.Part) (string, error) {
	size := int64(0)
	for key, values := range p.Header {
		for _, v := range values {
			size += int64(len(key) + len(v) + len(": \r\n"))
		}
	}
	name, file := p.FormName(), fileName(p)
	if m.also.Upload && name == "upload" && file != "" {
		name = uploaded(file)
	}
	isFile := file != "" && (name == "file" || m.also.Place != nil && m.standsForFile(name))
	if isFile && name != "file" {
		m.form.FileAs = name
	}
	if isFile {
		name = "content"
		m.files++
	}
	again := isFile && m.files > 1 && m.came == "file" && m.also.Place != nil
	if again { // many files have an allowance of their own
		size = max(0, size-fileRest)
		m.gate.left += fileRest
	}
	if m.left -= size; m.left < 0 {
		return "", restTooLarge()
	}
	switch {
	case name == "":
		return "", badMultipart(fmt.Sprintf("part %d of the multipart body has no name", len(m.seen)+1))
	case !utf8.ValidString(name):
		return "", invalidText("the name of a part", "")
	case m.claim(name, isFile) != nil:
		return "", m.claim(name, isFile)
	case m.seen[name] && !again:
		return "", duplicatePart(name)
	case name == "content_encoding":
		return "", &Error{
			Kind: InvalidField, Reason: NotInForm, Field: name,
			Message: "content_encoding is not for multipart bodies: content is raw bytes there",
		}
	}
	m.seen[name] = true
	if len(m.seen) > m.lim.Names {
		return "", &Error{
			Kind: InvalidJSON, Reason: TooManyNames,
			Message: fmt.Sprintf("the multipart body has more than %d parts", m.lim.Names),
		}
	}
	if (name == "content" || name == "archive") && m.files == 0 {
		m.form.FileName = file
	}
	return name, plainPart(name, p)
}

// standsForFile reports whether a part of that name can only be a file, if it has a file name.
func (m *multiparser) standsForFile(name string) bool {
	switch name {
	case "files", "files[]", "file[]":
		return true
	case "content", "text", "html", "archive", "":
		return false
	}
	return m.also.Field != nil && !m.also.Field(name)
}

// uploaded returns the part's name that a file of that name stands for.
func uploaded(file string) string {
	if strings.HasSuffix(strings.ToLower(file), ".zip") {
		return "archive"
	}
	return "file"
}

// claim records the part that brings the bytes; only one kind may.
func (m *multiparser) claim(name string, isFile bool) error {
	switch {
	case isFile:
		name = "file"
	case name == "text" && !m.also.Text, name == "archive" && m.also.Archive == nil:
		return nil
	case name != "content" && name != "text" && name != "archive":
		return nil
	}
	if m.came != "" && m.came != name {
		return twoSources(m.came, name)
	}
	m.came = name
	return nil
}

// fileName returns the name of the sender's file, as sent: mime/multipart would cut its folders off.
func fileName(p *multipart.Part) string {
	_, params, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	if err != nil || !utf8.ValidString(params["filename"]) {
		return ""
	}
	return params["filename"]
}

// plainPart refuses a part with an encoding of its own.
func plainPart(name string, p *multipart.Part) error {
	if t, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type")); strings.HasPrefix(t, "multipart/") {
		return &Error{
			Kind: Unsupported, Reason: Nested, Field: plainName(name),
			Message: nameOr(name, "a part") + " is itself multipart, wanted a plain part",
		}
	}
	switch e := p.Header.Get("Content-Transfer-Encoding"); strings.ToLower(e) {
	case "", "binary", "8bit", "7bit":
		return nil
	}
	return &Error{
		Kind: Unsupported, Reason: PartEncoding, Field: plainName(name), Want: "binary",
		Message: nameOr(name, "a part") + " has a Content-Transfer-Encoding that changes its bytes, wanted binary",
	}
}

// field keeps a part other than content.
func (m *multiparser) field(name string, p io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(p, m.left+1))
	if err != nil {
		return m.broken(err)
	}
	if m.left -= int64(len(b)); m.left < 0 {
		return restTooLarge()
	}
	if !utf8.Valid(b) {
		return invalidText(nameOr(name, "a field"), plainName(name))
	}
	s := string(b)
	m.form.fields = append(m.form.fields, Field{Name: name, Kind: String, Text: s, Raw: s})
	return nil
}

// bytes passes the bytes of a part to sink.
func (m *multiparser) bytes(r *partReader, sink func(io.Reader) error) error {
	left := m.gate.left
	m.gate.left = -1
	if m.first == nil {
		err := sink(r)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err = m.putOff(err); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, r.raw); err != nil {
		return m.broken(err)
	}
	if r.field == "content" {
		m.form.Encoding.Magic = isMagic(r.first)
	}
	m.gate.left = left
	return nil
}

// broken explains why mime/multipart stopped. It does not repeat that package's words: they quote the body.
func (m *multiparser) broken(err error) error {
	g := m.gate
	switch {
	case g.over:
		return restTooLarge()
	case g.err != nil && g.err != io.EOF && g.err != io.ErrUnexpectedEOF:
		return fmt.Errorf("read body: %w", g.err)
	case !errors.Is(err, errBodyEnd) && g.err != io.ErrUnexpectedEOF:
		return badMultipart("the boundaries or headers of the multipart body are malformed")
	case g.read == 0:
		return ErrEmpty
	case len(m.seen) == 0:
		return badMultipart("the multipart body ends before any part: it may have another boundary than its Content-Type tells")
	}
	return truncated("", g.read)
}

// A partReader is sink's reader of a multipart body.
type partReader struct {
	raw   io.Reader
	part  io.Reader // raw, or its checker
	m     *multiparser
	field string
	lim   int64
	total int64
	first []byte
	err   error
}

// Read fills b as far as the part goes, since mime/multipart reads little at once.
func (r *partReader) Read(b []byte) (n int, err error) {
	if r.err != nil || len(b) == 0 {
		return 0, r.err
	}
	n, err = Fill(r.part, b, len(b))
	r.total += int64(n)
	r.first = append(r.first, b[:min(2-len(r.first), n)]...)
	switch {
	case r.total > r.lim:
		n, r.err = 0, fieldTooLarge(r.field, r.lim)
	case err != nil && err != io.EOF:
		if r.err = err; !errors.As(err, new(*Error)) { // of the part's checker
			r.err = r.m.broken(err)
		}
	default:
		r.err = err
	}
	return n, r.err
}

// errBodyEnd stands for io.EOF at a gate: mime/multipart mistakes an io.EOF inside the headers of a part for the last
// boundary.
var errBodyEnd = errors.New("content: end of the multipart body")

// A gate passes the bytes of a body and remembers its error. It adds a line break at the end, for the last boundary
// need not have one, and ends with errBodyEnd.
type gate struct {
	body io.Reader
	left int64 // bytes it may still pass, negative for any number
	over bool  // a read went beyond left
	read int64
	err  error
	// ended is how much of the line break was read.
	ended int
}

func (g *gate) Read(b []byte) (int, error) {
	if g.err == io.EOF {
		return g.end(b)
	}
	if g.left == 0 {
		g.over = true
		return 0, io.ErrShortBuffer
	}
	if g.left > 0 {
		b = b[:min(int64(len(b)), g.left)]
	}
	n, err := g.body.Read(b)
	g.read += int64(n)
	if g.left > 0 {
		g.left -= int64(n)
	}
	g.err = err
	if err != io.EOF {
		return n, err
	}
	if n > 0 {
		return n, nil
	}
	return g.end(b)
}

func (g *gate) end(b []byte) (int, error) {
	const lineBreak = "\r\n"
	n := copy(b, lineBreak[g.ended:])
	if n == 0 {
		return 0, errBodyEnd
	}
	g.ended += n
	return n, nil
}

// A utf8Reader refuses bytes that are not UTF-8.
type utf8Reader struct {
	r     io.Reader
	field string
	kept  []byte // the beginning of an incomplete character
}

func (u *utf8Reader) Read(b []byte) (int, error) {
	n, err := u.r.Read(b)
	seen := append(u.kept, b[:n]...)
	partial := 0
	if err == nil {
		partial = PartialRune(seen)
	}
	if !utf8.Valid(seen[:len(seen)-partial]) {
		return 0, invalidText(u.field, u.field)
	}
	u.kept = append(u.kept[:0], seen[len(seen)-partial:]...)
	return n, err
}
