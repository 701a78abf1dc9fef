package intake

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/format/unpack"
)

const (
	// bodyRoom is for the 1 MiB of a body without its content, with room for what the decoder itself refuses better.
	BodyRoom = 2 << 20
	// drainMost and drainWait bound what is read and thrown away after a refusal, so that a client which reads only when it has
	// sent all still sees the answer.
	drainMost = 16 << 20
	DrainWait = 2 * time.Second
	// keepMost is the largest rest of a body that is worth reading to keep the connection, as net/http has it.
	keepMost = 256 << 10
)

// maxBody is the largest body that is read. Base64 takes 4 bytes for 3, and line breaks and escapes cost something: twice what many files may
// have together is ample, and the decoder counts exactly. What comes beside content is searched and thrown away within less.
func (a *Intake) maxBody() int64 { return 2*max(a.MaxContent, a.MaxFile) + BodyRoom }

// body is a request's body that remembers how far it was read, and ends where a
// limit does.
type Body struct {
	R     io.ReadCloser
	read  int64
	Err   error            // what ended it, io.EOF included
	most  int64            // how much of it is read at most, 0: any
	Grant *admission.Grant // nil: no limits, or not any more
}

func (b *Body) Read(p []byte) (int, error) {
	if b.most > 0 {
		if p = p[:min(int64(len(p)), max(0, b.most-b.read))]; len(p) == 0 {
			return 0, errEnough
		}
	}
	n, err := b.R.Read(p)
	b.read += int64(n)
	refused := b.Grant.Received(n)
	if err != nil && refused == nil {
		refused = b.Grant.Whole()
	}
	if refused != nil {
		n, err = 0, refused
	}
	if err != nil {
		b.Err = err
	}
	return n, err
}

func (b *Body) Close() error { return b.R.Close() }

// beginsObject reports whether the body begins as a JSON object does, and leaves it unread.
func (b *Body) beginsObject() bool {
	var head [64]byte
	n, _ := b.R.Read(head[:]) // an error comes again
	b.R = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head[:n]), b.R), b.R}
	return bytes.HasPrefix(bytes.TrimLeft(head[:n], "\ufeff \t\r\n"), []byte("{"))
}

// checkHeaders refuses a body by what the headers say of it.
func (a *Intake) CheckHeaders(c *Call) error {
	h := c.R.Header
	if e := strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ", ")); e != "" && !strings.EqualFold(e, "identity") {
		return sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "Content-Encoding isn't supported for request bodies.").In("Content-Encoding").
			With(sandlot.OpSame).Note("Send the body plain. To send a file gzipped, encode it as base64 and say content_encoding: gzip+base64.")
	}
	if err := CheckIdempotencyKey(h.Values(IdempotencyKey)); err != nil {
		return err
	}
	if c.R.ContentLength > a.maxBody() {
		return a.BodyTooLarge()
	}
	return nil
}

// idempotencyKey is the header that makes a call happen once however often it is
// sent; idempotencyArgument is the argument that it brings.
const (
	IdempotencyKey      = "Idempotency-Key"
	IdempotencyArgument = "idempotency_key"
)

func CheckIdempotencyKey(values []string) error {
	switch {
	case len(values) == 0:
		return nil
	case len(values) > 1:
		return sandlot.Refuse(sandlot.CodeInvalidField, "The request has %d Idempotency-Key headers.", len(values)).In(IdempotencyArgument).
			With(sandlot.OpSame).Note("Send exactly one.")
	case HoldsKey(values[0]):
		return leaked(IdempotencyArgument, "A key was sent as the Idempotency-Key.")
	}
	return publish.CheckIdempotencyKey(values[0])
}

func (a *Intake) BodyTooLarge() *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeContentTooLarge, "The body is larger than files of at most %d bytes together can make it.", a.MaxFile).
		Detail("limit", a.MaxFile).Note("Make the file smaller, or send it in parts.")
}

// decoder chooses how to read the body from src. It is nil, without an error, for
// a body that is empty where it may be.
func (a *Intake) decoder(c *Call, src io.Reader, mayBeEmpty bool) (*content.Decoder, error) {
	if err := a.CheckHeaders(c); err != nil {
		return nil, err
	}
	if kind, _, err := mediaType(c); err == nil && kind == loose && (c.Takes.Upload || !c.Body.beginsObject()) {
		name, _, _ := mime.ParseMediaType(c.R.Header.Get("Content-Type"))
		return nil, wrongType(c, "The Content-Type "+Shown(name)+" isn't supported.")
	}
	return a.opened(c, src, mayBeEmpty)
}

// opened is decoder without the look at the headers.
func (a *Intake) opened(c *Call, src io.Reader, mayBeEmpty bool) (*content.Decoder, error) {
	kind, boundary, err := mediaType(c)
	if err != nil {
		return nil, err
	}
	lim := content.Limits{Content: a.MaxContent, Archive: a.MaxFile}
	r := bufio.NewReader(src)
	if kind == formBody {
		return content.Multipart(r, boundary, lim), nil
	}
	first, err := firstByte(r)
	switch {
	case err == io.EOF && mayBeEmpty:
		return nil, nil
	case kind == loose:
		c.Warnings = append(c.Warnings, publish.ReadAs("Content-Type", "application/json"))
	case err == nil && kind == unsaid && first != '{':
		refusal := wrongType(c, "The request has no Content-Type, and its body does not begin with {.")
		c.look(r, refusal)
		return nil, refusal
	case err == nil && first != '{':
		c.look(r, nil) // for the hint of what refuses it
	}
	c.Object = err == nil && first == '{'
	// Any other error is met again by the decoder.
	return content.JSON(r, lim), nil
}

