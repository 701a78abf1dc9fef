package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"net/http"
	"strconv"

	"go.yaml.in/yaml/v3"

	"sandlot"
	"sandlot/internal/domain/operate"
	"sandlot/internal/transport/intake"
)

// A call is one request on its way through the package.
type call struct {
	*intake.Call
	pathNames
	id     string // the request id
	route  *route // nil until the route is found
	meant  *route // the first route of the path, if none takes the method
	status int    // of a refusal whose code has another; 0: that of the code

	reporter operate.Reporter // the owner of the presented token, if the route takes one
}

func newCall(w http.ResponseWriter, r *http.Request) *call {
	c := &call{Call: &intake.Call{W: w, R: r, Body: &intake.Body{R: r.Body}}, id: cmp.Or(RequestID(r.Context()), NewRequestID())}
	h := w.Header()
	h.Set("X-Request-Id", c.id)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	// Any page may call: a request carries a bearer key or nothing, never a cookie.
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, "+
		"Idempotent-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, Sandlot-Version, WWW-Authenticate, X-Request-Id")
	return c
}

func preflight(h http.Header) {
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, PATCH, POST, PUT, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers",
		"Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range")
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

type requestIDKey struct{}

// NewRequestID returns a random name for one request; a client's choice could mislead readers of a log.
func NewRequestID() string { return rand.Text() }

// WithRequestID returns a context with the id of its request, for its log and this package.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the id that WithRequestID put into ctx, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

type toolsKey struct{}

// WithTools returns the context of a request that a tool makes in place of a client. Such a request may present an
// edit_token, and the answer to its publish has no key: that of a new account has edit_token instead.
func WithTools(ctx context.Context) context.Context { return context.WithValue(ctx, toolsKey{}, true) }

// fromTools reports whether WithTools made ctx.
func fromTools(ctx context.Context) bool {
	yes, _ := ctx.Value(toolsKey{}).(bool)
	return yes
}

// openapiYAML is the OpenAPI document. It never changes.
//
//go:embed openapi.yaml
var openapiYAML []byte

// Document returns the OpenAPI document in YAML. It must not be changed.
func Document() []byte { return openapiYAML }

// documentJSON returns the document in JSON. Tests read the embedded one, so a broken one is a programmer's error.
func documentJSON() []byte {
	var v any
	err := yaml.Unmarshal(openapiYAML, &v)
	out, failed := json.MarshalIndent(v, "", " ")
	if err != nil || failed != nil {
		panic("openapi.yaml cannot be read")
	}
	return append(out, '\n')
}

// served returns the handler of a document.
func served(contentType string, body func(*API) []byte) func(*API, *call) error {
	return func(a *API, c *call) error {
		h, text := c.W.Header(), body(a)
		h.Set("Content-Type", contentType)
		h.Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = c.W.Write(text) // an error means that the client is gone
		return nil
	}
}
