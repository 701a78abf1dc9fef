package api

import (
	"fmt"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/transport/intake"
)

func TestRegression19ABodyThatWasNotRead(t *testing.T) {
	t.Parallel()
	w := settled(t)
	const tooMuch = 2*limit + intake.BodyRoom + 1
	t.Run("of which the fields come first keeps them", func(t *testing.T) {
		body := `{"title":"Mine","content":"` + strings.Repeat("QUJD", tooMuch/4) + `"}`
		if hint := w.in(t).post("/v1/publish", w.account, body, lax).refused(413, sandlot.CodeContentTooLarge).str("hint"); !strings.Contains(hint, "title=Mine") {
			t.Error(hint)
		}
	})
	t.Run("a size that says it", func(t *testing.T) {
		body := fmt.Sprintf(`{"size":%d,"content":"%s"}`, 4*limit+1, strings.Repeat("QUJD", limit/2))
		if hint := w.in(t).post("/v1/publish", w.account, body, lax).refused(413, sandlot.CodeContentTooLarge).str("hint"); len(tidy(t, hint)) > 0 {
			t.Error(hint)
		}
	})
}

func TestRegression19WarningsShowCallsThatWork(t *testing.T) {
	t.Parallel()
	w := settled(t)
	warned := func(got answer, code string) string {
		t.Helper()
		list, _ := got.body["warnings"].([]any)
		for _, one := range list {
			if one, _ := one.(obj); one["code"] == code {
				hint, _ := one["hint"].(string)
				return hint
			}
		}
		t.Fatalf("no %s: %s", code, got.text)
		return ""
	}
	follow := func(t *testing.T, got answer, code string, fill map[string]string) *shell {
		t.Helper()
		hint, s := warned(got, code), w.shell(t, fill)
		s.last = got.body
		s.follow(hint)
		return s
	}
	t.Run("files without bytes beside the page", func(t *testing.T) {
		got := w.in(t).post("/v1/publish", "", obj{"email": someone, "content": page64, "files": []obj{{"filename": "index.html"}, {"path": "js/a b.js"}}}).wants(201)
		if hint := warned(got, "unknown_field"); !strings.Contains(hint, "give each its text or content") {
			t.Error(hint)
		}
	})
	total := map[string]string{"<number of all parts>": "1"}
	t.Run("an upload without its total", func(t *testing.T) {
		if s := follow(t, w.in(t).post("/v1/publish", w.account, part("u1", 1, page, nil)).wants(202), "total_unknown", total); s.last["version"] != 1.0 {
			t.Errorf("%v", s.last)
		}
		if s := follow(t, w.post("/v1/publish", "", part("u2", 1, page, obj{"email": someone})).wants(202), "total_unknown", total); s.last["version"] != 1.0 {
			t.Errorf("%v", s.last)
		}
		got := w.post("/v1/update", w.account, part("u3", 1, "x", obj{"project_id": w.projectID, "filename": "a.txt"})).wants(202)
		if s := follow(t, got, "total_unknown", total); s.last["filename"] != "a.txt" {
			t.Errorf("%v", s.last)
		}
	})
}
