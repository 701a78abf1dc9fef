package api

import (
	"net/http"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

func TestRegressionM19JSONUnderTheTypesOfCurlAndFetchIsJSON(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for _, kind := range []string{"application/x-www-form-urlencoded", "text/plain;charset=UTF-8"} {
		body := ` {"project_id":"` + w.projectID + `","filename":"a.js","text":"let a = '` + kind + `'"}`
		got := w.post("/v1/update", w.project, body, with("Content-Type", kind), lax).wants(200)
		messages, _ := got.warnings("read_as")
		expect.Equal(t, "warnings of "+kind, len(messages), 1)
		w.post("/v1/update", w.project, "project_id="+w.projectID, with("Content-Type", kind), lax).refused(415, sandlot.CodeUnsupportedMediaType)
	}
}

func TestRegressionM19NamesOfTheSendersMachineAreRefused(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for _, name := range []string{"/app/a.js", "/workspace/a.js", "/mnt/data/a.js", "~/a.js", "https://example.org/a.js", "a.js?v=2"} {
		got := w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": name, "text": "let a"}).refused(400, sandlot.CodeInvalidFilename)
		expect.Contains(t, "the hint of "+name, got.str("hint"), "a.js")
	}
}

func TestRegressionM19HintsAnswerWhatWasMeant(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id := w.projectID
	hint := func(method, path, key string, body any, status int, code sandlot.Code) string {
		t.Helper()
		return w.send(method, path, key, body, lax).refused(status, code).str("hint")
	}
	for name, body := range map[string]obj{"filenames": {"project_id": id, "filenames": []string{"a.js", "b.js"}}, "a list": {"project_id": id, "filename": []string{"a.js", "b.js"}}} {
		said := hint("POST", "/v1/delete-file", w.project, body, 400, sandlot.CodeInvalidField)
		expect.Equal(t, "calls for "+name, strings.Count(said, "curl "), 2)
		expect.Contains(t, "the calls for "+name, said, `"filename":"b.js"`)
	}
	expect.Contains(t, "the hint of a title alone", hint("POST", "/v1/update", w.project, obj{"project_id": id, "title": "New"}, 400, sandlot.CodeMissingField), `curl -X PATCH http://localhost:8080/v1/project/`+id)
	expect.Equal(t, "that a 404 begins with the call that was meant", strings.HasPrefix(hint("GET", "/v1/projects/"+id, w.project, nil, 404, sandlot.CodeNotFound), "Probably GET "), true)
	for _, path := range []string{"/v1/export?project_id=" + id, "/v1/export?project=" + id, "/v1/whoami?id=" + id} {
		expect.Contains(t, "the hint of "+path, hint("GET", path, w.account, nil, 400, sandlot.CodeInvalidField), "project_api_key")
	}
	got := w.post("/v1/restore", w.project, obj{"project_id": id, "version": "v1"}, lax).wants(200)
	expect.Same(t, "the version that was restored", got.body["restored_from"], any(1.0))

	got = w.post("/v1/update", w.project, obj{"project_id": id, "filename": "c.js", "text": "let c", "alpha": 1, "beta": 2, "gamma": 3, "titel": "T"}, lax).wants(200)
	_, hints := got.warnings("unknown_field")
	expect.Equal(t, "warnings of unknown fields", len(hints), 2)
	expect.Equal(t, "lists of all fields", strings.Count(strings.Join(hints, " "), "The fields are"), 1)
}

func TestRegressionM19PartsWithTheNameOfAFileAreFiles(t *testing.T) {
	t.Parallel()
	w := settled(t)
	form := strings.ReplaceAll("--B\nContent-Disposition: form-data; name=page; filename=index.html\n\n<!doctype html><title>F</title>\n"+
		"--B\nContent-Disposition: form-data; name=script; filename=\"js/a.js\"\n\nlet a = 1\n--B\nContent-Disposition: form-data; name=title; filename=t.txt\n\nForm\n--B--\n", "\n", "\r\n")
	got := w.post("/v1/publish", w.account, form, with("Content-Type", "multipart/form-data; boundary=B"), lax).wants(http.StatusCreated)
	expect.Equal(t, "files", got.filesNamed(), 2)
	expect.Equal(t, "the title", got.str("title"), "Form")
}
