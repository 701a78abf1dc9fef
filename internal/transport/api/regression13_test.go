package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sandlot"
)

// elsewhere is a world whose account has changed another project last: the one
// that a call without project_id would reach.
func elsewhere(t *testing.T) (w *world, newest string) {
	t.Helper()
	w = settled(t)
	newest = secondProject(w)
	w.post("/v1/update", w.account, obj{"project_id": newest, "filename": "logo.svg", "content": b64("<svg/>")}).wants(200)
	return w, newest
}

func TestRegression13ANearMissNeverReachesAnotherProject(t *testing.T) {
	t.Parallel()
	w, _ := elsewhere(t)
	address := "http://" + w.projectID + ".localhost:8080/"
	misses := map[string]any{
		"id": w.projectID, "project": w.projectID, "slug": w.projectID, "url": address, "projectId": w.projectID, "project_slug": w.projectID,
		"Project_ID": w.projectID, "PROJECT": w.projectID, "ProjectID": w.projectID, "project-id": w.projectID, "projct_id": w.projectID,
		"page_url": "http://localhost:8080/p/" + w.projectID, "path_url": "http://localhost:8080/~/" + w.projectID + "/", "version_url": address,
		"project_url": address, "project_name": "Sky Hopper", "game_id": w.projectID, "Id": 7, "Url": obj{"href": address}, "site": []string{"x"},
	}
	for name, value := range misses {
		t.Run("instead of project_id: "+name, func(t *testing.T) {
			w.in(t)
			for path, body := range map[string]obj{
				"/v1/update":      {"filename": "logo.svg", "content": b64("<svg>x</svg>"), name: value},
				"/v1/delete-file": {"filename": "logo.svg", name: value},
			} {
				w.unchanged(func() {
					got := w.post(path, w.account, body).refused(400, sandlot.CodeInvalidField)
					if got.str("field") != "project_id" || !strings.Contains(got.str("message"), `"`+name+`"`) || !strings.Contains(got.str("message"), "project_id") {
						t.Errorf("%s does not name both: %s", path, got.text)
					}
				})
			}
		})
	}
	for _, name := range []string{
		"project\u2011id", "ｐｒｏｊｅｃｔ＿ｉｄ", "pr\u043eject_id", "\u0440roj\u0435\u0441t_id", "pröject_id", "project_id\u200b", "\ufeffproject_id", "project[id]", "project_id[]", `"project_id"`, "project:id",
		"data.project_id", "target_project_id", "existingProjectId", "current-project", "proj", "pid", "uri", "href", "subdomain", "app_name", "project_uuid",
	} {
		t.Run("what is read as project_id, or guessed: "+name, func(t *testing.T) {
			w.in(t)
			w.unchanged(func() {
				got := w.post("/v1/update", w.account, obj{"filename": "logo.svg", "content": b64("<svg>x</svg>"), name: w.projectID}).refused(400, sandlot.CodeInvalidField)
				if got.str("field") != "project_id" {
					t.Errorf("%s", got.text)
				}
			})
		})
	}
	t.Run("a guess beside the right field is ignored with a warning", func(t *testing.T) {
		w.in(t)
		body := obj{"project_id": w.projectID, "filename": "logo.svg", "content": b64("<svg>g</svg>"), "host": "example.com", "parent_project_id": "none", "new_filename": "x"}
		if got := w.post("/v1/update", w.account, body).wants(200); got.str("project_id") != w.projectID {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("a part of an upload", func(t *testing.T) {
		w.in(t)
		w.unchanged(func() {
			body := obj{"upload_id": "u", "part": 1, "total_parts": 1, "filename": "logo.svg", "content": "YQ==", "slug": w.projectID}
			w.post("/v1/update", w.account, body).refused(400, sandlot.CodeInvalidField)
		})
	})
	t.Run("in a form", func(t *testing.T) {
		w.in(t)
		body, kind := form("x", "projectId", w.projectID, "filename", "logo.svg")
		w.unchanged(func() { w.post("/v1/update", w.account, body, kind).refused(400, sandlot.CodeInvalidField) })
	})
	t.Run("in the query", func(t *testing.T) {
		w.in(t)
		for _, query := range []string{"project_id=" + w.projectID, "projectId=" + w.projectID, "project_id=", "filename=other.svg", "if_version=1"} {
			w.unchanged(func() {
				got := w.post("/v1/update?"+query, w.account, obj{"filename": "logo.svg", "content": "YQ=="}).refused(400, sandlot.CodeInvalidField)
				if !strings.Contains(got.str("message"), "query") {
					t.Errorf("%s: %s", query, got.text)
				}
			})
		}
	})
}

func TestRegression13ANearMissThatContradictsIsRefused(t *testing.T) {
	t.Parallel()
	w, newest := elsewhere(t)
	good := func(more obj) obj {
		body := obj{"project_id": w.projectID, "filename": "logo.svg"}
		for name, v := range more {
			body[name] = v
		}
		return body
	}
	for name, c := range map[string]struct {
		more  obj
		field string
	}{
		"another project":         {obj{"id": newest}, "project_id"},
		"another address":         {obj{"url": "http://" + newest + ".localhost:8080/"}, "project_id"},
		"another filename":        {obj{"path": "other.svg"}, "filename"},
		"another case":            {obj{"fileName": "other.svg"}, "filename"},
		"another version":         {obj{"ifVersion": 1}, "if_version"},
		"a version":               {obj{"version": 1}, "if_version"},
		"an ETag":                 {obj{"etag": `"1"`}, "if_version"},
		"another version as well": {obj{"if_version": 2, "expected_version": 1}, "if_version"},
	} {
		t.Run(name, func(t *testing.T) {
			w.in(t)
			w.unchanged(func() {
				change := good(c.more)
				change["content"] = b64("<svg>y</svg>")
				if got := w.post("/v1/update", w.account, change).refused(400, sandlot.CodeInvalidField); got.str("field") != c.field {
					t.Errorf("the field is %q: %s", got.str("field"), got.text)
				}
				w.post("/v1/delete-file", w.account, good(c.more)).refused(400, sandlot.CodeInvalidField)
			})
		})
	}
	t.Run("what says the same is ignored with a warning", func(t *testing.T) {
		w.in(t)
		for name, more := range map[string]obj{
			"the id":      {"id": w.projectID},
			"the address": {"url": "http://" + w.projectID + ".localhost:8080/", "page_url": "http://localhost:8080/p/" + w.projectID},
			"the name":    {"path": "logo.svg", "Filename": "logo.svg"},
			"the title":   {"name": "Sky Hopper"},
			"unrelated":   {"file_date": "2026-11-22", "colours": []string{"a"}},
		} {
			change := good(more)
			change["content"] = b64("<svg>" + name + "</svg>")
			if got := w.post("/v1/update", w.account, change).wants(200); !got.warned("unknown_field") || got.str("project_id") != w.projectID {
				t.Errorf("%s: %s", name, got.text)
			}
		}
	})
}

func TestRegression13AnAnswerEchoedBackStaysGood(t *testing.T) {
	t.Parallel()
	w, _ := elsewhere(t)
	published := w.post("/v1/publish", w.account, obj{"content": page64, "title": "Echo"}).wants(201).body
	echo := obj{}
	for name, v := range published {
		if name != "api_key" && name != "project_api_key" {
			echo[name] = v
		}
	}
	echo["filename"], echo["content"] = "index.html", b64(page+"2")
	for n := 2; n < 4; n++ { // the second time its version is an old one
		got := w.post("/v1/update", w.account, echo).wants(200)
		if got.str("project_id") != published["project_id"] || got.body["version"] != float64(n) {
			t.Errorf("%s", got.text)
		}
	}
	delete(echo, "content")
	echo["filename"] = "logo.svg"
	w.post("/v1/update", w.account, obj{"project_id": published["project_id"], "filename": "logo.svg", "content": "YQ=="}).wants(200)
	w.post("/v1/delete-file", w.account, echo).wants(200)
}

func TestRegression13AnEmptyProjectIDIsRefused(t *testing.T) {
	t.Parallel()
	w, newest := elsewhere(t)
	for _, empty := range []string{"", " ", "\t"} {
		t.Run(fmt.Sprintf("%q", empty), func(t *testing.T) {
			w.in(t)
			w.unchanged(func() {
				for _, key := range []string{w.account, w.project} {
					got := w.post("/v1/update", key, obj{"project_id": empty, "filename": "logo.svg", "content": "YQ=="}).refused(400, sandlot.CodeProjectIDRequired)
					if got.str("field") != "project_id" {
						t.Errorf("%s", got.text)
					}
				}
				w.post("/v1/update", w.account, part("u", 1, "x", obj{"project_id": empty, "filename": "logo.svg"})).refused(400, sandlot.CodeProjectIDRequired)
				w.post("/v1/delete-file", w.account, obj{"project_id": empty, "filename": "logo.svg"}).refused(400, sandlot.CodeProjectIDRequired)
				body, kind := form("x", "project_id", empty, "filename", "logo.svg")
				w.post("/v1/update", w.account, body, kind).refused(400, sandlot.CodeProjectIDRequired)
			})
		})
	}
	t.Run("an empty If-Match guards nothing, so it is refused", func(t *testing.T) {
		w.in(t)
		body := obj{"project_id": w.projectID, "filename": "logo.svg", "content": "YQ=="}
		w.unchanged(func() {
			w.post("/v1/update", w.account, body, with("If-Match", "")).refused(400, sandlot.CodeInvalidField)
			w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": "logo.svg", "content": "YQ==", "if_version": ""}, func(r *http.Request) {}).refused(400, sandlot.CodeInvalidField)
		})
	})
	t.Run("absent and null are the newest", func(t *testing.T) {
		w.in(t)
		for i, body := range []obj{{"filename": "a", "content": "YQ=="}, {"filename": "a", "content": "YQ==", "project_id": nil}, {"filename": "a", "content": "YQ==", "projectId": nil}} {
			if got := w.post("/v1/update", w.account, body, lax).wants(200); got.str("project_id") != newest {
				t.Errorf("%d: %s", i, got.text)
			}
		}
	})
}
