package api

import (
	"fmt"
	"strings"
	"testing"

	"sandlot/internal/publish"
)

// announced is a POST of which only the headers come, with a body of that length.
func (w *world) announced(t *testing.T, path, key string, length int64, headers ...string) answer {
	t.Helper()
	c := w.dial()
	if key != "" {
		headers = append(headers, "Authorization: Bearer "+key)
	}
	c.write("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nExpect: 100-continue\r\n%s\r\n\r\n", path, length, strings.Join(headers, "\r\n"))
	res, text := c.answer()
	return answer{t: t, status: res.StatusCode, header: res.Header, text: text, body: decoded(t, text)}
}

func TestRegression19ABodyThatWasNotRead(t *testing.T) {
	t.Parallel()
	w := settled(t)
	big := strings.Repeat("0123456789abcdef", 200_000)
	const tooMuch = 2*limit + bodyRoom + 1
	version := strings.Trim(w.get("/v1/project/"+w.projectID, w.account).header.Get("ETag"), `"`)
	t.Run("keeps what the headers and the query say", func(t *testing.T) {
		got := w.in(t).announced(t, "/v1/update?project_id="+w.projectID+"&filename=data.bin&title=It%27s+mine", w.account, tooMuch, "Content-Type: application/json", `If-Match: "`+version+`"`)
		hint := got.refused(413, publish.CodeContentTooLarge).str("hint")
		for _, want := range []string{"project_id=" + w.projectID, "filename=data.bin", "if_version=" + version, `'title=It'\''s mine'`, "rest of the body wasn't read", "split -a 4"} {
			if !strings.Contains(hint, want) {
				t.Errorf("the hint lacks %s:\n%s", want, hint)
			}
		}
		s := w.shell(t, nil)
		s.file("data.bin", big)
		s.follow(hint)
		if s.last["sha256"] != sum(big) {
			t.Errorf("%v", s.last)
		}
	})
	t.Run("without either, what is missing is to be filled in", func(t *testing.T) {
		hint := w.in(t).announced(t, "/v1/update", w.account, tooMuch, "Content-Type: application/json").refused(413, publish.CodeContentTooLarge).str("hint")
		s := w.shell(t, nil)
		s.file("logo.svg", big)
		s.follow(hint)
	})
	t.Run("of which the fields come first keeps them", func(t *testing.T) {
		body := `{"title":"Mine","content":"` + strings.Repeat("QUJD", tooMuch/4) + `"}`
		if hint := w.in(t).post("/v1/publish", w.account, body, lax).refused(413, publish.CodeContentTooLarge).str("hint"); !strings.Contains(hint, "title=Mine") {
			t.Error(hint)
		}
	})
	const most = 4 * limit // of a file, as newWorld has it
	for name, c := range map[string]struct {
		length int64
		kind   string
		above  bool
	}{
		"a form just above the largest file":      {most + bodyRoom + 1, "multipart/form-data; boundary=B", true},
		"a form that may be within it":            {most + bodyRoom, "multipart/form-data; boundary=B", false},
		"JSON whose base64 is above it in a file": {2*most + bodyRoom + 2, "application/json", true},
		"JSON whose base64 may be within it":      {2*most + bodyRoom, "application/json", false},
	} {
		t.Run(name, func(t *testing.T) {
			hint := w.in(t).announced(t, "/v1/publish", w.account, c.length, "Content-Type: "+c.kind).refused(413, publish.CodeContentTooLarge).str("hint")
			if above := strings.Contains(hint, fmt.Sprintf("at most %d bytes, in parts as well", most)); above != c.above || above == (len(tidy(t, hint)) > 0) {
				t.Errorf("above is %v: %s", above, hint)
			}
		})
	}
	t.Run("a size that says it", func(t *testing.T) {
		body := fmt.Sprintf(`{"size":%d,"content":"%s"}`, most+1, strings.Repeat("QUJD", limit/2))
		if hint := w.in(t).post("/v1/publish", w.account, body, lax).refused(413, publish.CodeContentTooLarge).str("hint"); len(tidy(t, hint)) > 0 {
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
		for name, text := range map[string]string{"style.css": "b {}", "js/a b.js": "a", "logo.svg": "<svg/>"} {
			s.file(name, text)
		}
		s.follow(hint)
		return s
	}
	t.Run("files beside the page", func(t *testing.T) {
		got := w.in(t).post("/v1/publish", "", obj{"email": someone, "content": page64, "files": []obj{{"filename": "index.html"}, {"filename": "style.css"}, {"path": "js/a b.js"}}}).wants(201)
		follow(t, got, "unknown_field", map[string]string{"<api_key>": got.str("api_key")})
		var names []string
		for _, f := range w.get("/v1/project/"+got.str("project_id"), got.str("api_key")).wants(200).body["files"].([]any) {
			names = append(names, f.(obj)["filename"].(string))
		}
		if strings.Join(names, " ") != "index.html js/a b.js style.css" {
			t.Errorf("%q", names)
		}
	})
	t.Run("files beside a file", func(t *testing.T) {
		got := w.in(t).post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "style.css", "content": "YQ==", "files": obj{"style.css": "b {}", "logo.svg": "<svg/>"}}).wants(200)
		if hint := warned(got, "unknown_field"); strings.Contains(hint, "style.css") {
			t.Errorf("what was sent is to be sent again: %s", hint)
		}
		follow(t, got, "unknown_field", nil)
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
