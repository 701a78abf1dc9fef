package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/publish"
)

// pastedCall is what a pasted command would send.
type pastedCall struct {
	line, path string
	fields     map[string]string
}

func readPasted(t *testing.T, got answer) pastedCall {
	t.Helper()
	p := pastedCall{line: pasted(got.str("hint")), fields: map[string]string{}}
	if p.line == "" {
		t.Fatalf("nothing to paste: %s", got.text)
	}
	args := words(p.line)
	for i, arg := range args {
		if path, ok := strings.CutPrefix(arg, "http://localhost:8080"); ok {
			p.path = path
		}
		if arg == "--form-string" || arg == "-F" {
			name, value, _ := strings.Cut(args[i+1], "=")
			p.fields[name] = value
		}
		if arg == "-d" {
			for name, v := range decoded(t, args[i+1]) {
				p.fields[name] = fmt.Sprint(v)
			}
		}
	}
	return p
}

// files is what these projects hold.
func (w *world) files(ids ...string) map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for _, id := range ids {
		for _, f := range w.get("/v1/project/"+id+"?content=none", w.account).wants(200).body["files"].([]any) {
			all[id+"/"+f.(obj)["filename"].(string)] = f.(obj)["sha256"].(string)
		}
	}
	return all
}

// refusal is a request that is refused, and what pasting the hint must come to.
type refusal struct {
	path, key, name string
	body            any
	code            publish.Code
	then            int    // what the pasted call gets
	to              string // the path it goes to, if that is another
	fill            string // for <filename>
	change          func(*http.Request)
}

