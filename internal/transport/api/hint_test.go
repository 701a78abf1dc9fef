package api

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
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
	for line := range strings.Lines(testenv.AsCurl(hint)) {
		if strings.HasPrefix(line, "curl ") {
			return strings.TrimRight(line, "\n")
		}
	}
	return ""
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		err    error
		status int
		code   sandlot.Code
		logged bool
	}{
		{"a full disk is storage_full", fmt.Errorf("put: %w", sandlot.NoEffect(sandlot.ErrFull)), 507, sandlot.CodeStorageFull, true},
		{"a store that is away is unavailable", fmt.Errorf("put: %w", sandlot.ErrUnavailable), 503, sandlot.CodeUnavailable, true},
		{"damage is blob_corrupt", fmt.Errorf("open: %w", sandlot.ErrCorrupt), 500, sandlot.CodeBlobCorrupt, true},
		{"anything else is internal, and says nothing", fmt.Errorf("SELECT secret"), 500, sandlot.CodeInternal, true},
		{"a refusal is not logged", sandlot.Refuse(sandlot.CodeQuotaExceeded, "wait"), 429, sandlot.CodeQuotaExceeded, false},
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
			if retry := sandlot.AsError(c.err); retry != nil && retry.RetryAfter > 0 && got.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		})
	}
}
