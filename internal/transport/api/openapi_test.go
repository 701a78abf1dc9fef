package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/intake"
)

func TestDocument(t *testing.T) {
	t.Parallel()
	t.Run("is valid OpenAPI 3.1", func(t *testing.T) { document(t) })
	t.Run("has every route and no other", func(t *testing.T) {
		var have, want []string
		for path, item := range ours(document(t)) {
			for method := range item.Operations() {
				have = append(have, method+" "+path)
			}
		}
		for _, rt := range routes() {
			want = append(want, rt.method+" "+rt.pattern)
		}
		slices.Sort(have)
		slices.Sort(want)
		expect.Same(t, "routes of the document", have, want)
	})
	t.Run("says of every route whether it takes a key", func(t *testing.T) {
		doc := document(t)
		for _, rt := range routes() {
			op := doc.Paths.Value(rt.pattern).Operations()[rt.method]
			if got := documentedNeed(doc, op); got != rt.key {
				t.Errorf("%s %s: the document says %v, the route %v", rt.method, rt.pattern, got, rt.key)
			}
		}
	})
	t.Run("lists every error code", func(t *testing.T) {
		var have, want []string
		for _, c := range document(t).Components.Schemas["Code"].Value.Enum {
			have = append(have, c.(string))
		}
		for c := range sandlot.Codes {
			want = append(want, string(c))
		}
		slices.Sort(have)
		slices.Sort(want)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("lists every field that is taken", func(t *testing.T) {
		doc := document(t)
		for name, set := range map[string]*intake.FieldSet{"PublishRequest": intake.PublishFields, "UpdateRequest": intake.UpdateFields, "DeleteFileRequest": intake.DeleteFields, "RestoreRequest": intake.RestoreFields, "AmendRequest": intake.AmendFields, "BoardRequest": intake.BoardFields, "ReportRequest": intake.ReportFields, "SignupRequest": intake.SignupFields, "TicketRequest": intake.TicketFields} {
			var have []string
			for field := range doc.Components.Schemas[name].Value.Properties {
				have = append(have, field)
			}
			want := slices.Clone(set.All())
			slices.Sort(have)
			slices.Sort(want)
			expect.Same(t, name, have, want)
		}
	})
	t.Run("gives each field the type of its row", func(t *testing.T) {
		doc := document(t)
		for name, op := range map[string]sandlot.Op{"PublishRequest": sandlot.OpPublish, "UpdateRequest": sandlot.OpUpdate, "DeleteFileRequest": sandlot.OpDeleteFile, "RestoreRequest": sandlot.OpRestore, "AmendRequest": sandlot.OpAmend, "BoardRequest": sandlot.OpRule, "ReportRequest": sandlot.OpReport, "SignupRequest": sandlot.OpSignup, "TicketRequest": sandlot.OpTicket} {
			schema := doc.Components.Schemas[name].Value
			for _, f := range op.Row().Fields {
				if !takesType(schema.Properties[f.Name].Value, string(f.Type)) {
					t.Errorf("%s: %s is no %s", name, f.Name, f.Type)
				}
				if required := slices.Contains(schema.Required, f.Name); required && !f.Required {
					t.Errorf("%s: %s is required, and not in its row", name, f.Name)
				}
			}
		}
	})
}

// takesType reports whether a schema, or one of those that it stands for, is of a type.
func takesType(schema *openapi3.Schema, want string) bool {
	if schema.Type != nil && schema.Type.Includes(want) {
		return true
	}
	return slices.ContainsFunc(slices.Concat(schema.AnyOf, schema.AllOf), func(ref *openapi3.SchemaRef) bool { return takesType(ref.Value, want) })
}

func documentedNeed(doc *openapi3.T, op *openapi3.Operation) need {
	security := doc.Security
	if op.Security != nil {
		security = *op.Security
	}
	switch {
	case len(security) == 1 && security[0]["ticket"] != nil:
		return ticketRequired
	case len(security) == 1 && security[0]["reporter"] != nil:
		return flagRequired
	case len(security) == 2:
		return keyOptional
	case len(security) == 1 && len(security[0]) == 0:
		return keyIgnored
	}
	return keyRequired
}

func TestDocumentExamples(t *testing.T) {
	t.Parallel()
	doc := document(t)
	t.Run("every error code has one, under its status", func(t *testing.T) {
		seen := map[string]bool{}
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				for status, res := range op.Responses.Map() {
					for name, ex := range jsonExamples(res.Value) {
						checkErrorExample(t, method+" "+path+" "+status+" "+name, status, ex, seen)
					}
				}
			}
		}
		for code := range sandlot.Codes {
			if !seen[string(code)] {
				t.Errorf("no example of %s", code)
			}
		}
	})
	t.Run("every field has one", func(t *testing.T) {
		for name, schema := range doc.Components.Schemas {
			for field, p := range schema.Value.Properties {
				if p.Value.Example == nil && p.Ref == "" && p.Value.Items == nil && !slices.Contains([]string{"next_cursor"}, field) {
					t.Errorf("%s.%s has no example", name, field)
				}
			}
		}
	})
	t.Run("every request gets the status it names", func(t *testing.T) {
		shared := settled(t)
		shared.played(shared.projectID)
		other := shared.post("/v1/publish", "", obj{"email": someone, "content": page64}).wants(201).str("project_id")
		for path, item := range ours(doc) {
			for method, op := range item.Operations() {
				for _, ex := range requestExamples(t, path, op) {
					t.Run(op.OperationID+"/"+ex.name, func(t *testing.T) {
						w := shared
						if ex.code == "" {
							w = settled(t) // it changes something
							w.played(w.projectID)
						}
						ex.send(w.in(t), other, method)
					})
				}
			}
		}
	})
}