// TestHintsKeepToTheRequest goes through the errors of each endpoint: a hint
// names the endpoint, the project and the file of the request, and whoever pastes
// it changes nothing else.
func TestHintsKeepToTheRequest(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for name, text := range map[string]string{"style.css": "b {}", "old.css": "i {}", "more.html": page} {
		w.put(name, text)
	}
	id, other := w.projectID, w.post("/v1/publish", w.account, obj{"content": page64}).wants(201).str("project_id")
	css := func(more obj) obj {
		body := obj{"project_id": id, "filename": "style.css", "content": b64("b { color: red }")}
		for name, v := range more {
			if v == nil {
				delete(body, name)
				continue
			}
			body[name] = v
		}
		return body
	}
	old := func(more obj) obj {
		body := css(more)
		delete(body, "content")
		if more["filename"] == nil {
			body["filename"] = "old.css"
		}
		return body
	}
	page := func(more obj) obj {
		more["content"] = cmpOr(more["content"], page64)
		return more
	}
	w.post("/v1/update", w.account, part("open", 1, "x", obj{"project_id": id, "filename": "style.css", "total_parts": 3})).wants(202)
	w.post("/v1/update", w.account, part("done", 1, "x", obj{"project_id": id, "filename": "style.css", "total_parts": 1})).wants(200)
	w.post("/v1/publish", w.account, part("done", 1, "x", obj{"total_parts": 1})).wants(201)
	w.post("/v1/publish", "", part("taken", 1, "x", obj{"email": someone})).wants(202)
	key := b64("<b>" + w.account)
	project, read := "/v1/project/"+id, "/v1/whoami"
	cases := []refusal{
		{"/v1/update", "project", "an old version", css(obj{"if_version": 1}), publish.CodeVersionConflict, 200, "", "", nil},
		{"/v1/update", "project", "an old If-Match", css(nil), publish.CodeVersionConflict, 200, "", "", with("If-Match", `"1"`)},
		{"/v1/update", "project", "no version", css(obj{"if_version": true}), publish.CodeInvalidField, 200, project, "", nil},
		{"/v1/update", "project", "no If-Match", css(nil), publish.CodeInvalidField, 200, project, "", with("If-Match", "x")},
		{"/v1/update", "project", "a key in the file", css(obj{"content": key}), publish.CodeKeyInContent, 200, "", "", nil},
		{"/v1/update", "project", "no content", css(obj{"content": nil}), publish.CodeMissingField, 200, "", "", nil},
		{"/v1/update", "project", "bad base64", css(obj{"content": "b { }"}), publish.CodeInvalidContent, 200, "", "style.css", nil},
		{"/v1/update", "project", "no gzip", css(obj{"content_encoding": "gzip+base64"}), publish.CodeInvalidContent, 200, "", "", nil},
		{"/v1/update", "project", "no encoding", css(obj{"content_encoding": "x"}), publish.CodeInvalidField, 200, "", "style.css", nil},
		{"/v1/update", "project", "another size", css(obj{"size": 1, "title": "New"}), publish.CodeDigestMismatch, 200, "", "", nil},
		{"/v1/update", "project", "encoded twice", css(obj{"filename": "more.html", "content": b64(page64)}), publish.CodeDoubleEncoded, 200, "", "", nil},
		{"/v1/update", "project", "gzip that is not declared", css(obj{"filename": "more.html", "content": b64(gz("<p>"))}), publish.CodeDoubleEncoded, 200, "", "", nil},
		{"/v1/update", "account", "no address", css(obj{"email": "x"}), publish.CodeInvalidEmail, 200, "", "", nil},
		{"/v1/update", "project", "no project", css(obj{"project_id": nil}), publish.CodeProjectIDRequired, 200, "", "", nil},
		{"/v1/update", "project", "another project", css(obj{"project_id": other}), publish.CodeWrongProject, 200, read, "", nil},
		{"/v1/update", "account", "an unknown project", css(obj{"project_id": "x"}), publish.CodeProjectNotFound, 200, read, "", nil},
		{"/v1/update", "project", "a name that cannot be", css(obj{"filename": "../new.css"}), publish.CodeInvalidFilename, 200, "", "", nil},
		{"/v1/update", "project", "a name in another case", css(obj{"filename": "Style.css"}), publish.CodeFilenameConflict, 200, "", "", nil},
		{"/v1/update", "project", "an empty name", css(obj{"filename": ""}), publish.CodeInvalidFilename, 200, "", "style.css", nil},
		{"/v1/update", "project", "no name", css(obj{"filename": nil}), publish.CodeMissingField, 200, "", "style.css", nil},
		{"/v1/update", "project", "a near miss of the name", css(obj{"filename": nil, "path": "style.css"}), publish.CodeInvalidField, 200, "", "", nil},
		{"/v1/update", "account", "a near miss of the project", css(obj{"project_id": nil, "slug": id}), publish.CodeInvalidField, 200, "", "", nil},
		{"/v1/update", "account", "a near miss of the version", css(obj{"ifVersion": 1}), publish.CodeInvalidField, 412, "", "", nil},
		{"/v1/update", "project", "names", css(obj{"filename": []string{"style.css"}}), publish.CodeInvalidField, 200, "", "style.css", nil},
		{"/v1/update", "none", "no key", css(nil), publish.CodeKeyRequired, 200, "", "", nil},
		{"/v1/update", "bad", "a bad key", css(nil), publish.CodeInvalidKey, 200, "", "style.css", nil},
		{"/v1/update", "project", "a key in the body", css(obj{"api_key": "x"}), publish.CodeKeyNotInHeader, 200, "", "", nil},
		{"/v1/update", "none", "a key in the body alone", css(obj{"api_key": "x"}), publish.CodeKeyNotInHeader, 200, "", "", nil},
		{"/v1/update?api_key=x", "project", "a key in the query", css(nil), publish.CodeKeyNotInHeader, 200, "", "style.css", nil},
		{"/v1/update", "project", "a text", css(nil), publish.CodeUnsupportedMediaType, 200, "", "style.css", with("Content-Type", "text/plain")},
		{"/v1/update", "account", "bad base64 behind the fields", `{"project_id":"` + id + `","filename":"style.css","upload_id":"open","part":2,"content":"b { }"}`, publish.CodeInvalidContent, 202, "", "", nil},
		{"/v1/update", "account", "bad base64 before the fields", `{"content":"b { }","filename":"style.css","project_id":"` + id + `"}`, publish.CodeInvalidContent, 200, "", "style.css", nil},
		{"/v1/update", "project", "a cut body", `{"project_id":"` + id + `","filename":"style.css","content":"PG`, publish.CodeInvalidJSON, 200, "", "", nil},
		{"/v1/update", "project", "a part above the total", part("open", 4, "x", obj{"project_id": id, "filename": "style.css"}), publish.CodePartOutOfRange, 202, "", "", nil},
		{"/v1/update", "account", "another total", part("open", 2, "x", obj{"filename": "style.css", "total_parts": 5}), publish.CodePartOutOfRange, 202, "", "", nil},
		{"/v1/update", "account", "no part", css(obj{"upload_id": "open", "part": 1.5}), publish.CodeInvalidField, 202, "", "", nil},
		{"/v1/update", "account", "part 0", css(obj{"upload_id": "open", "part": 0}), publish.CodeInvalidField, 202, "", "", nil},
		{"/v1/update", "account", "no upload_id", css(obj{"part": 2}), publish.CodeMissingField, 202, "", "", nil},
		{"/v1/update", "account", "part 2 first", css(obj{"upload_id": "new", "part": 2}), publish.CodePart1First, 202, "", "", nil},
		{"/v1/update", "account", "a completed upload", part("done", 2, "x", obj{"project_id": id}), publish.CodeUploadCompleted, 200, project, "", nil},
		{"/v1/update", "account", "another project than part 1", part("open", 2, "x", obj{"project_id": other, "filename": "style.css"}), publish.CodeInvalidField, 202, "", "", nil},
		{"/v1/update", "project", "no project with a part", part("open", 2, "x", obj{"filename": "style.css"}), publish.CodeProjectIDRequired, 202, "", "", nil},

		{"/v1/delete-file", "project", "an old version", old(obj{"if_version": 1}), publish.CodeVersionConflict, 200, "", "", nil},
		{"/v1/delete-file", "project", "a name that cannot be", old(obj{"filename": "../old.css"}), publish.CodeInvalidFilename, 200, project, "", nil},
		{"/v1/delete-file", "project", "an unknown file", old(obj{"filename": "nothing.css"}), publish.CodeFileNotFound, 200, project, "", nil},
		{"/v1/delete-file", "project", "the primary file", old(obj{"filename": "index.html"}), publish.CodePrimaryFileProtected, 200, "/v1/update", "", nil},
		{"/v1/delete-file", "account", "no address", old(obj{"email": "x"}), publish.CodeInvalidEmail, 200, "", "", nil},
		{"/v1/delete-file", "none", "no key", old(nil), publish.CodeKeyRequired, 200, "", "", nil},
		{"/v1/delete-file", "none", "a key in the body alone", old(obj{"authorization": "x"}), publish.CodeKeyNotInHeader, 200, "", "", nil},
		{"/v1/delete-file", "project", "no name", old(obj{"filename": 1}), publish.CodeInvalidField, 200, "", "old.css", nil},
		{"/v1/delete-file", "project", "a text", old(nil), publish.CodeUnsupportedMediaType, 200, "", "", with("Content-Type", "text/plain")},

		{"/v1/publish", "none", "no address", page(obj{"title": "Mine"}), publish.CodeEmailRequired, 201, "", "", nil},
		{"/v1/publish", "none", "a bad address", page(obj{"email": "x"}), publish.CodeInvalidEmail, 201, "", "", nil},
		{"/v1/publish", "account", "a bad address with a key", page(obj{"email": "x"}), publish.CodeInvalidEmail, 201, "", "", nil},
		{"/v1/publish", "none", "no address with part 1", part("mine", 1, "x", nil), publish.CodeEmailRequired, 202, "", "", nil},
		{"/v1/publish", "none", "an upload that is there", part("taken", 1, "y", obj{"email": someone}), publish.CodeUploadExists, 202, "", "", nil},
		{"/v1/publish", "account", "an upload_id of blanks", part("a b", 1, "x", nil), publish.CodeInvalidField, 202, "", "", nil},
		{"/v1/publish", "account", "a part that is no number", obj{"upload_id": "mine", "part": "two", "content": page64}, publish.CodeInvalidField, 202, "", "", nil},
		{"/v1/publish", "account", "a completed upload", part("done", 1, "other", obj{"total_parts": 1}), publish.CodeUploadCompleted, 200, "", "", nil},
		{"/v1/publish", "account", "a total without parts", obj{"upload_id": "total", "total_parts": 2}, publish.CodePart1First, 202, "", "", nil},
		{"/v1/publish", "project", "a project key", page(obj{}), publish.CodeAccountKeyRequired, 201, "", "", nil},
		{"/v1/publish", "account", "a key in the file", page(obj{"content": key}), publish.CodeKeyInContent, 201, "", "", nil},

		{"/v1/signup", "none", "a bad address", obj{"email": "x", "handle": "ada"}, publish.CodeInvalidEmail, 201, "", "", nil},
		{"/v1/signup", "none", "an array", "[]", publish.CodeInvalidJSON, 201, "", "", nil},
	}
	for _, c := range cases {
		t.Run(c.path+"/"+string(c.code)+"/"+c.name, func(t *testing.T) { w.in(t).pastes(t, c, id, other) })
	}
}

