package api

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

func TestRegressionM14FilesAreReadInEachFormThatHasOneReading(t *testing.T) {
	t.Parallel()
	w := settled(t)
	const page = "<!doctype html><title>A</title><script src=a.js></script>"
	for name, c := range map[string]struct {
		files any
		read  string
	}{
		"a map of names":      {obj{"index.html": page, "a.js": "let a = 1"}, "a list of objects with filename and text"},
		"path":                {[]obj{{"path": "index.html", "text": page}, {"path": "a.js", "text": "let a = 1"}}, "files[].filename"},
		"name":                {[]obj{{"name": "index.html", "text": page}, {"name": "a.js", "text": "let a = 1"}}, "files[].filename"},
		"text in content":     {[]obj{{"filename": "index.html", "content": page}, {"filename": "a.js", "content": "let a = f(1)"}}, "files[].text"},
		"a map with contents": {obj{"index.html": obj{"text": page}, "a.js": obj{"content": b64("let a = 1")}}, "a list of objects with filename and text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := w.post("/v1/publish", w.account, obj{"files": c.files}, lax).wants(201)
			expect.Equal(t, "files", made.filesNamed(), 2)
			messages, _ := made.warnings("read_as")
			if len(messages) != 1 || !strings.Contains(messages[0], c.read) {
				t.Errorf("it warns %q", messages)
			}
			if strange, _ := made.warnings("unknown_field"); len(strange) > 0 {
				t.Errorf("it warns %q", strange)
			}
		})
	}
	for name, body := range map[string]obj{
		"both path and name": {"files": []obj{{"path": "js", "name": "a.js", "text": "let a"}}},
		"html_content":       {"html_content": page},
		"code":               {"code": page},
	} {
		got := w.post("/v1/publish", w.account, body, lax)
		expect.Equal(t, "the status of "+name, got.status, 400)
	}
	got := w.post("/v1/publish", w.account, obj{"html_content": page}, lax)
	expect.Contains(t, "the message about html_content", got.str("message"), "text was probably meant")
}

func TestRegressionM14HintsOfJSONAreJSON(t *testing.T) {
	t.Parallel()
	w := settled(t)
	hint := func(body obj, status int, code sandlot.Code) string {
		t.Helper()
		return w.post("/v1/update", w.project, body, lax).refused(status, code).str("hint")
	}
	one := hint(obj{"project_id": w.projectID, "filename": "a.css", "text": "b {}", "if_version": 9}, 412, sandlot.CodeVersionConflict)
	expect.Contains(t, "the hint about one file", one, `"if_version":2,"text":"<text of a.css>"}'`)
	files := []obj{{"filename": "a.css", "text": "a {}"}, {"filename": "js/b.js", "text": "let b"}, {"filename": "c.js"}}
	many := hint(obj{"project_id": w.projectID, "files": files}, 400, sandlot.CodeMissingField)
	expect.Contains(t, "the hint about three files", many, `"files":[{"filename":"a.css","text":"<text of a.css>"},{"filename":"js/b.js","text":"<text of js/b.js>"},{"filename":"c.js","text":"<text of c.js>"}]}'`)
	raw := hint(obj{"project_id": w.projectID, "filename": "a.css", "content": "b {}"}, 400, sandlot.CodeInvalidContent)
	expect.Contains(t, "the hint about text in content", raw, `"text":"<text of a.css>"`)
	binary := hint(obj{"project_id": w.projectID, "filename": "a.png", "content": "b {}"}, 400, sandlot.CodeInvalidContent)
	expect.Contains(t, "the hint about a picture", binary, "-F content=@a.png")

	w.unchanged(func() {
		w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "a.css", "text": "<text of a.css>"}).refused(400, sandlot.CodeInvalidField)
		w.post("/v1/update", w.project, obj{"project_id": w.projectID, "files": []obj{{"filename": "a.css", "text": "<text of a.css>"}}}).refused(400, sandlot.CodeInvalidField)
	})
}