// ours are the paths of the document that the API answers. Package doors answers, and compares, those of players.
func ours(doc *openapi3.T) map[string]*openapi3.PathItem {
	paths := maps.Clone(doc.Paths.Map())
	maps.DeleteFunc(paths, func(path string, _ *openapi3.PathItem) bool { return strings.HasPrefix(path, "/.sandlot/") })
	return paths
}

func jsonExamples(res *openapi3.Response) openapi3.Examples {
	if media := res.Content.Get("application/json"); media != nil {
		return media.Examples
	}
	return nil
}

func checkErrorExample(t *testing.T, at, status string, ex *openapi3.ExampleRef, seen map[string]bool) {
	body, _ := ex.Value.Value.(map[string]any)
	code, isError := body["error"].(string)
	if !isError {
		return
	}
	seen[code] = true
	if got := fmt.Sprint(body["status"]); got != status {
		t.Errorf("%s: the example says status %s", at, got)
	}
	if want := intake.StatusOf(sandlot.Code(code)); fmt.Sprint(want) != status && status != "414" {
		t.Errorf("%s: %s has the status %d", at, code, want)
	}
}

// requestExample is a request of the document with the answer it is to get.
type requestExample struct {
	name, path, key string
	body            any
	status          int
	code            string
}

func requestExamples(t *testing.T, path string, op *openapi3.Operation) (list []requestExample) {
	calls, _ := op.Extensions["x-calls"].([]any)
	for i, c := range calls {
		call := c.(map[string]any)
		ex := newExample(fmt.Sprint("call ", i), path, call)
		if p, ok := call["path"].(string); ok {
			ex.path = p
		}
		ex.body = call["body"]
		list = append(list, ex)
	}
	if op.RequestBody != nil && op.RequestBody.Value.Content["application/json"] != nil {
		for name, e := range op.RequestBody.Value.Content.Get("application/json").Examples {
			ex := newExample(name, path, e.Value.Extensions)
			ex.body = e.Value.Value
			list = append(list, ex)
		}
	}
	if len(list) == 0 {
		t.Errorf("%s has no example of a request", op.OperationID)
	}
	return list
}

func newExample(name, path string, ext map[string]any) requestExample {
	status, _ := ext["x-status"].(float64)
	if n, ok := ext["x-status"].(int); ok {
		status = float64(n)
	}
	code, _ := ext["x-error"].(string)
	key, _ := ext["x-key"].(string)
	return requestExample{name: name, path: path, key: key, status: int(status), code: code}
}

// exampleTickets are what the tickets of examples are asked for.
var exampleTickets = map[string]exampleTicket{
	"ticket": {"project_id": "P", "filename": "levels/1.json"}, "first ticket": {"email": someone},
}

type exampleTicket obj

// with names the project in the place of P.
func (e exampleTicket) with(project string) obj {
	out := obj{}
	for name, v := range e {
		if out[name] = v; v == "P" {
			out[name] = project
		}
	}
	return out
}

// send sends the example with real keys and ids.
func (ex requestExample) send(w *world, other, method string) {
	key := map[string]string{"account": w.account, "project": w.project, "bad": "sla_" + strings.Repeat("0", 36), "none": "", "": ""}[ex.key]
	real := strings.NewReplacer("{id}", w.projectID, "sky-hopper-7k2m9p", w.projectID, "deep-maze-4t8x1q", other, "<api_key>", w.account, "4t8x1q7k2m", w.player())
	var body any
	if ex.body != nil {
		text, err := json.Marshal(ex.body)
		expect.OK(w.t, err)
		body = real.Replace(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text)))
	}
	if told, ok := exampleTickets[ex.key]; ok {
		at := w.ticket(map[bool]string{true: w.account}[told["email"] == nil], told.with(w.projectID))
		key, ex.path = at.str("ticket"), strings.TrimPrefix(at.str("url"), testworld.Places().Base.String())
	}
	if ex.key == "reporter" {
		key = w.reporter(ex.name)
	}
	got := w.send(method, real.Replace(ex.path), key, body)
	if ex.code == "" {
		got.wants(ex.status)
		return
	}
	got.refused(ex.status, sandlot.Code(ex.code))
}

func TestDocumentIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("as YAML as it was written", func(t *testing.T) {
		got := w.get("/openapi.yaml", "").wants(http.StatusOK)
		if got.text != string(openapiYAML) || got.header.Get("Content-Type") != "application/yaml" {
			t.Errorf("got %d bytes of %s", len(got.text), got.header.Get("Content-Type"))
		}
	})
	t.Run("as JSON with the same meaning", func(t *testing.T) {
		got := w.get("/openapi.json", "").wants(http.StatusOK)
		if _, err := openapi3.NewLoader().LoadFromData([]byte(got.text)); err != nil {
			t.Error(err)
		}
		paths, _ := got.body["paths"].(obj)
		expect.Equal(t, "paths", len(paths), document(t).Paths.Len())
	})
	t.Run("with its length to HEAD", func(t *testing.T) {
		got := w.send("HEAD", "/openapi.json", "", nil).wants(http.StatusOK)
		if got.text != "" || got.header.Get("Content-Length") == "" {
			t.Errorf("%q %v", got.text, got.header)
		}
	})
}

func TestEveryCodeHasItsStatus(t *testing.T) {
	t.Parallel()
	for code := range sandlot.Codes {
		if intake.StatusOf(code) == 0 {
			t.Errorf("%s has no status", code)
		}
	}
}
