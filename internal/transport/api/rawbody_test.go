package api

import (
	"net/http"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// TestAFileSentAsItIsIsToldTheCallThatTakesIt: curl --data-binary says that it sends a form, and other clients say nothing, or something else.
func TestAFileSentAsItIsIsToldTheCallThatTakesIt(t *testing.T) {
	t.Parallel()
	w := settled(t)
	large := treeZIP(t) + strings.Repeat("\xff\x00", 1<<20)
	for _, c := range []struct {
		name, method, path, kind, body string
		note, call                     string
	}{
		{"a ZIP as a form", "POST", "/v1/publish?title=Moon", "application/x-www-form-urlencoded", treeZIP(t), "application/zip,", "title=Moon -F archive=@site.zip"},
		{"a large one", "POST", "/v1/publish?title=Moon", "application/x-www-form-urlencoded", large, "application/zip,", "title=Moon -F archive=@site.zip"},
		{"a tar.gz as octets", "POST", "/v1/update?project_id=x", "application/octet-stream", gzipped(t, treeTar(t)), "application/gzip,", "project_id=x -F archive=@site.tar.gz"},
		{"a tar without a type", "POST", "/v1/publish", "", treeTar(t), "application/x-tar,", "-F archive=@site.tar"},
		{"a ZIP as JSON", "POST", "/v1/publish", "application/json", large, "one JSON object", "-F archive=@site.zip"},
		{"a ZIP that is put", "PUT", "/v1/publish", "", large, "takes POST", "-F archive=@site.zip"},
		{"a page as a form", "POST", "/v1/update?filename=a.html&project_id=x", "application/x-www-form-urlencoded", " " + page, "as it is", "filename=a.html -F content=@a.html"},
		{"a page as HTML", "POST", "/v1/publish", "text/html", page, "as it is", "-F content=@index.html"},
		{"a form of the old kind", "POST", "/v1/publish", "application/x-www-form-urlencoded", "title=Moon", "application/json", "title=Moon -F content=@index.html"},
	} {
		t.Run(c.name, func(t *testing.T) {
			req, err := http.NewRequest(c.method, w.server.URL+c.path, strings.NewReader(c.body))
			expect.OK(t, err)
			req.Header.Set("Authorization", "Bearer "+w.account)
			if c.kind != "" {
				req.Header.Set("Content-Type", c.kind)
			}
			a := w.do(req)
			got := a.str("hint")
			if a.status < 400 || !strings.Contains(got, c.note) || !strings.HasSuffix(got, c.call) || strings.Contains(got, "rest of the body") {
				t.Errorf("%d: %s", a.status, got)
			}
		})
	}
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
