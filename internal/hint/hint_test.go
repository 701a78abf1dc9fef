package hint

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
	"sandlot/internal/testenv"
)

// everyOp are the operations that a Fix can name.
var everyOp = []publish.Op{
	publish.OpNone, publish.OpPublish, publish.OpUpdate, publish.OpDeleteFile, publish.OpSignup, publish.OpProject,
	publish.OpStats, publish.OpWhoami, publish.OpExport, publish.OpImport, publish.OpPresentKey, publish.OpEncode, publish.OpPack, publish.OpRotate, publish.OpWait, publish.OpSame, publish.OpNothing,
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"plain", "", "two words", "it's", "$HOME `id` \"x\" \\ ; & | > <", "a\nb", "é"} {
		got, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s. "+Quote(s)).Output()
		if err != nil || string(got) != s+"." {
			t.Errorf("%q is quoted %s, and a shell reads %q: %v", s, Quote(s), got, err)
		}
	}
}

func TestCurl(t *testing.T) {
	t.Parallel()
	base := "http://localhost:8080"
	t.Run("the note comes first, the command last", func(t *testing.T) {
		e := publish.Refuse(publish.CodeInvalidFilename, "x").With(publish.OpUpdate, publish.Arg{Name: "filename", Value: "a.html"}).Note("Use a.html.")
		want := "Use a.html.\ncurl http://localhost:8080/v1/update -H 'Authorization: Bearer <api_key>' --form-string project_id=P --form-string filename=a.html -F content=@a.html"
		if got := Curl(base, Request{Op: publish.OpUpdate, Keyed: true, Args: []publish.Arg{{Name: "project_id", Value: "P"}}}, e); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
	t.Run("given content is sent as JSON", func(t *testing.T) {
		e := publish.Refuse(publish.CodeInvalidField, "x").With(publish.OpPublish, publish.Arg{Name: "content", Value: "QQ=="})
		want := "The corrected call:\n" + `curl -X POST http://localhost:8080/v1/publish -H 'Content-Type: application/json' -d '{"email":"<your e-mail>","content":"QQ=="}'`
		if got := Curl(base, Request{Op: publish.OpPublish}, e); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
	t.Run("no error is without one", func(t *testing.T) {
		for _, op := range everyOp {
			for _, on := range []publish.Op{publish.OpNone, publish.OpPublish, publish.OpExport, publish.OpStats} {
				text := Curl(base, Request{Op: on}, publish.Refuse(publish.CodeInternal, "x").With(op))
				if strings.TrimSpace(text) == "" || strings.HasSuffix(text, "\n") || strings.HasSuffix(text, ":") {
					t.Errorf("%q on %q: %q", op, on, text)
				}
			}
		}
	})
}

func TestTool(t *testing.T) {
	t.Parallel()
	update := Request{Op: publish.OpUpdate, Keyed: true, Args: []publish.Arg{{Name: "project_id", Value: "P"}, {Name: "filename", Value: "a b.html"}, {Name: "if_version", Value: 3}}, IdempotencyKey: "k"}
	for name, tc := range map[string]struct {
		on   Request
		e    *publish.Error
		text string
		call string
	}{
		"the request's own operation with what is corrected": {
			update, publish.Refuse(publish.CodeInvalidFilename, "x").In("filename").With(publish.OpSame, publish.Arg{Name: "filename", Value: "a.html"}).Note("Use a.html."),
			"Use a.html.", `update {"project_id":"P","filename":"a.html","if_version":3,"content":"<base64 of a.html>","idempotency_key":"k"}`,
		},
		"another operation": {
			update, publish.Refuse(publish.CodeWrongProject, "x").With(publish.OpWhoami).Note("This lists what the key covers:"),
			"If the key is lost, don't publish again: your user logs in at /account of this service by e-mail and makes a new key there.\nThis lists what the key covers:", `whoami {}`,
		},
		"a name with a hyphen": {
			Request{Op: publish.OpDeleteFile, Keyed: true},
			publish.Refuse(publish.CodeMissingField, "x").In("filename").With(publish.OpSame),
			"The corrected call:", `delete_file {"project_id":"<project_id>","filename":"<filename>"}`,
		},
		"the project of the request": {
			update, publish.Refuse(publish.CodeVersionConflict, "x").With(publish.OpProject), "The corrected call:", `project {"project_id":"P"}`,
		},
		"a key that is missing": {
			Request{Op: publish.OpWhoami},
			publish.Refuse(publish.CodeKeyRequired, "x").With(publish.OpPresentKey),
			"If the key is lost, don't publish again: your user logs in at /account of this service by e-mail and makes a new key there.\nConnect with the key of an earlier publish or signup.", `whoami {}`,
		},
		"a first publish": {
			Request{Op: publish.OpPublish, Args: []publish.Arg{{Name: "title", Value: "<Mine>"}}},
			publish.Refuse(publish.CodeEmailRequired, "x").In("email").With(publish.OpSame, publish.Arg{Name: "email", Value: publish.PlaceholderEmail}),
			"The corrected call:", `publish {"email":"<your e-mail>","title":"<Mine>","content":"<base64 of index.html>"}`,
		},
		"to wait": {update, publish.Refuse(publish.CodeRateLimited, "x").With(publish.OpWait).After(1500 * time.Millisecond), "Send the same request again in 2 s.", ""},
	} {
		text, call := Tool(tc.on, tc.e)
		got := ""
		if call.Name != "" {
			got = call.String()
		}
		if text != tc.text || got != tc.call {
			t.Errorf("%s:\n%s\n%s\nwant\n%s\n%s", name, text, got, tc.text, tc.call)
		}
		if call.Name != "" && !json.Valid([]byte(strings.TrimPrefix(call.String(), call.Name))) {
			t.Errorf("%s: no JSON in %s", name, call)
		}
	}
}

func TestNoToolCallSpeaksOfHTTP(t *testing.T) {
	t.Parallel()
	for _, op := range everyOp {
		for _, on := range []publish.Op{publish.OpNone, publish.OpPublish, publish.OpUpdate, publish.OpExport} {
			text, call := Tool(Request{Op: on, IdempotencyKey: "k"}, publish.Refuse(publish.CodeInternal, "x").With(op))
			for _, word := range []string{"curl", "header", "Authorization", "Bearer", "/v1", "http"} {
				if strings.Contains(text+call.String(), word) {
					t.Errorf("%q on %q: %s %s", op, on, text, call)
				}
			}
			if strings.TrimSpace(text) == "" || call.Name == "" && strings.HasSuffix(text, ":") {
				t.Errorf("%q on %q says %q", op, on, text)
			}
		}
	}
}

func TestAWarningIsToldWithItsCall(t *testing.T) {
	t.Parallel()
	const base, key = "http://localhost:8080", " -H 'Authorization: Bearer <api_key>'"
	id, version := publish.Arg{Name: "project_id", Value: "P"}, publish.Arg{Name: "if_version", Value: 3}
	for name, tc := range map[string]struct {
		fix  publish.Fix
		want string
	}{
		"without one": {publish.Fix{}, "Mend it."},
		"a file":      {publish.Fix{Op: publish.OpUpdate, Args: []publish.Arg{id, {Name: "filename", Value: "js/a b.js"}}}, "Mend it.\ncurl " + base + "/v1/update" + key + " --form-string project_id=P --form-string 'filename=js/a b.js' -F 'content=@js/a b.js'"},
		"many files":  {publish.Fix{Op: publish.OpUpdate, Args: []publish.Arg{id, version}}, "Mend it.\ncurl " + base + "/v1/update" + key + " --form-string project_id=P --form-string if_version=3 -F 'archive=@<archive>'"},
		"the switch":  {publish.Fix{Op: publish.OpAmend, Args: []publish.Arg{{Name: "id", Value: "P"}, {Name: "threads", Value: true}}}, "Mend it.\ncurl -X PATCH " + base + "/v1/project/P" + key + ` -H 'Content-Type: application/json' -d '{"threads":true}'`},
		"an odd name": {publish.Fix{Op: publish.OpUpdate, Args: []publish.Arg{id, {Name: "filename", Value: "a\u202eb.js"}}}, "Mend it."},
	} {
		if got := Warned(base, publish.Warning{Code: "x", Message: "Bad.", Hint: "Mend it.", Fix: tc.fix}); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tc.want)
		}
	}
}

// TestRegressionM08AHintOverwritesNoFileWithAnError: what an answer is written to stays as it is where the answer is an error.
func TestRegressionM08AHintOverwritesNoFileWithAnError(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "curl")
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	on := Request{Keyed: true, Args: []publish.Arg{{Name: "id", Value: "p"}, {Name: "filename", Value: "index.html"}}}
	for op, name := range map[publish.Op]string{publish.OpFile: "index.html", publish.OpExport: "sandlot.zip"} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", CurlOf(server.URL, on, op, nil))
		cmd.Dir = t.TempDir()
		file := filepath.Join(cmd.Dir, name)
		expect.OK(t, os.WriteFile(file, []byte("mine"), 0o600))
		out, err := cmd.CombinedOutput()
		kept, _ := os.ReadFile(file)
		expect.Equal(t, fmt.Sprintf("%s after %v %s", name, err, out), string(kept), "mine")
	}
}
