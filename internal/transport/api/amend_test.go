package api

import (
	"fmt"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestAmend(t *testing.T) {
	t.Parallel()
	patch := func(w *world, body any) answer {
		return w.send("PATCH", "/v1/project/"+w.projectID, w.project, body, lax)
	}
	t.Run("answers with the project as its owner reads it", func(t *testing.T) {
		w := settled(t)
		got := patch(w, obj{"title": 2048, "description": "Hop\nhop", "listed": "false", "threads": true, "lang": nil, "tags": []string{"#Puzzle", " Tower  Defense", "puzzle", "ＲÄTSEL"}}).wants(200)
		read := w.get("/v1/project/"+w.projectID+"?content=none", w.project).wants(200)
		for _, name := range []string{"title", "description", "listed", "threads", "version", "lang", "tags", "primary_file"} {
			expect.Same(t, name, got.body[name], read.body[name])
		}
		if got.str("title") != "2048" || got.body["listed"] != false || got.body["version"] != 2.0 || got.header.Get("ETag") != `"2"` {
			t.Error(got.text)
		}
		expect.Same(t, "tags", got.body["tags"], any([]any{"puzzle", "tower-defense", "rätsel"}))
		if other := w.get("/v1/project/"+w.projectID, ""); other.body["description"] != nil || other.body["listed"] != nil {
			t.Error(other.text)
		}
		got = patch(w, obj{"tags": "Cats, 3D,,cats"}).wants(200)
		expect.Same(t, "tags of a text", got.body["tags"], any([]any{"cats", "3d"}))
		got = patch(w, obj{"tags": []string{}}).wants(200)
		expect.Same(t, "no tags", got.body["tags"], any([]any{}))
		got = patch(w, obj{"primary_file": "logo.svg", "title": ""}).wants(200)
		if got.body["version"] != 3.0 || got.str("primary_file") != "logo.svg" || got.body["title"] != nil || got.str("description") != "Hop\nhop" {
			t.Error(got.text)
		}
	})
	t.Run("what is wrong is told with a call that works, and changes nothing", func(t *testing.T) {
		w := settled(t)
		tenThousand := make([]string, 10_000)
		for i := range tenThousand {
			tenThousand[i] = fmt.Sprint("tag ", i)
		}
		for _, c := range []struct {
			body   any
			status int
			code   sandlot.Code
			hint   string
		}{
			{obj{}, 400, sandlot.CodeMissingField, "description"},
			{nil, 400, sandlot.CodeMissingField, "description"},
			{obj{"title": nil}, 400, sandlot.CodeMissingField, "description"},
			{obj{"name": "Other"}, 400, sandlot.CodeInvalidField, "Send it as title"},
			{obj{"unlisted": true, "lang": "en"}, 400, sandlot.CodeInvalidField, "Send it as listed"},
			{obj{"primaryFile": "logo.svg"}, 400, sandlot.CodeInvalidField, "Send it as primary_file"},
			{obj{"colour": []string{"x"}, "title": "Other"}, 400, sandlot.CodeInvalidField, "The fields are"},
			{obj{"tags": []string{"ok", "<b>bold</b>", "a\u202ebc", "x"}, "title": "Other"}, 400, sandlot.CodeInvalidField, `{"title":"Other","tags":"ok,b-bold-b,abc"}`},
			{obj{"tags": []string{"x"}, "title": "Other"}, 400, sandlot.CodeInvalidField, `-d '{"title":"Other"}'`},
			{obj{"tags": tenThousand}, 400, sandlot.CodeInvalidField, `{"tags":"tag-0,tag-1,tag-2,tag-3,tag-4"}`},
			{obj{"tags": []any{"ok", 7}}, 400, sandlot.CodeInvalidField, ""},
			{obj{"tags": true}, 400, sandlot.CodeInvalidField, ""},
			{obj{"tags": []string{"", " "}, "title": "Other"}, 400, sandlot.CodeInvalidField, `-d '{"title":"Other"}'`},
			{obj{"tag": "cats"}, 400, sandlot.CodeInvalidField, "Send it as tags"},
			{obj{"tags": []string{"cats"}, "listed": "yes"}, 400, sandlot.CodeInvalidField, `{"tags":"cats"}`},
			{obj{"content": page64}, 400, sandlot.CodeInvalidField, "/v1/update"},
			{obj{"title": []string{"x"}}, 400, sandlot.CodeInvalidField, ""},
			{obj{"listed": "yes"}, 400, sandlot.CodeInvalidField, ""},
			{obj{"threads": 1}, 400, sandlot.CodeInvalidField, ""},
			{obj{"description": 1, "primary_file": obj{}}, 400, sandlot.CodeInvalidField, ""},
			{obj{"title": "Other", "lang": "??"}, 400, sandlot.CodeInvalidField, `{"title":"Other"}`},
			{obj{"title": "Other", "description": strings.Repeat("x", 1001)}, 400, sandlot.CodeInvalidField, `{"title":"Other"}`},
			{obj{"title": "Other", "primary_file": "none.html"}, 404, sandlot.CodeFileNotFound, "/v1/project/"},
			{obj{"title": "Other", "primary_file": "a//b\x00"}, 400, sandlot.CodeInvalidFilename, "/v1/project/"},
			{obj{"title": "Other", "primary_file": "logo.svg", "if_version": 1}, 412, sandlot.CodeVersionConflict, `"if_version":2`},
			{`[]`, 400, sandlot.CodeInvalidJSON, ""},
			{`{"title":"a","title":"b"}`, 400, sandlot.CodeInvalidJSON, ""},
		} {
			var got answer
			w.unchanged(func() { got = patch(w, c.body).refused(c.status, c.code) })
			line := pasted(got.str("hint"))
			if !strings.Contains(testenv.AsCurl(got.str("hint")), c.hint) || line == "" {
				t.Errorf("%v: the hint lacks %q: %s", c.body, c.hint, got.str("hint"))
			}
			again := w.curl(strings.ReplaceAll(line, "<api_key>", w.project))
			if again.status >= 300 {
				t.Errorf("%v: %s\ngets %d: %s", c.body, line, again.status, again.text)
			}
			if again.body["version"] != 2.0 {
				w = settled(t)
			}
		}
	})
	t.Run("another method says which there are", func(t *testing.T) {
		w := settled(t)
		expect.Equal(t, "Allow", w.send("PUT", "/v1/project/"+w.projectID, w.project, obj{}).refused(405, sandlot.CodeMethodNotAllowed).header.Get("Allow"), "GET, HEAD, DELETE, PATCH, OPTIONS")
	})
}

func TestADeletionIsNotGuardedByAVersionAndSaysSo(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := "/v1/project/" + w.projectID
	w.send("DELETE", at, w.account, obj{"confirm": w.projectID}, with("If-Match", `"9"`)).refused(400, sandlot.CodeInvalidField)
	w.get(at, w.account).wants(200)
	w.send("DELETE", at, w.account, obj{"confirm": w.projectID}, with("If-Match", "*")).wants(200)
}
