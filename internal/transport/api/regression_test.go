package api

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"sandlot"
)

func TestRegression14NullIsAbsentForEveryOptionalField(t *testing.T) {
	t.Parallel()
	w := settled(t)
	good := map[string]obj{
		"/v1/publish":      {"content": page64},
		"/v1/update":       {"project_id": w.projectID, "filename": "a.txt", "content": "YQ=="},
		"/v1/delete-file":  {"project_id": w.projectID, "filename": "a.txt"},
		"/v1/restore":      {"project_id": w.projectID, "version": 1},
		"/v1/signup":       {},
		"/v1/project/{id}": {"title": "Other"},
	}
	for _, rt := range routes() {
		if rt.takes == nil || rt.method != "POST" || rt.key == flagRequired {
			continue
		}
		body, path := good[rt.pattern], strings.Replace(rt.pattern, "{id}", w.projectID, 1)
		all := obj{}
		for name, v := range body {
			all[name] = v
		}
		// What it does not take is absent as well, also where a value would be refused.
		for _, name := range append([]string{"content_encoding", "api_key", "projectId", "handle", "tags", "content"}, rt.takes.All()...) {
			if _, needed := body[name]; !needed {
				all[name] = nil
			}
		}
		t.Run(rt.pattern, func(t *testing.T) {
			w.in(t)
			w.post("/v1/update", w.account, good["/v1/update"]).wants(200)
			if got := w.send(rt.method, path, w.account, all, lax); got.status >= 300 || got.warned("unknown_field") || got.warned("handle_ignored") {
				t.Errorf("%d %s", got.status, got.text)
			}
		})
	}
	t.Run("content_encoding behind the content", func(t *testing.T) {
		w.in(t).post("/v1/publish", w.account, `{"content":"`+page64+`","content_encoding":null}`, lax).wants(201)
		w.post("/v1/publish", w.account, `{"content_encoding":null,"content":"`+url64("<b>?>~</b>~?")+`"}`, lax).wants(201)
	})
	t.Run("content in the call that only tells the total", func(t *testing.T) {
		w.in(t).post("/v1/publish", w.account, part("null", 1, page, nil)).wants(202)
		w.post("/v1/publish", w.account, obj{"upload_id": "null", "total_parts": 1, "content": nil, "part": nil}, lax).wants(201)
	})
	t.Run("a required field is missing", func(t *testing.T) {
		w.in(t)
		for path, body := range good {
			for name := range body {
				if path == "/v1/update" && name == "project_id" || strings.Contains(path, "{id}") {
					continue
				}
				without := obj{}
				for n, v := range body {
					without[n] = v
				}
				without[name] = nil
				w.unchanged(func() {
					if got := w.post(path, w.account, without).refused(400, sandlot.CodeMissingField); got.str("field") != name {
						t.Errorf("%s: %s", fmt.Sprint(path, " ", name), got.text)
					}
				})
			}
		}
	})
}

func TestRegression15AnswersTellQuarantine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *settings) { s.cfg.Quarantine = true })
	page := base64.StdEncoding.EncodeToString([]byte(`<!doctype html><script src="https://cdn.example.net/three.js"></script>`))
	made := w.post("/v1/publish", "", obj{"content": page, "email": "cats@example.com"}).wants(201)
	id, key := made.str("project_id"), made.str("api_key")
	tells := func(name string, a answer, words string) {
		t.Run(name, func(t *testing.T) {
			if a.body["quarantined"] != true || !a.warned("quarantined") || !strings.Contains(a.text, words) {
				t.Errorf("got %s", a.text)
			}
		})
	}
	tells("publish", made, "links to cdn.example.net")
	tells("update", w.post("/v1/update", key, obj{"project_id": id, "filename": "a.txt", "content": page64}).wants(200), "Opening the link")
	tells("project, to its owner", w.get("/v1/project/"+id, key).wants(200), "links to cdn.example.net")
	t.Run("project, to nobody else", func(t *testing.T) {
		if a := w.get("/v1/project/"+id, "").wants(200); strings.Contains(a.text, "quarantined") {
			t.Errorf("got %s", a.text)
		}
	})
	t.Run("whoami, for each project", func(t *testing.T) {
		a := w.get("/v1/whoami", key).wants(200)
		if p := a.body["projects"].([]any)[0].(obj); p["quarantined"] != true || !a.warned("quarantined") {
			t.Errorf("got %s", a.text)
		}
	})
}
