package api

import (
	"fmt"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// filesNamed is how many files an answer lists.
func (a answer) filesNamed() int {
	list, _ := a.body["files"].([]any)
	return len(list)
}

func TestRegressionM17AnswersOfChangesNameAtMostAHundredFiles(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var files []obj
	for i := range 150 {
		files = append(files, obj{"filename": fmt.Sprintf("a/%d.js", i), "text": fmt.Sprint("let a = ", i)})
	}
	page := obj{"filename": "index.html", "text": "<!doctype html><title>Many</title>"}
	made := w.post("/v1/publish", w.account, obj{"files": append(files, page)}).wants(201)
	id := made.str("project_id")
	at := "/v1/project/" + id
	is := func(what string, got answer, named, count int) {
		t.Helper()
		expect.Equal(t, "files named by "+what, got.filesNamed(), named)
		expect.Same(t, "files counted by "+what, got.body["file_count"], any(float64(count)))
	}
	is("a publish", made, 100, 151)
	is("an update", w.post("/v1/update", w.account, obj{"project_id": id, "files": []obj{{"filename": "b.js", "text": "let b"}}}).wants(200), 1, 152)
	is("a dry run", w.post("/v1/update", w.account, obj{"project_id": id, "dry_run": true, "files": []obj{{"filename": "c.js", "text": "let c"}}}).wants(200), 1, 153)
	is("a deletion", w.post("/v1/delete-file", w.account, obj{"project_id": id, "filename": "b.js"}).wants(200), 0, 151)
	is("a change of details", w.send("PATCH", at, w.account, obj{"title": "More"}).wants(200), 0, 151)
	is("the project", w.get(at, w.account).wants(200), 151, 151)
	is("the project without files", w.get(at+"?files=none", w.account).wants(200), 0, 151)
	names := w.get(at+"?files=names", w.account).wants(200)
	is("the project with names", names, 151, 151)
	expect.Same(t, "one of the names", names.body["files"].([]any)[0], any(obj{"filename": "a/0.js"}))
	w.get(at+"?files=few", w.account).refused(400, sandlot.CodeInvalidField)
}
