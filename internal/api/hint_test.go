package api

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
	"sandlot/internal/testworld"
)

// words splits a command line as a POSIX shell does, as far as hints go: blanks,
// single quotes and \'.
func words(line string) (out []string) {
	var word strings.Builder
	quoted, any := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			quoted, any = !quoted, true
		case quoted:
			word.WriteByte(c)
		case c == '\\':
			i++
			word.WriteByte(line[i])
		case c == ' ':
			if any || word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
			any = false
		default:
			word.WriteByte(c)
		}
	}
	return append(out, word.String())
}

// curl sends what a command line of curl would; files it reads hold a page.
func (w *world) curl(line string) answer {
	w.t.Helper()
	method, body, header := "GET", "", http.Header{}
	var address string
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	args := words(line)
	for i := 1; i < len(args); i++ {
		switch args[i] {
		case "-X":
			method = args[i+1]
		case "-H":
			name, value, _ := strings.Cut(args[i+1], ": ")
			header.Set(name, value)
		case "-d":
			if body = args[i+1]; method == "GET" {
				method = "POST"
			}
		case "-F", "--form-string":
			method = "POST"
			name, value, _ := strings.Cut(args[i+1], "=")
			if args[i] == "-F" && strings.HasPrefix(value, "@") {
				part, _ := parts.CreateFormFile(name, value[1:])
				part.Write([]byte(page))
			} else {
				parts.WriteField(name, value)
			}
		case "-T":
			method, body = "PUT", page
		case "--data-binary":
			if method, body = "POST", page; args[i+1] == "@sandlot.zip" {
				body = w.get("/v1/export", w.account).wants(200).text
			}
		case "-o":
		default:
			address = args[i]
			continue
		}
		i++
	}
	if form.Len() > 0 {
		parts.Close()
		body = form.String()
		header.Set("Content-Type", parts.FormDataContentType())
	}
	path, ok := strings.CutPrefix(address, testworld.Places().Base.String())
	if !ok {
		w.t.Fatalf("no address of this instance in %s", line)
	}
	return w.send(method, path, "", body, lax, func(r *http.Request) { r.Header = header })
}

// pasted is the first line of a hint that can be pasted.
func pasted(hint string) string {
	for line := range strings.Lines(hint) {
		if strings.HasPrefix(line, "curl ") {
			return strings.TrimRight(line, "\n")
		}
	}
	return ""
}

// filled is what tests put in place of what only the user knows.
var filled = []string{"<your e-mail>", "kim@example.com", "<number of this part>", "1", "<version>", "1"}

