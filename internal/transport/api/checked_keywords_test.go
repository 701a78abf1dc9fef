package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// wrongValues has, for each keyword that the document may use, a schema and a value that it refuses.
var wrongValues = []struct{ schema, value string }{
	{`{"type": "string"}`, `1`},
	{`{"type": "string"}`, `null`},
	{`{"type": ["string", "null"]}`, `1`},
	{`{"type": "integer"}`, `1.5`},
	{`{"type": "integer", "minimum": 1}`, `0`},
	{`{"type": "integer", "maximum": 1}`, `2`},
	{`{"type": "string", "minLength": 2}`, `"a"`},
	{`{"type": "string", "maxLength": 1}`, `"ab"`},
	{`{"type": "string", "pattern": "^a$"}`, `"b"`},
	{`{"type": "string", "format": "date-time"}`, `"today"`},
	{`{"type": "string", "enum": ["a"]}`, `"b"`},
	{`{"type": "string", "const": "a"}`, `"b"`},
	{`{"const": true}`, `false`},
	{`{"type": "array", "items": {"type": "string"}}`, `[1]`},
	{`{"type": "array", "items": {}, "maxItems": 1}`, `[1, 2]`},
	{`{"type": "object", "properties": {"a": {"type": "string"}}}`, `{"a": 1}`},
	{`{"type": "object", "required": ["a"]}`, `{}`},
	{`{"allOf": [{"type": "string"}, {"minLength": 2}]}`, `"a"`},
	{`{"oneOf": [{"type": "string"}, {"type": "boolean"}]}`, `1`},
	{`{"oneOf": [{"type": "string"}, {"type": "string", "minLength": 2}]}`, `"ab"`},
	{`{"anyOf": [{"type": "string"}, {"type": "boolean"}]}`, `1`},
}

// annotations are keywords that refuse no value.
var annotations = []string{"description", "example", "examples", "default", "deprecated", "contentEncoding", "contentMediaType", "$ref"}

func TestTheCheckOfAnswersKnowsEachKeywordOfTheDocument(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, wrong := range wrongValues {
		doc := &openapi3.T{Components: &openapi3.Components{Schemas: openapi3.Schemas{"Any": {Value: &openapi3.Schema{}}}}}
		schema := doc.Components.Schemas["Any"]
		var value any
		decode(t, wrong.schema, schema.Value)
		decode(t, wrong.value, &value)
		for keyword := range keywordsOf(t, schema.Value) {
			known[keyword] = true
		}
		if err := asOpenAPI30(doc); err != nil {
			t.Fatal(err)
		}
		if schema.Value.VisitJSON(value) == nil {
			t.Errorf("%s passes as %s", wrong.value, wrong.schema)
		}
	}
	err := document(t).WalkSchemas(func(at string, s *openapi3.SchemaRef) error {
		for keyword := range keywordsOf(t, s.Value) {
			if !known[keyword] && !slices.Contains(annotations, keyword) && !strings.HasPrefix(keyword, "x-") {
				t.Errorf("%s: nothing shows that the check heeds %q", at, keyword)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func keywordsOf(t *testing.T, s *openapi3.Schema) (keywords map[string]any) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, string(text), &keywords)
	return keywords
}

func decode(t *testing.T, text string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}