func (w *world) pastes(t *testing.T, c refusal, projects ...string) {
	change := c.change
	if change == nil {
		change = func(*http.Request) {}
	}
	key := map[string]string{"account": w.account, "project": w.project, "bad": "sla_x"}[c.key]
	got := w.post(c.path, key, c.body, change, lax).refused(codes[c.code].status, c.code)
	p := readPasted(t, got)
	to := c.to
	if to == "" {
		to, _, _ = strings.Cut(c.path, "?")
	}
	if c.code == publish.CodeUploadCompleted && c.to == "" {
		to = "/v1/project/" + got.str("project_id")
	}
	if p.path != to {
		t.Fatalf("%s goes to %s", p.line, p.path)
	}
	w.sameThing(t, c, p)
	if key == "" || c.key == "bad" || c.code == publish.CodeAccountKeyRequired {
		key = w.account
	}
	before := w.files(projects...)
	line := strings.NewReplacer(append(filled, "<api_key>", key, "<filename>", c.fill, "<project_id>", w.projectID)...).Replace(p.line)
	if again := w.curl(line); again.status != c.then {
		t.Errorf("%s\ngets %d, want %d: %s", line, again.status, c.then, again.text)
	}
	touched := p.fields["filename"]
	if c.fill != "" {
		touched = c.fill
	}
	after := w.files(projects...)
	for name, sum := range before {
		if after[name] != sum && name != w.projectID+"/"+touched {
			t.Errorf("%s\nchanges %s", line, name)
		}
		if after[name] == "" {
			w.put("old.css", "i {}") // it was to be deleted
		}
	}
}

