package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/intake"
)

// row is one bad input: a request that is refused and changes nothing. The
// numbers are those of the catalogue of bad inputs.
type row struct {
	n      int
	name   string
	path   string // publish if empty
	key    string // "account" if empty, "none" for none
	body   any
	status int
	code   sandlot.Code
	change []func(*http.Request)
}

// refuses sends every row to one world, and checks after each that nothing has
// changed.
func refuses(t *testing.T, w *world, rows []row) {
	t.Helper()
	before := w.Sizes()
	for _, r := range rows {
		t.Run(fmt.Sprintf("row %d: %s", r.n, r.name), func(t *testing.T) {
			w.in(t)
			path, key := "/v1/publish", w.account
			if r.path != "" {
				path = r.path
			}
			switch r.key {
			case "none":
				key = ""
			case "project":
				key = w.project
			case "":
			default:
				key = r.key
			}
			w.post(path, key, r.body, r.change...).refused(r.status, r.code)
			expect.Same(t, "what is kept", w.Sizes(), before)
		})
	}
}

// in makes the world report to a subtest.
func (w *world) in(t *testing.T) *world {
	outer := w.t
	w.t = t
	check := w.client.Transport.(*checked)
	check.t = t
	t.Cleanup(func() { w.t, check.t = outer, outer })
	return w
}

// posts are the endpoints that take a body, each with a body that would do.
func (w *world) posts() map[string]obj {
	return map[string]obj{
		"/v1/publish":     {"content": page64},
		"/v1/update":      {"project_id": w.projectID, "filename": "a.txt", "content": "YQ=="},
		"/v1/delete-file": {"project_id": w.projectID, "filename": "logo.svg"},
		"/v1/signup":      {},
	}
}

func TestRowsAnyPost(t *testing.T) {
	t.Parallel()
	// The full limit, so that it is the fields and not the length that are refused.
	w := settled(t, func(s *settings) { s.cfg.MaxContent = 0 })
	deep := `{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`
	var many []byte
	for i := range 1_000_000 {
		many = append(strconv.AppendInt(append(many, `,"k`...), int64(i), 10), `":1`...)
	}
	bodies := []row{
		{n: 1, name: "null", body: `null`},
		{n: 1, name: "an array", body: `[]`},
		{n: 1, name: "a string", body: `"x"`},
		{n: 1, name: "a number", body: `42`},
		{n: 2, name: "truncated", body: `{"title":"x"`},
		{n: 2, name: "an unclosed string", body: `{"content":"` + strings.Repeat("QUJD", 300_000)},
		{n: 3, name: "two objects", body: `{}{}`},
		{n: 3, name: "text after it", body: `{} x`},
		{n: 4, name: "a name twice", body: `{"project_id":"a","project_id":"b"}`},
		{n: 4, name: "twice, once escaped", body: `{"title":"a","titl\u0065":"b"}`},
		{n: 8, name: "deep nesting", body: deep},
		{n: 9, name: "a million names", body: `{"a":1` + string(many) + `}`},
		{n: 9, name: "a name of 10 MB", body: `{"` + strings.Repeat("k", 10<<20) + `":1}`},
		{n: 10, name: "invalid UTF-8", body: "{\"title\":\"\xff\"}"},
		{n: 10, name: "a lone surrogate", body: `{"title":"\ud800"}`},
		{n: 10, name: "a control character", body: "{\"title\":\"a\x01\"}"},
	}
	for path := range w.posts() {
		var rows []row
		for i, r := range bodies {
			if path != "/v1/publish" && i%4 != 0 {
				continue // one reader is behind all of them
			}
			r.path, r.status, r.code, r.name = path, 400, sandlot.CodeInvalidJSON, path+" "+r.name
			rows = append(rows, r)
		}
		if path != "/v1/signup" {
			rows = append(rows, row{n: 1, name: path + " empty", path: path, body: "", status: 400, code: sandlot.CodeInvalidJSON})
		}
		refuses(t, w, rows)
	}
}

func TestRowsMedia(t *testing.T) {
	t.Parallel()
	w := settled(t)
	kind := func(v string) []func(*http.Request) { return []func(*http.Request){with("Content-Type", v)} }
	for path, body := range w.posts() {
		refuses(t, w, []row{
			{13, path + " text/plain", path, "", "a text", 415, sandlot.CodeUnsupportedMediaType, kind("text/plain")},
			{13, path + " a form without files", path, "", "a=b", 415, sandlot.CodeUnsupportedMediaType, kind("application/x-www-form-urlencoded")},
			{13, path + " multipart without a boundary", path, "", body, 415, sandlot.CodeUnsupportedMediaType, kind("multipart/form-data")},
			{13, path + " a type that cannot be read", path, "", body, 415, sandlot.CodeUnsupportedMediaType, kind(";;")},
			{13, path + " no type and no object", path, "", "[]", 415, sandlot.CodeUnsupportedMediaType, []func(*http.Request){func(r *http.Request) { r.Header.Del("Content-Type") }}},
			{14, path + " another charset", path, "", body, 415, sandlot.CodeUnsupportedMediaType, kind("application/json; charset=utf-16")},
			{15, path + " Content-Encoding", path, "", body, 415, sandlot.CodeUnsupportedMediaType, []func(*http.Request){with("Content-Encoding", "gzip")}},
		})
	}
}

