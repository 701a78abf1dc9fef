package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sandlot"
)

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
