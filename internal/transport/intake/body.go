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

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/unpack"
)

const (
	// BodyRoom is the room for the 1 MiB of a body beside its content, in bytes, and some above that, so that the
	// decoder refuses the excess with a better message.
	BodyRoom = 2 << 20
	// drainMost (bytes) and DrainWait limit the rest of a refused body that is discarded, so that a client which reads
	// only after it has sent everything still sees the answer.
	drainMost = 16 << 20
	DrainWait = 2 * time.Second
	// keepMost is the largest rest of a body worth reading to keep the connection, in bytes, as in net/http.
	keepMost = 256 << 10
)

// maxBody returns the largest body that is read, in bytes. Base64 takes 4 bytes for 3, and line breaks and escapes add
// to that: twice the limit is ample, and the decoder counts exactly.
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

// checkHeaders refuses a body for its headers or its length.
func (a *Intake) checkHeaders(c *Call) error {
	err := c.CheckHeaders()
	if err == nil && c.R.ContentLength > a.maxBody() {
		return a.BodyTooLarge()
	}
	return err
}

// CheckHeaders refuses a body for its headers.
func (c *Call) CheckHeaders() error {
	h := c.R.Header
	if e := strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ", ")); e != "" && !strings.EqualFold(e, "identity") {
		return sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "Content-Encoding isn't supported for request bodies.").
			In("Content-Encoding").With(sandlot.OpSame).
			Note("Send the body plain. To send a file gzipped, encode it as base64 and say content_encoding: gzip+base64.")
	}
	return checkIdempotencyKey(h.Values(IdempotencyKey))
}

// IdempotencyKey is the header that gives a call its effect once, however often it is sent; IdempotencyArgument is the
// name of its value among the arguments of a call.
const (
	IdempotencyKey      = "Idempotency-Key"
	IdempotencyArgument = "idempotency_key"
)

func checkIdempotencyKey(values []string) error {
	switch {
	case len(values) == 0:
		return nil
	case len(values) > 1:
		return sandlot.Refuse(sandlot.CodeInvalidField, "The request has %d Idempotency-Key headers.", len(values)).In(IdempotencyArgument).
			With(sandlot.OpSame).Note("Send exactly one.")
	case inspect.HoldsKey(values[0]):
		return leaked(IdempotencyArgument, "A key was sent as the Idempotency-Key.")
	}
	return publish.CheckIdempotencyKey(values[0])
}

func (a *Intake) BodyTooLarge() *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeContentTooLarge, "The body is larger than files of at most %d bytes together "+
		"can make it.", a.MaxFile).Detail("limit", a.MaxFile).Note("Make the file smaller, or send it in parts.")
}

// decoder returns the decoder for the body in src. It returns nil, without an error, for an empty body if the call
// allows one.
func (a *Intake) decoder(c *Call, src io.Reader, mayBeEmpty bool) (*content.Decoder, error) {
	kind, boundary, err := mediaType(c)
	if err != nil {
		return nil, err
	}
	if kind == loose && (c.Takes.Upload || !c.Body.beginsObject()) {
		name, _, _ := mime.ParseMediaType(c.R.Header.Get("Content-Type"))
		return nil, wrongType("The Content-Type " + inspect.Quoted(name) + " isn't supported.")
	}
	lim := content.Limits{Content: a.MaxContent, Archive: a.MaxFile, Length: c.R.ContentLength}
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
		return nil, wrongType("The request has no Content-Type, and its body does not begin with {.")
	}
	c.Object = err == nil && first == '{'
	// The decoder meets any other error again.
	return content.JSON(r, lim), nil
}

// guessed returns a decoder for the likely format of a refused body, whatever its Content-Type says; nil if there is
// nothing to read.
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
	text, _ := io.ReadAll(r)                 // the part of it that can be read
	pairs, _ := url.ParseQuery(string(text)) // those that can be read
	said := map[string]string{}
	for name, values := range pairs {
		if name != "" && name != "content" {
			said[name] = values[0]
		}
	}
	out, _ := json.Marshal(said) // never fails for texts
	return bytes.NewReader(out)
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
		return 0, "", wrongType("The Content-Type cannot be read.")
	case name == "multipart/form-data" && params["boundary"] != "":
		return formBody, params["boundary"], nil
	case name == "multipart/form-data":
		return 0, "", wrongType("The Content-Type multipart/form-data lacks its boundary.")
	case slices.Contains(looseTypes, name):
		return loose, "", nil
	case name != "application/json":
		return 0, "", wrongType("The Content-Type " + inspect.Quoted(name) + " isn't supported.")
	case params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8"):
		return 0, "", wrongType("The charset " + inspect.Quoted(params["charset"]) + " isn't supported.")
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

func wrongType(message string) error {
	return sandlot.Refuse(sandlot.CodeUnsupportedMediaType, "%s", message).In("Content-Type").With(sandlot.OpSame).
		Note("Send Content-Type: application/json with one JSON object in UTF-8, or multipart/form-data with the " +
			"file as the part content; publish and update also take an archive as application/zip, " +
			"application/x-tar, application/gzip or application/zstd.")
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

// Settle answers a refusal while the client may still be sending. send writes the answer, which goes out at once. The
// rest of the body is discarded within limits: a close while bytes arrive would reset the connection, and many clients
// would never see the reason.
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
