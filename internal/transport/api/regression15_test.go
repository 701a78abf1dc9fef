package api

import (
	"encoding/base64"
	"strings"
	"testing"
)

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
	tells("publish", made, "scripts from cdn.example.net")
	tells("update", w.post("/v1/update", key, obj{"project_id": id, "filename": "a.txt", "content": page64}).wants(200), "Opening the link")
	tells("project, to its owner", w.get("/v1/project/"+id, key).wants(200), "scripts from cdn.example.net")
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
