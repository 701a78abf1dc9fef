package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"sandlot"
	"sandlot/internal/transport/intake"
)

// A call is one request on its way through the package.
type call struct {
	*intake.Call
	id       string // the request id
	route    *route // nil until the route is found
	param    string // the {id} of the path, decoded
	filename string // its {filename}, decoded
	meant    meant  // the route that was probably meant, if there is none
}

func newCall(w http.ResponseWriter, r *http.Request) *call {
	c := &call{Call: &intake.Call{W: w, R: r, Body: &intake.Body{R: r.Body}}, id: RequestID(r.Context())}
	if c.id == "" {
		c.id = NewRequestID()
	}
	h := w.Header()
	h.Set("X-Request-Id", c.id)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	// Any page may call: a request carries a bearer key or nothing, never a cookie.
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Idempotent-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id")
	return c
}

func preflight(h http.Header) {
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, PATCH, POST, PUT, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range")
	h.Set("Access-Control-Max-Age", "86400")
}

func (c *call) head() bool { return c.R.Method == http.MethodHead }

// fromRecord marks an answer that comes from an idempotency record.
func (c *call) fromRecord(yes bool) {
	if yes {
		c.W.Header().Set("Idempotent-Replayed", "true")
	}
}

func (c *call) warn(code, message, hint string) {
	c.Warnings = append(c.Warnings, sandlot.Warning{Code: code, Message: message, Hint: hint})
}

// A reply is an answer in JSON: the body is a pointer to a wire type.
type reply struct {
	status int
	body   any
}

// answer writes a reply whole, with its length.
func (c *call) answer(re reply) error {
	text, err := encode(re.body)
	if err != nil {
		return err
	}
	h := c.W.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	c.W.WriteHeader(re.status)
	// An error means that the client is gone: the change stays done.
	_, _ = c.W.Write(text)
	return nil
}

// encode returns v as JSON with a line feed. Markup stays readable: the result is never parsed as HTML.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return text.Bytes(), err
}
