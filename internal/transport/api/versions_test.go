package api

import (
	"fmt"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	t.Run("what each version changed, and from which it was restored", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "index.html", "content": page64, "title": "Other"}).wants(200)
		back := w.post("/v1/restore", w.project, obj{"project_id": w.projectID, "version": 1}).wants(200)
		if back.body["version"] != 4.0 || back.body["previous_version"] != 3.0 || back.body["restored_from"] != 1.0 || back.body["file_count"] != 1.0 || back.str("title") != "Other" {
			t.Error(back.text)
		}
		path := "/v1/project/" + w.projectID + "/versions"
		got := w.get(path, w.project).wants(200)
		var told []string
		for _, v := range got.body["versions"].([]any) {
			told = append(told, fmt.Sprint(v.(obj)["version"], v.(obj)["restored_from"], v.(obj)["changes"]))
		}
		expect.Same(t, "versions", told, []string{
			"4 1 map[added:0 changed:1 removed:1]", "3 <nil> map[added:0 changed:1 removed:0]", "2 <nil> map[added:1 changed:0 removed:0]", "1 <nil> map[added:1 changed:0 removed:0]",
		})
		next := w.get(path+"?limit=3", w.account).wants(200)
		rest := w.get(path+"?limit=3&cursor="+next.str("next_cursor"), w.account).wants(200)
		if list := rest.body["versions"].([]any); len(list) != 1 || rest.body["next_cursor"] != nil {
			t.Error(rest.text)
		}
		w.send("HEAD", path, w.project, nil).wants(200)
	})
	t.Run("the same restore under an Idempotency-Key is made once", func(t *testing.T) {
		w := settled(t)
		ask := func() answer {
			return w.post("/v1/restore", w.project, obj{"project_id": w.projectID, "version": 1}, with("Idempotency-Key", "once")).wants(200)
		}
		first, again := ask(), ask()
		if first.text != again.text || again.header.Get("Idempotent-Replayed") != "true" || first.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s\n%s", first.text, again.text)
		}
	})
	t.Run("what is wrong with a restore is told with a call that works", func(t *testing.T) {
		w := settled(t)
		w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "b.js", "content": page64}).wants(200)
		for _, c := range []struct {
			body   obj
			status int
			code   sandlot.Code
			hint   string
		}{
			{obj{"project_id": w.projectID, "version": 99}, 404, sandlot.CodeVersionNotFound, "/versions"},
			{obj{"project_id": w.projectID, "version": 0}, 404, sandlot.CodeVersionNotFound, "/versions"},
			{obj{"project_id": w.projectID, "version": 1 << 40}, 404, sandlot.CodeVersionNotFound, "/versions"},
			{obj{"project_id": w.projectID, "version": 1, "if_version": 1}, 412, sandlot.CodeVersionConflict, `"if_version":3`},
			{obj{"version": 1}, 400, sandlot.CodeMissingField, "project_id"},
			{obj{"project_id": "", "version": 1}, 400, sandlot.CodeProjectIDRequired, ""},
			{obj{"project_id": w.projectID}, 400, sandlot.CodeMissingField, "/versions"},
			{obj{"project_id": w.projectID, "revision": 1}, 400, sandlot.CodeMissingField, "/versions"},
			{obj{"id": w.projectID, "version": 1}, 400, sandlot.CodeInvalidField, `"project_id":"` + w.projectID},
			{obj{"project_id": w.projectID, "version": 1.5}, 400, sandlot.CodeInvalidField, ""},
			{obj{"project_id": w.projectID, "version": "v1.0"}, 400, sandlot.CodeInvalidField, ""},
			{obj{"project_id": w.projectID, "version": []int{1}}, 400, sandlot.CodeInvalidField, ""},
			{obj{"project_id": "no-such-project", "version": 1}, 404, sandlot.CodeProjectNotFound, "whoami"},
		} {
			var got answer
			w.unchanged(func() { got = w.post("/v1/restore", w.project, c.body).refused(c.status, c.code) })
			if !strings.Contains(got.str("hint"), c.hint) {
				t.Errorf("%v: the hint lacks %q: %s", c.body, c.hint, got.str("hint"))
			}
			line := strings.NewReplacer("<api_key>", w.project, "<project_id>", w.projectID, "'<version>'", "1", `"<version>"`, "1").Replace(pasted(got.str("hint")))
			if again := w.curl(line); again.status >= 300 && !strings.Contains(line, "no-such") {
				t.Errorf("%v: %s\ngets %d: %s", c.body, line, again.status, again.text)
			}
		}
	})
}