// sameThing checks that the proposal is about the file, the project and the
// upload of the request, and leaves nothing to be filled in that was sent.
func (w *world) sameThing(t *testing.T, c refusal, p pastedCall) {
	t.Helper()
	sent, _ := c.body.(obj)
	for _, name := range []string{"project_id", "filename", "title", "handle"} {
		value, ok := sent[name].(string)
		refused := map[string][]publish.Code{
			"filename":   {publish.CodeInvalidFilename, publish.CodeFilenameConflict},
			"project_id": {publish.CodeWrongProject, publish.CodeProjectNotFound, publish.CodeInvalidField},
		}[name]
		if ok && p.fields["filename"] != "" && c.fill == "" && c.then < 300 && !slices.Contains(refused, c.code) && p.fields[name] != value {
			t.Errorf("%s\nsays %s %q of %q", p.line, name, p.fields[name], value)
		}
	}
	if _, parts := sent["upload_id"]; parts && c.to == "" && c.code != publish.CodeUploadCompleted && (p.fields["upload_id"] == "" || p.fields["part"] == "") {
		t.Errorf("%s\nis no part of an upload", p.line)
	}
	if strings.ContainsAny(p.fields["upload_id"], " <>") {
		t.Errorf("%s\nhas no upload_id to send", p.line)
	}
}
