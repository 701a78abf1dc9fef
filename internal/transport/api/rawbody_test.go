package api

import (
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

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
