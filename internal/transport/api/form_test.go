package api

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"sandlot"
)

// form is a multipart body with content as its last part.
func form(content string, fields ...string) (body string, contentType func(*http.Request)) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for i := 0; i+1 < len(fields); i += 2 {
		w.WriteField(fields[i], fields[i+1])
	}
	part, _ := w.CreateFormFile("content", "../game.html")
	part.Write([]byte(content))
	w.Close()
	return out.String(), func(r *http.Request) { lax(r); r.Header.Set("Content-Type", w.FormDataContentType()) }
}

func TestForm(t *testing.T) {
	t.Parallel()
	w := settled(t)
	t.Run("content is the file itself", func(t *testing.T) {
		w.in(t)
		body, kind := form(page, "email", someone, "title", "From a form")
		got := w.post("/v1/publish", "", body, kind).wants(201)
		if file := got.body["files"].([]any)[0].(obj); file["sha256"] != sum(page) || got.str("title") != "From a form" {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("gzipped bytes are stored as they are", func(t *testing.T) {
		w.in(t)
		zipped := gz(page)
		body, kind := form(zipped, "project_id", w.projectID, "filename", "data.gz")
		if got := w.post("/v1/update", w.project, body, kind).wants(200); got.str("sha256") != sum(zipped) {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("numbers and truth are texts", func(t *testing.T) {
		w.in(t)
		body, kind := form(page, "upload_id", longID, "part", "1", "last", "true")
		w.post("/v1/publish", w.account, body, kind).wants(201)
	})
	for name, c := range map[string]struct {
		fields []string
		body   string
		status int
		code   sandlot.Code
	}{
		"content_encoding is refused":         {fields: []string{"content_encoding", "gzip+base64"}, status: 400, code: sandlot.CodeInvalidField},
		"a part that is no number":            {fields: []string{"upload_id", "u", "part", "one"}, status: 400, code: sandlot.CodeInvalidField},
		"a name twice":                        {fields: []string{"title", "a", "title", "b"}, status: 400, code: sandlot.CodeInvalidJSON},
		"a key in a field":                    {fields: []string{"api_key", "x"}, status: 400, code: sandlot.CodeKeyNotInHeader},
		"a body that ends early":              {body: "--b\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\nabc", status: 400, code: sandlot.CodeInvalidJSON},
		"a file above the limit":              {body: "", fields: []string{"title", "big"}, status: 413, code: sandlot.CodeContentTooLarge},
		"fields that are larger than a MiB":   {fields: []string{"note", strings.Repeat("a", 1<<20)}, status: 400, code: sandlot.CodeInvalidJSON},
		"a text field that is no UTF-8":       {fields: []string{"title", "\xff"}, status: 400, code: sandlot.CodeInvalidJSON},
		"a boundary that never comes":         {body: "nothing of a form", status: 400, code: sandlot.CodeInvalidJSON},
		"a key inside the file is in content": {fields: []string{"title", "leak"}, status: 422, code: sandlot.CodeKeyInContent},
	} {
		t.Run(name, func(t *testing.T) {
			w.in(t)
			file := page
			switch name {
			case "a file above the limit":
				file = noise(limit + 1)
			case "a key inside the file is in content":
				file = "<script>'" + w.account + "'</script>"
			}
			body, kind := form(file, c.fields...)
			if c.body != "" {
				body, kind = c.body, with("Content-Type", "multipart/form-data; boundary=b")
			}
			w.unchanged(func() { w.post("/v1/publish", w.account, body, kind).refused(c.status, c.code) })
		})
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	t.Run("is made anew for each, whatever the client sends", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.get("/openapi.json", "", with("X-Request-Id", "theirs")), w.get("/openapi.json", "")
		if x, y := a.header.Get("X-Request-Id"), b.header.Get("X-Request-Id"); x == "theirs" || x == y {
			t.Errorf("%q and %q", x, y)
		}
	})
}
