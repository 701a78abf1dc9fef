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

func TestRowsUpdate(t *testing.T) {
	t.Parallel()
	w := settled(t, func(s *settings) { s.cfg.MaxFiles = 4 })
	for _, name := range []string{"a.txt", "manifest.json"} { // the latter is a name like any other: row 50
		w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": name, "content": "YQ=="}).wants(200)
	}
	name := func(n int, name, file string, status int, code sandlot.Code) row {
		return row{n, name, "/v1/update", "project", obj{"project_id": w.projectID, "filename": file, "content": "YQ=="}, status, code, nil}
	}
	body := obj{"project_id": w.projectID, "filename": "index.html", "content": page64}
	refuses(t, w, []row{
		name(47, "another case", "Logo.svg", 422, sandlot.CodeFilenameConflict),
		name(51, "a file too many", "five.txt", 429, sandlot.CodeQuotaExceeded),
		{0, "an old If-Match", "/v1/update", "", body, 412, sandlot.CodeVersionConflict, []func(*http.Request){with("If-Match", `"1"`)}},
		{0, "If-Match that is no version", "/v1/update", "", body, 400, sandlot.CodeInvalidField, []func(*http.Request){with("If-Match", `"abc"`)}},
		{0, "If-Match without quotes", "/v1/update", "", body, 400, sandlot.CodeInvalidField, []func(*http.Request){with("If-Match", `5`)}},
		{0, "If-Match with two versions", "/v1/update", "", body, 400, sandlot.CodeInvalidField, []func(*http.Request){with("If-Match", `"4", "5"`)}},
		{0, "If-Match against if_version", "/v1/update", "", obj{"project_id": w.projectID, "filename": "index.html", "content": page64, "if_version": 4}, 400, sandlot.CodeInvalidField, []func(*http.Request){with("If-Match", `"5"`)}},
	})
	t.Run("If-Match in other forms guards as well", func(t *testing.T) {
		w.in(t)
		for _, form := range []string{`"%d"`, `W/"%d"`, `*`} {
			version := w.get("/v1/project/"+w.projectID, "").body["version"].(float64)
			tag := strings.ReplaceAll(form, "%[1]d", fmt.Sprint(version))
			w.post("/v1/update", w.project, body, with("If-Match", strings.ReplaceAll(tag, "%d", fmt.Sprint(version)))).wants(200)
		}
	})
	t.Run("a conflict tells the current version", func(t *testing.T) {
		w.in(t)
		version := w.get("/v1/project/"+w.projectID, "").body["version"]
		got := w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "index.html", "content": page64, "if_version": 1}).refused(412, sandlot.CodeVersionConflict)
		if got.body["version"] != version {
			t.Errorf("told %v, it is %v", got.body["version"], version)
		}
	})
}

func secondProject(w *world) string {
	w.t.Helper()
	return w.post("/v1/publish", w.account, obj{"content": page64}).wants(201).str("project_id")
}

// TestEveryLimitOfAFieldHolds: a longer text is refused, cut or left out, and the answer says so.
func TestEveryLimitOfAFieldHolds(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for _, op := range []sandlot.Op{sandlot.OpUpdate, sandlot.OpPublish} {
		for _, f := range op.Row().Fields {
			if f.Type != sandlot.Text || f.Most == 0 {
				continue
			}
			call := obj{"text": page, "filename": "index.html", "project_id": w.projectID}
			if op == sandlot.OpPublish {
				call = obj{"text": page}
			}
			call[f.Name] = strings.Repeat("a", f.Most+1)
			got := w.post("/v1/"+string(op), w.account, call)
			said := fmt.Sprint(got.body["field"], got.body["warnings"], got.body["message"])
			if !strings.Contains(said, f.Name) && !strings.Contains(said, strings.TrimSuffix(f.Name, "_id")) {
				t.Errorf("%s with %d characters in %s: %d %s", op, f.Most+1, f.Name, got.status, got.text)
			}
		}
	}
}

// part is the body of a call of an upload.
func part(id string, n int, content string, more obj) obj {
	body := obj{"upload_id": id, "part": n, "content": b64(content)}
	for name, v := range more {
		body[name] = v
	}
	return body
}

const longID = "0123456789abcdefghijklmnop"

