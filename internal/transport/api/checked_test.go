package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/testkit/expect"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// specification is the OpenAPI document, loaded once for all tests.
var specification = sync.OnceValues(func() (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openapiYAML)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background(), openapi3.IsOpenAPI31OrLater()); err != nil {
		return nil, err
	}
	return doc, asOpenAPI30(doc)
})

// asOpenAPI30 lets values be checked by the validator for OpenAPI 3.0. That for 3.1 compiles the schema for each value, which took half of
// the time of these tests. It says the same of the keywords that the document uses, but for const, which becomes an enum of one.
func asOpenAPI30(doc *openapi3.T) error {
	doc.OpenAPI = "3.0.3"
	return doc.WalkSchemas(func(_ string, s *openapi3.SchemaRef) error {
		if s.Value.Const != nil {
			s.Value.Enum, s.Value.Const = []any{s.Value.Const}, nil
		}
		return nil
	})
}

var router = sync.OnceValues(func() (routers.Router, error) {
	doc, err := specification()
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := specification()
	expect.OK(t, err, "openapi.yaml")
	return doc
}

// checked is a RoundTripper that holds every answer, and every request that was
// accepted, against the OpenAPI document.
type checked struct {
	t    *testing.T
	next http.RoundTripper
}

// checkMost bounds the bodies that are checked: beyond it, files are sent.
const checkMost = 256 << 10

// laxKey marks a request which the service takes though the document does not
// describe it: null for an optional field, the body of another type.
type laxKey struct{}

func lax(r *http.Request) { *r = *r.WithContext(context.WithValue(r.Context(), laxKey{}, true)) }

func (c *checked) RoundTrip(r *http.Request) (*http.Response, error) {
	c.t.Helper()
	var sent []byte
	if r.Body != nil && r.ContentLength >= 0 && r.ContentLength < checkMost {
		sent, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	res, err := c.next.RoundTrip(r)
	if err != nil {
		return res, err
	}
	c.always(r, res)
	if r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return res, nil
	}
	got, err := io.ReadAll(res.Body)
	if err != nil {
		return res, err
	}
	body := &readBody{Reader: bytes.NewReader(got)}
	res.Body = body
	if body.value, err = c.check(r, sent, res, got); err != nil {
		c.t.Errorf("%s %s -> %d is not as the OpenAPI document says: %v\n%.400s", r.Method, r.URL.Path, res.StatusCode, err, got)
	}
	return res, nil
}

// readBody is the body of an answer, with the value that it has as JSON: to decode a large one is slow.
type readBody struct {
	*bytes.Reader
	value any // nil if it is not JSON
}

func (*readBody) Close() error { return nil }

// always checks what every answer carries.
func (c *checked) always(r *http.Request, res *http.Response) {
	c.t.Helper()
	want := map[string]string{"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
	for name, value := range want {
		if got := res.Header.Get(name); got != value {
			c.t.Errorf("%s %s: %s is %q, want %q", r.Method, r.URL.Path, name, got, value)
		}
	}
	if res.Header.Get("X-Request-Id") == "" || res.Header.Get("Set-Cookie") != "" {
		c.t.Errorf("%s %s: no request id, or a cookie: %v", r.Method, r.URL.Path, res.Header)
	}
}

// check holds an answer against the document, and gives its value if it is JSON.
func (c *checked) check(r *http.Request, sent []byte, res *http.Response, got []byte) (v any, err error) {
	schema, err := described(r, sent, res)
	if err != nil || schema == nil {
		return nil, err
	}
	if err := json.Unmarshal(got, &v); err != nil {
		return nil, err
	}
	if err := schema.Value.VisitJSON(v, openapi3.VisitAsResponse()); err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusOK && strings.HasPrefix(r.URL.Path, "/openapi.") {
		return v, nil
	}
	return v, listed("", schema, v)
}

// described is what the document says of the body of an answer, nil if it is not JSON. All else of the answer is checked, and the request.
func described(r *http.Request, sent []byte, res *http.Response) (*openapi3.SchemaRef, error) {
	rt, err := router()
	if err != nil {
		return nil, err
	}
	doc, _ := specification()
	route, params, err := rt.FindRoute(r)
	if err != nil {
		if res.StatusCode < 400 {
			return nil, fmt.Errorf("the document has no such operation: %w", err)
		}
		return doc.Components.Schemas["Error"], nil
	}
	options := &openapi3filter.Options{
		IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		ExcludeRequestBody: len(sent) == 0, ExcludeResponseBody: true,
	}
	ask := *r
	ask.Body = io.NopCloser(bytes.NewReader(sent))
	in := &openapi3filter.RequestValidationInput{Request: &ask, PathParams: params, Route: route, Options: options}
	if res.StatusCode < 300 && r.Context().Value(laxKey{}) == nil {
		if err := openapi3filter.ValidateRequest(r.Context(), in); err != nil {
			return nil, fmt.Errorf("an accepted request is not described: %w", err)
		}
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: res.StatusCode, Header: res.Header, Options: options}
	if err := openapi3filter.ValidateResponse(r.Context(), out); err != nil {
		return nil, err
	}
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode == http.StatusNotModified {
		return nil, nil
	}
	content := route.Operation.Responses.Status(res.StatusCode).Value.Content.Get(media)
	if content == nil {
		return nil, fmt.Errorf("no answer of type %q is described", media)
	}
	if media != "application/json" {
		return nil, nil
	}
	return content.Schema, nil
}

// propertiesOf are those that a schema and what it is made of list.
func propertiesOf(schema *openapi3.SchemaRef) openapi3.Schemas {
	all := openapi3.Schemas{}
	for _, part := range schema.Value.AllOf {
		maps.Copy(all, propertiesOf(part))
	}
	maps.Copy(all, schema.Value.Properties)
	return all
}

// listed fails if the answer has a field that its schema does not list.
func listed(at string, schema *openapi3.SchemaRef, v any) error {
	several := slices.Concat(schema.Value.AnyOf, schema.Value.OneOf)
	for i, one := range several {
		if err := listed(at, one, v); err == nil || i == len(several)-1 {
			return err
		}
	}
	if more := schema.Value.AdditionalProperties.Has; more != nil && *more {
		return nil // an object of any names, such as the arguments of a call
	}
	switch v := v.(type) {
	case map[string]any:
		properties := propertiesOf(schema)
		for name, inner := range v {
			property := properties[name]
			if property == nil {
				return fmt.Errorf("the field %s%s is not described", at, name)
			}
			if err := listed(at+name+".", property, inner); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range v {
			if err := listed(at, schema.Value.Items, inner); err != nil {
				return err
			}
		}
	}
	return nil
}