func TestHintsWorkWhenPasted(t *testing.T) {
	t.Parallel()
	type call struct {
		name, path, key string
		body            any
	}
	w := settled(t)
	id := "sky-hopper-7k2m9p"
	calls := []call{
		{"no email", "/v1/publish", "", obj{"content": page64}},
		{"bad email", "/v1/publish", "", obj{"content": page64, "email": "me"}},
		{"bad email at signup", "/v1/signup", "", obj{"email": "me"}},
		{"raw HTML", "/v1/publish", "", obj{"content": page, "email": someone}},
		{"raw HTML with a key", "/v1/publish", "account", obj{"content": page}},
		{"no content", "/v1/update", "project", obj{"project_id": id, "filename": "a'b $(x).html"}},
		{"not JSON", "/v1/publish", "", "{"},
		{"not JSON at signup", "/v1/signup", "", "{"},
		{"a scoped key on publish", "/v1/publish", "project", obj{"content": page64}},
		{"no project", "/v1/update", "project", obj{"filename": "index.html", "content": page64}},
		{"a bad name", "/v1/update", "project", obj{"project_id": id, "filename": "../it's $HOME `x`", "content": page64}},
		{"another case", "/v1/update", "project", obj{"project_id": id, "filename": "LOGO.svg", "content": page64}},
		{"the primary file", "/v1/delete-file", "project", obj{"project_id": id, "filename": "index.html"}},
		{"an unknown file", "/v1/delete-file", "project", obj{"project_id": id, "filename": "nothing.txt"}},
		{"an unknown project", "/v1/update", "account", obj{"project_id": "nothing", "filename": "a.txt", "content": page64}},
		{"a conflict", "/v1/update", "project", obj{"project_id": id, "filename": "index.html", "content": page64, "if_version": 999}},
		{"a key in the body", "/v1/update", "project", obj{"project_id": id, "filename": "index.html", "content": page64, "api_key": "x"}},
		{"no key", "/v1/update", "", obj{"project_id": id, "filename": "index.html", "content": page64}},
		{"no key at all", "/v1/whoami", "", nil},
		{"a key in the query", "/v1/project/" + id + "?api_key=x", "", nil},
		{"a bad parameter", "/v1/project/" + id + "?content=some", "project", nil},
		{"a bad limit", "/v1/whoami?limit=0", "account", nil},
		{"gzip twice", "/v1/publish", "account", obj{"content": b64(gz(page))}},
		{"base64 twice", "/v1/publish", "account", obj{"content": b64(page64)}},
		{"another size", "/v1/publish", "account", obj{"content": page64, "size": 1}},
		{"part 2 first", "/v1/publish", "account", part("u", 2, "x", nil)},
		{"part 0", "/v1/publish", "account", part("u", 0, "x", nil)},
		{"a wrong type", "/v1/update", "project", obj{"project_id": id, "filename": []int{1}, "content": page64}},
	}
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			w.in(t)
			key := map[string]string{"account": w.account, "project": w.project}[c.key]
			body := c.body
			if fields, ok := body.(obj); ok && fields["project_id"] == id {
				mine := obj{}
				for name, v := range fields {
					mine[name] = v
				}
				mine["project_id"] = w.projectID
				body = mine
			}
			method := "POST"
			if body == nil {
				method = "GET"
			}
			got := w.send(method, strings.Replace(c.path, id, w.projectID, 1), key, body)
			line := pasted(got.str("hint"))
			if got.status < 400 || line == "" {
				t.Fatalf("%d, nothing to paste: %s", got.status, got.text)
			}
			if key == "" || got.str("error") == string(publish.CodeAccountKeyRequired) {
				key = w.account
			}
			line = strings.NewReplacer(append(filled, "<api_key>", key, "<filename>", "logo.svg", "<project_id>", w.projectID)...).Replace(line)
			if again := w.curl(line); again.status >= 300 {
				t.Errorf("%s\ngets %d: %s", line, again.status, again.text)
			}
		})
	}
}

func TestMeant(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"html": "text", "Content": "content", "contnet": "content", "file": "content", "fileName": "filename", "path": "filename", "name": "filename",
		"projectId": "project_id", "project": "project_id", "id": "project_id", "ifVersion": "if_version", "Sha256": "sha256", "totalParts": "total_parts",
		"contentEncoding": "content_encoding", "x": "", "colour": "", "description": "", "titel": "title", "tags": "",
	} {
		if got := updateFields.meant(name); got != want {
			t.Errorf("update: %s is taken for %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"name": "title", "file": "content", "username": "handle", "mail": "email", "language": "lang"} {
		if got := publishFields.meant(name); got != want {
			t.Errorf("publish: %s is taken for %q, want %q", name, got, want)
		}
	}
	expect.Equal(t, "delete-file: file is taken for", deleteFields.meant("file"), "filename")
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		err    error
		status int
		code   publish.Code
		logged bool
	}{
		{"a full disk is storage_full", fmt.Errorf("put: %w", publish.NoEffect(publish.ErrFull)), 507, publish.CodeStorageFull, true},
		{"a store that is away is unavailable", fmt.Errorf("put: %w", publish.ErrUnavailable), 503, publish.CodeUnavailable, true},
		{"damage is blob_corrupt", fmt.Errorf("open: %w", publish.ErrCorrupt), 500, publish.CodeBlobCorrupt, true},
		{"anything else is internal, and says nothing", fmt.Errorf("SELECT secret"), 500, publish.CodeInternal, true},
		{"a refusal is not logged", publish.Refuse(publish.CodeQuotaExceeded, "wait"), 429, publish.CodeQuotaExceeded, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := settled(t)
			w.Faults.Step = func(string) (before, after error) { return c.err, nil }
			got := w.post("/v1/signup", "", obj{}).refused(c.status, c.code)
			if strings.Contains(got.text, "SELECT") {
				t.Errorf("the cause is told: %s", got.text)
			}
			if logged := strings.Contains(w.Logs.String(), got.str("request_id")); logged != c.logged {
				t.Errorf("logged is %v:\n%s", logged, w.Logs.String())
			}
			if retry := publish.AsError(c.err); retry != nil && retry.RetryAfter > 0 && got.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		})
	}
}