// TestRowsUpload has the refusals of the reading of fields; internal/domain/publish has the rest.
func TestRowsUpload(t *testing.T) {
	t.Parallel()
	refuses(t, settled(t), []row{
		{n: 59, name: "part 0", body: part("u", 0, "a", nil), status: 400, code: sandlot.CodeInvalidField},
		{n: 60, name: "part without upload_id", body: obj{"part": 1, "content": "YQ=="}, status: 400, code: sandlot.CodeMissingField},
		{n: 61, name: "part 2 before part 1", body: part("u", 2, noise(64<<10), nil), status: 422, code: sandlot.CodePart1First},
		{n: 67, name: "no part at all", body: part("u", 1, "a", obj{"total_parts": 0}), status: 400, code: sandlot.CodeInvalidField},
		{n: 67, name: "two totals", body: part("u", 1, "a", obj{"total_parts": 3, "parts": 4}), status: 400, code: sandlot.CodeInvalidField},
		{n: 69, name: "an empty upload_id", body: part("", 1, "a", nil), status: 400, code: sandlot.CodeMissingField},
	})
}

// TestRegressionM20PartsWithoutANumberAreToldHowTheyEnd: an agent that sends parts as the specification alone shows them reads the answer's hint.
func TestRegressionM20PartsWithoutANumberAreToldHowTheyEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account = w.post("/v1/signup", "", obj{}).wants(201).str("api_key")
	if got := w.post("/v1/publish", w.account, part("u", 1, page, nil)).wants(202); !strings.Contains(got.str("hint"), "total_parts") || !strings.Contains(got.str("hint"), "\nPOST http") {
		t.Errorf("the hint is %q", got.str("hint"))
	}
	if got := w.post("/v1/publish", w.account, part("u", 2, page, obj{"total_parts": 3})).wants(202); got.body["hint"] != nil {
		t.Errorf("with the number known the hint is %q", got.str("hint"))
	}
}

// A query that cannot be read in part would be read without that part: which may name the project, or ask for a dry run.
func TestAChangeWithAQueryThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	w := settled(t)
	zipped := oneExport(t, 1, 10)
	tar := func(r *http.Request) { r.Header.Set("Content-Type", "application/zip") }
	w.unchanged(func() {
		for _, query := range []string{"?dry_run=%zz", "?a=1;dry_run=true", "?project_id=%", "?dryRun=true", "?dry-run", "?dry_run=true&dry_run=false", "?dry_run"} {
			for _, path := range []string{"/v1/publish", "/v1/update", "/v1/import"} {
				w.send("POST", path+query, w.account, zipped, tar, lax).refused(400, sandlot.CodeInvalidField)
			}
		}
	})
}

func TestADryRunThatATicketWasNotAskedForIsRefused(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.txt"})
	dry := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.txt", "dry_run": true})
	query := func(q string) func(*http.Request) { return func(r *http.Request) { r.URL.RawQuery = q } }
	w.unchanged(func() {
		for _, q := range []string{"dry_run=true", "DryRun=1", "dry_run=%zz", "dry_run"} {
			w.bytes(at, "x", query(q), lax).refused(400, sandlot.CodeInvalidField)
		}
		w.bytes(dry, "x", query("dry_run=true"), lax).wants(200)
	})
	w.bytes(at, "x", query("dry_run=false"), lax).wants(200)
}

// TestWhatOnlyManyFilesObeyIsNeverDroppedBesideOne: one file by itself obeys primary_file, too; where that cannot be, the call is refused.
func TestWhatOnlyManyFilesObeyIsNeverDroppedBesideOne(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id := w.projectID
	one := obj{"project_id": id, "filename": "start.html", "text": page, "primary_file": "start.html"}
	if a := w.post("/v1/update", w.account, one).wants(200); a.warned("filename_ignored") {
		t.Error(a.text)
	}
	expect.Equal(t, "primary file", w.get("/v1/project/"+id, w.account).str("primary_file"), "start.html")
	for _, field := range []string{"replace", "primary_file"} {
		value := any("start.html")
		if field == "replace" {
			value = true
		}
		a := w.post("/v1/update", w.account, obj{"project_id": id, "filename": "start.html", "text": page, "upload_id": "u", "part": 1, field: value}).refused(400, sandlot.CodeInvalidField)
		expect.Equal(t, "field", a.str("field"), field)
		a = w.post("/v1/uploads", w.account, obj{"project_id": id, "filename": "start.html", field: value}).refused(400, sandlot.CodeInvalidField)
		expect.Equal(t, "field", a.str("field"), field)
	}
	if !w.post("/v1/publish", w.account, obj{"text": page, "primary_file": "start.html"}).wants(201).warned("primary_file_ignored") {
		t.Error("a publish drops primary_file without a word")
	}
}