// guessed reads a refused body as what it most likely is, whatever its Content-Type
// says: curl -d calls JSON a form of the old kind. It is nil where there is nothing
// to read.
func (a *Intake) guessed(c *Call, src io.Reader) *content.Decoder {
	lim := content.Limits{Content: a.MaxContent}
	r := bufio.NewReader(src)
	kind, boundary, err := mediaType(c)
	if err == nil && kind == formBody {
		return content.Multipart(r, boundary, lim)
	}
	first, unread := firstByte(r)
	c.Object = unread == nil && first == '{'
	switch {
	case unread != nil:
		return nil
	case err == nil && kind != loose || first == '{':
		return content.JSON(r, lim)
	case strings.HasPrefix(c.R.Header.Get("Content-Type"), "application/x-www-form-urlencoded"):
		return content.JSON(pairsAsJSON(r), lim)
	}
	return nil
}

// pairsAsJSON gives the pairs of a form of the old kind as a JSON object of texts,
// without the content: it has no place in a hint. A body that is no such form gives {}.
func pairsAsJSON(r io.Reader) io.Reader {
	text, _ := io.ReadAll(r) // what can be read of it
	var said []string
	for pair := range strings.SplitSeq(string(text), "&") {
		escapedName, escaped, _ := strings.Cut(pair, "=")
		name, _ := url.QueryUnescape(escapedName)
		if name == "" || name == "content" || len(said) == content.DefaultNames {
			continue
		}
		if v, err := url.QueryUnescape(escaped); err == nil && utf8.ValidString(name+v) {
			said = append(said, asJSON(name)+":"+asJSON(v))
		}
	}
	return strings.NewReader("{" + strings.Join(said, ",") + "}")
}

func asJSON(text string) string {
	out, _ := json.Marshal(text) // which never fails
	return string(out)
}

// firstByte looks at the first byte after a byte order mark and white space,
// within what is buffered.
func firstByte(r *bufio.Reader) (byte, error) {
	for n := 1; ; n++ {
		seen, err := r.Peek(n)
		if text := strings.TrimLeft(strings.TrimPrefix(string(seen), "\ufeff"), " \t\r\n"); text != "" && text[0] < 0x80 {
			return text[0], nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			return ' ', nil
		}
		if err != nil {
			return 0, err
		}
	}
}

type bodyKind int

const (
	jsonBody bodyKind = iota
	formBody
	unsaid
	loose // a type under which programs send JSON that do not say so
)

// looseTypes are the types that curl -d, urllib and fetch give to a text of any kind. It never changes.
var looseTypes = []string{"application/x-www-form-urlencoded", "text/plain"}

func mediaType(c *Call) (kind bodyKind, boundary string, err error) {
	value := c.R.Header.Get("Content-Type")
	if value == "" {
		return unsaid, "", nil
	}
	name, params, err := mime.ParseMediaType(value)
	switch {
	case err != nil:
		return 0, "", wrongType(c, "The Content-Type cannot be read.")
	case name == "multipart/form-data" && params["boundary"] != "":
		return formBody, params["boundary"], nil
	case name == "multipart/form-data":
		return 0, "", wrongType(c, "The Content-Type multipart/form-data lacks its boundary.")
	case slices.Contains(looseTypes, name):
		return loose, "", nil
	case name != "application/json":
		return 0, "", wrongType(c, "The Content-Type "+Shown(name)+" isn't supported.")
	case params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8"):
		return 0, "", wrongType(c, "The charset "+Shown(params["charset"])+" isn't supported.")
	}
	return jsonBody, "", nil
}

// rawFormat tells whether the body is an archive itself, where the endpoint takes one.
func rawFormat(c *Call, set *FieldSet) (unpack.Format, bool) {
	name, _, err := mime.ParseMediaType(c.R.Header.Get("Content-Type"))
	if err != nil || !set.content {
		return "", false
	}
	format, ok := rawTypes[name]
	return format, ok
}

func wrongType(c *Call, message string) error {
	return sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "%s", message).In("Content-Type").With(sandlot.OpSame).
		Note("Send Content-Type: application/json with one JSON object in UTF-8, or multipart/form-data with the file as the part content; publish and update also take an archive as application/zip, application/x-tar, application/gzip or application/zstd.")
}

// unread tells how much of the body is still to come: 0 if none, -1 if nobody
// can know.
func (c *Call) unread() int64 {
	switch {
	case c.R.ContentLength == 0 || c.Body.Err == io.EOF:
		return 0
	case c.R.ContentLength < 0:
		return -1
	}
	return c.R.ContentLength - c.Body.read
}

// settle answers a refusal while the client may still be sending. send writes
// the answer. It goes out at once, not after the rest of the body, and the rest
// is thrown away within bounds: to close while bytes arrive would reset the
// connection, and many clients would never see why.
func (c *Call) Settle(send func()) {
	rest := c.unread()
	if rest == 0 || c.R.ProtoMajor != 1 {
		send()
		return
	}
	control := http.NewResponseController(c.W)
	// Without it net/http would first wait for the body. Where it is not to be had, that is what happens.
	_ = control.EnableFullDuplex()
	// A client that asked with Expect has sent nothing, and sends nothing after a refusal.
	waits := c.Body.read == 0 && c.R.Header.Get("Expect") != ""
	if waits || rest < 0 || rest > keepMost {
		c.W.Header().Set("Connection", "close")
	}
	send()
	_ = control.Flush()
	if waits {
		_ = control.SetReadDeadline(time.Now())
		return
	}
	// All of it is read here, also a small rest: in full duplex, net/http would begin the next request on the connection while it still
	// watches the body of this one. The server sets its own deadline for the next request.
	_ = control.SetReadDeadline(cmp.Or(c.drainBy, time.Now().Add(DrainWait)))
	_, _ = io.CopyN(io.Discard, c.Body, drainMost)
}