func TestRowsAccepted(t *testing.T) {
	t.Parallel()
	w := settled(t)
	none := func(r *http.Request) { r.Header.Del("Content-Type") }
	t.Run("row 1: no body on signup is {}", func(t *testing.T) {
		w.in(t).post("/v1/signup", "", nil).wants(201)
		w.post("/v1/signup", "", "").wants(201)
		w.post("/v1/signup", "", " \n", lax).wants(201)
	})
	t.Run("row 3: a byte order mark is skipped", func(t *testing.T) {
		w.in(t).post("/v1/signup", "", "\ufeff{}", lax).wants(201)
		w.post("/v1/signup", "", "\ufeff {}", none, lax).wants(201)
	})
	t.Run("row 6: another case is another name", func(t *testing.T) {
		got := w.in(t).post("/v1/delete-file", w.account, obj{"Project_ID": w.projectID, "filename": "logo.svg"}).refused(400, sandlot.CodeInvalidField)
		if !strings.Contains(got.str("message"), `"Project_ID"`) {
			t.Errorf("the near miss is not named: %s", got.text)
		}
	})
	t.Run("row 7: an unknown field is ignored with a warning", func(t *testing.T) {
		got := w.in(t).post("/v1/publish", w.account, obj{"content": page64, "contnet": 1, "colours": []string{"x"}, "filename": "game.html"}).wants(201)
		for _, part := range []string{"Probably content was meant", "colours", "/v1/update"} {
			expect.Contains(t, "answer", got.text, part)
		}
	})
	t.Run("row 7: many unknown fields get few warnings", func(t *testing.T) {
		body := obj{}
		for i := range 500 {
			body[fmt.Sprint("field", i)] = 1
		}
		got := w.in(t).post("/v1/signup", "", body).wants(201)
		if n := len(got.body["warnings"].([]any)); n > intake.MaxWarned+1 {
			t.Errorf("%d warnings", n)
		}
	})
	t.Run("row 14: charset UTF-8 in any case", func(t *testing.T) {
		w.in(t).post("/v1/signup", "", `{}`, with("Content-Type", "application/json;charset=UTF-8")).wants(201)
	})
	t.Run("an absent Content-Type with an object is JSON", func(t *testing.T) {
		w.in(t).post("/v1/publish", w.account, obj{"content": page64}, none, lax).wants(201)
	})
	t.Run("null for an optional field counts as absent", func(t *testing.T) {
		w.in(t).post("/v1/publish", w.account, obj{"content": page64, "title": nil, "part": nil, "size": nil, "sha256": nil}, lax).wants(201)
	})
	t.Run("null for a required field is missing", func(t *testing.T) {
		w.in(t).post("/v1/delete-file", w.account, obj{"project_id": w.projectID, "filename": nil}).refused(400, sandlot.CodeMissingField)
	})
}

func TestRowsFields(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var rows []row
	add := func(n int, name string, status int, code sandlot.Code, body obj) {
		rows = append(rows, row{n: n, name: name, body: body, status: status, code: code})
	}
	add(11, "content is a number", 400, sandlot.CodeInvalidField, obj{"content": 1})
	add(11, "content is null", 400, sandlot.CodeMissingField, obj{"content": nil})
	add(11, "content is an object", 400, sandlot.CodeInvalidField, obj{"content": obj{}})
	add(11, "content is missing", 400, sandlot.CodeMissingField, obj{})
	add(11, "content is empty", 400, sandlot.CodeInvalidField, obj{"content": ""})
	for _, part := range []string{`"one"`, `"1.5"`, `1.5`, `1e0`, `true`, `9223372036854775808`} {
		rows = append(rows, row{n: 12, name: "part " + part, body: `{"upload_id":"u","part":` + part + `,"content":"YQ=="}`, status: 400, code: sandlot.CodeInvalidField})
	}
	for _, e := range []any{"br+base64", "utf-8", "", 7} {
		add(16, fmt.Sprint("content_encoding ", e), 400, sandlot.CodeInvalidField, obj{"content": page64, "content_encoding": e})
	}
	for _, name := range []string{"email", "sha256", "upload_id"} {
		add(0, name+" is a number", 400, sandlot.CodeInvalidField, obj{"content": page64, name: 7})
	}
	add(0, "last is a text", 400, sandlot.CodeInvalidField, obj{"content": page64, "upload_id": "u", "part": 1, "last": "yes"})
	add(0, "sha256 is too short", 400, sandlot.CodeInvalidField, obj{"content": page64, "sha256": "abc"})
	add(0, "sha256 is not hexadecimal", 400, sandlot.CodeInvalidField, obj{"content": page64, "sha256": strings.Repeat("g", 64)})
	add(0, "size is negative", 400, sandlot.CodeInvalidField, obj{"content": page64, "size": -1})
	add(0, "size is a text", 400, sandlot.CodeInvalidField, obj{"content": page64, "size": "eleven"})
	add(0, "another size", 422, sandlot.CodeDigestMismatch, obj{"content": page64, "size": 1})
	add(0, "another sha256", 422, sandlot.CodeDigestMismatch, obj{"content": page64, "sha256": strings.Repeat("0", 64)})
	add(0, "another sha256 of a stored file", 422, sandlot.CodeDigestMismatch, obj{"content": b64(noise(64 << 10)), "sha256": strings.Repeat("0", 64)})
	refuses(t, w, rows)
}
