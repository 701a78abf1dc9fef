package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sandlot"
)

func TestRowsFilenames(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var rows []row
	for _, name := range []string{"../x", "a\x00b", ".git/config", ""} { // internal/format/names has all of them
		rows = append(rows, row{name: fmt.Sprintf("%q", name), path: "/v1/update", status: 400, code: sandlot.CodeInvalidFilename, body: obj{"project_id": w.projectID, "filename": name, "content": "YQ=="}})
	}
	refuses(t, w, rows)
	t.Run("the hint's name is taken", func(t *testing.T) {
		w.in(t)
		for _, name := range []string{"../x", "a:b.txt", "CON", ".git/config"} {
			hint := w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": name, "content": "YQ=="}).str("hint")
			_, usable, _ := strings.Cut(hint, "A name that works: ")
			usable, _, _ = strings.Cut(usable, "\n")
			w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": usable, "content": "YQ=="}).wants(200)
		}
	})
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
	project := func(n int, name, id string, status int, code sandlot.Code) row {
		return row{n, name, "/v1/update", "", obj{"project_id": id, "filename": "logo.svg", "content": "YQ=="}, status, code, nil}
	}
	body := obj{"project_id": w.projectID, "filename": "index.html", "content": page64}
	refuses(t, w, []row{
		name(47, "another case", "Logo.svg", 422, sandlot.CodeFilenameConflict),
		name(51, "a file too many", "five.txt", 429, sandlot.CodeQuotaExceeded),
		{52, "a project key without project_id", "/v1/update", "project", obj{"filename": "a.txt", "content": "YQ=="}, 400, sandlot.CodeProjectIDRequired, nil},
		project(55, "10 KB", strings.Repeat("a", 10<<10), 400, sandlot.CodeInvalidField),
		project(55, "another site", "https://example.com/p/"+w.projectID, 404, sandlot.CodeProjectNotFound),
		{0, "an empty primary file", "/v1/update", "", obj{"project_id": w.projectID, "filename": "index.html", "content": ""}, 400, sandlot.CodeInvalidField, nil},
		{0, "no filename", "/v1/update", "", obj{"project_id": w.projectID, "content": "YQ=="}, 400, sandlot.CodeMissingField, nil},
		{0, "no content", "/v1/update", "", obj{"project_id": w.projectID, "filename": "a.txt"}, 400, sandlot.CodeMissingField, nil},
		{0, "if_version is a word", "/v1/update", "", obj{"project_id": w.projectID, "filename": "a.txt", "content": "YQ==", "if_version": "one"}, 400, sandlot.CodeInvalidField, nil},
		{0, "an old If-Match", "/v1/update", "", body, 412, sandlot.CodeVersionConflict, []func(*http.Request){with("If-Match", `"1"`)}},
		{0, "If-Match that is no version", "/v1/update", "", body, 400, sandlot.CodeInvalidField, []func(*http.Request){with("If-Match", `"abc"`)}},
		{0, "If-Match without quotes", "/v1/update", "", body, 400, sandlot.CodeInvalidField, []func(*http.Request){with("If-Match", `5`)}},
		{0, "If-Match with two versions", "/v1/update", "", body, 400, sandlot.CodeInvalidField, []func(*http.Request){with("If-Match", `"4", "5"`)}},
		{0, "If-Match against if_version", "/v1/update", "", obj{"project_id": w.projectID, "filename": "index.html", "content": page64, "if_version": 4}, 400, sandlot.CodeInvalidField, []func(*http.Request){with("If-Match", `"5"`)}},
		{53, "a project key elsewhere", "/v1/update", "project", obj{"project_id": secondProject(w), "filename": "a.txt", "content": "YQ=="}, 403, sandlot.CodeWrongProject, nil},
		{54, "an account without projects", "/v1/update", w.post("/v1/signup", "", obj{}).str("api_key"), obj{"filename": "a.txt", "content": "YQ=="}, 404, sandlot.CodeNoProjects, nil},
	})
	t.Run("If-Match in other forms guards as well", func(t *testing.T) {
		w.in(t)
		for _, form := range []string{`"%d"`, `W/"%d"`, `"%d", "%[1]d"`, `*`} {
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
	t.Run("handle is ignored with a warning", func(t *testing.T) {
		got := w.in(t).post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": "logo.svg", "content": "YQ==", "handle": "ada"}).wants(200)
		if !got.warned("handle_ignored") {
			t.Errorf("%s", got.text)
		}
	})
}

func secondProject(w *world) string {
	w.t.Helper()
	return w.post("/v1/publish", w.account, obj{"content": page64}).wants(201).str("project_id")
}

func TestRowsDelete(t *testing.T) {
	t.Parallel()
	w := settled(t)
	file := func(n int, name string, filename any, status int, code sandlot.Code) row {
		return row{n, name, "/v1/delete-file", "project", obj{"project_id": w.projectID, "filename": filename}, status, code, nil}
	}
	refuses(t, w, []row{
		file(56, "index.html", "index.html", 422, sandlot.CodePrimaryFileProtected),
		file(57, "an unknown file", "gone.svg", 404, sandlot.CodeFileNotFound),
		file(58, "a folder", "assets/", 400, sandlot.CodeInvalidFilename),
		file(58, "several", []string{"logo.svg"}, 400, sandlot.CodeInvalidField),
		{0, "no project_id", "/v1/delete-file", "", obj{"filename": "logo.svg"}, 400, sandlot.CodeMissingField, nil},
		{0, "no filename", "/v1/delete-file", "", obj{"project_id": w.projectID}, 400, sandlot.CodeMissingField, nil},
		{0, "an old version", "/v1/delete-file", "", obj{"project_id": w.projectID, "filename": "logo.svg", "if_version": 1}, 412, sandlot.CodeVersionConflict, nil},
	})
	t.Run("content is ignored with a warning", func(t *testing.T) {
		w.in(t).post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "b.txt", "content": "YQ=="}).wants(200)
		got := w.post("/v1/delete-file", w.project, obj{"project_id": w.projectID, "filename": "b.txt", "content": b64(noise(100_000))}).wants(200)
		if !got.warned("unknown_field") {
			t.Errorf("%.300s", got.text)
		}
	})
}
