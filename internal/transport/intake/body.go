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
	// BodyRoom is the room for the 1 MiB of a body beside its content, in bytes. It leaves some bytes above that, so
	// that the decoder refuses the excess with a better message.
	BodyRoom = 2 << 20
	// drainMost (bytes) and DrainWait limit the rest of a refused body that is read and discarded, so that a client
	// which reads only after it has sent everything still sees the answer.
	drainMost = 16 << 20
	DrainWait = 2 * time.Second
	// keepMost is the largest rest of a body worth reading to keep the connection, in bytes; net/http has the same
	// limit.
	keepMost = 256 << 10
)

// maxBody returns the largest body that is read, in bytes. Base64 takes 4 bytes for 3, and line breaks and escapes add
// to that: twice the limit of many files together is ample, and the decoder counts exactly. The fields beside content
// are searched and discarded within a smaller limit.
func (a *Intake) maxBody() int64 { return 2*max(a.MaxContent, a.MaxFile) + BodyRoom }

// A Body is the body of a request. It counts the bytes read, and ends where a limit ends it.
type Body struct {
	R     io.ReadCloser
	read  int64
	Err   error            // the error that ended it, io.EOF included
	most  int64            // the most bytes that are read of it; 0: no limit
	Grant *admission.Grant // nil: no limits, or no longer any
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

// beginsObject reports whether the body begins like a JSON object. It leaves the body unread.
func (b *Body) beginsObject() bool {
	var head [64]byte
	n, _ := b.R.Read(head[:]) // the next read returns the error again
	b.R = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head[:n]), b.R), b.R}
	return bytes.HasPrefix(bytes.TrimLeft(head[:n], "\ufeff \t\r\n"), []byte("{"))
}

// CheckHeaders refuses a body for its headers.
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

// IdempotencyKey is the header that gives a call its effect once, however often it is sent; IdempotencyArgument is the
// name of its value among the arguments of a call.
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

// decoder returns the decoder for the body in src. It returns nil, without an error, for an empty body if the call
// allows one.
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

// opened returns the decoder like decoder, but does not check the headers.
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
		c.look(r, nil) // for the hint of the refusal
	}
	c.Object = err == nil && first == '{'
	// The decoder meets any other error again.
	return content.JSON(r, lim), nil
}

// guessed returns a decoder for the likely format of a refused body, whatever its Content-Type says: curl -d labels
// JSON as a URL-encoded form. It returns nil if there is nothing to read.
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

// pairsAsJSON converts a URL-encoded form to a JSON object of strings, without the content, which has no place in a
// hint. A body in another format becomes {}.
func pairsAsJSON(r io.Reader) io.Reader {
	text, _ := io.ReadAll(r) // the part of it that can be read
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
	out, _ := json.Marshal(text) // never fails for a string
	return string(out)
}

// firstByte returns the first byte after a byte order mark and white space, within the buffer of r.
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
	loose // a type under which programs send JSON without declaring it
)

// looseTypes are the types that curl -d, urllib and fetch give to any text. It never changes.
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

// rawFormat returns the format of a body that is itself an archive, if the endpoint takes archives.
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

// unread returns the number of bytes of the body still to come: 0 if none, -1 if unknown.
func (c *Call) unread() int64 {
	switch {
	case c.R.ContentLength == 0 || c.Body.Err == io.EOF:
		return 0
	case c.R.ContentLength < 0:
		return -1
	}
	return c.R.ContentLength - c.Body.read
}

// Settle answers a refusal while the client may still be sending. send writes the answer. It goes out at once, before
// the rest of the body arrives, and the rest is discarded within limits: a close while bytes arrive would reset the
// connection, and many clients would never see the reason.
func (c *Call) Settle(send func()) {
	rest := c.unread()
	if rest == 0 || c.R.ProtoMajor != 1 {
		send()
		return
	}
	control := http.NewResponseController(c.W)
	// Otherwise net/http would first wait for the body. It still does where full duplex is unavailable.
	_ = control.EnableFullDuplex()
	// A client that sent Expect has sent nothing yet, and sends nothing after a refusal.
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
	// The whole rest is read here, even a small one: in full duplex, net/http would begin the next request on the
	// connection while it still watches the body of this one. The server sets its own deadline for the next request.
	_ = control.SetReadDeadline(cmp.Or(c.drainBy, time.Now().Add(DrainWait)))
	_, _ = io.CopyN(io.Discard, c.Body, drainMost)
}
