package hint

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// everyOp are the operations that a Fix can name.
var everyOp = []sandlot.Op{
	sandlot.OpNone, sandlot.OpPublish, sandlot.OpUpdate, sandlot.OpDeleteFile, sandlot.OpSignup, sandlot.OpProject,
	sandlot.OpStats, sandlot.OpReport, sandlot.OpWhoami, sandlot.OpExport, sandlot.OpImport, sandlot.OpErrors, sandlot.OpFeedback, sandlot.OpUnsay, sandlot.OpBoards, sandlot.OpBoard, sandlot.OpRule, sandlot.OpDropBoard, sandlot.OpDropPlayer, sandlot.OpPresentKey, sandlot.OpEncode, sandlot.OpPack, sandlot.OpRotate, sandlot.OpWait, sandlot.OpSame, sandlot.OpNothing,
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
		e := sandlot.Refuse(sandlot.CodeInvalidFilename, "x").With(sandlot.OpUpdate, sandlot.Arg{Name: "filename", Value: "a.html"}).Note("Use a.html.")
		want := "Use a.html.\ncurl http://localhost:8080/v1/update -H 'Authorization: Bearer <api_key>' --form-string project_id=P --form-string filename=a.html -F content=@a.html"
		if got := Advise(base, Request{Op: sandlot.OpUpdate, Keyed: true, Args: []sandlot.Arg{{Name: "project_id", Value: "P"}}}, e).Text; got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
	t.Run("given content is sent as JSON", func(t *testing.T) {
		e := sandlot.Refuse(sandlot.CodeInvalidField, "x").With(sandlot.OpPublish, sandlot.Arg{Name: "content", Value: "QQ=="})
		want := "The corrected call:\n" + `curl -X POST http://localhost:8080/v1/publish -H 'Content-Type: application/json' -d '{"email":"<your e-mail>","content":"QQ=="}'`
		if got := Advise(base, Request{Op: sandlot.OpPublish}, e).Text; got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
	t.Run("no error is without one", func(t *testing.T) {
		for _, op := range everyOp {
			for _, on := range []sandlot.Op{sandlot.OpNone, sandlot.OpPublish, sandlot.OpExport, sandlot.OpStats} {
				text := Advise(base, Request{Op: on}, sandlot.Refuse(sandlot.CodeInternal, "x").With(op)).Text
				if strings.TrimSpace(text) == "" || strings.HasSuffix(text, "\n") || strings.HasSuffix(text, ":") {
					t.Errorf("%q on %q: %q", op, on, text)
				}
			}
		}
	})
}

func TestAWarningIsToldWithItsCall(t *testing.T) {
	t.Parallel()
	const base, key = "http://localhost:8080", " -H 'Authorization: Bearer <api_key>'"
	id, version := sandlot.Arg{Name: "project_id", Value: "P"}, sandlot.Arg{Name: "if_version", Value: 3}
	for name, tc := range map[string]struct {
		fix  sandlot.Fix
		want string
	}{
		"without one": {sandlot.Fix{}, "Mend it."},
		"a file":      {sandlot.Fix{Op: sandlot.OpUpdate, Args: []sandlot.Arg{id, {Name: "filename", Value: "js/a b.js"}}}, "Mend it.\ncurl " + base + "/v1/update" + key + " --form-string project_id=P --form-string 'filename=js/a b.js' -F 'content=@js/a b.js'"},
		"many files":  {sandlot.Fix{Op: sandlot.OpUpdate, Args: []sandlot.Arg{id, version}}, "Mend it.\ncurl " + base + "/v1/update" + key + " --form-string project_id=P --form-string if_version=3 -F 'archive=@<archive>'"},
		"the switch":  {sandlot.Fix{Op: sandlot.OpAmend, Args: []sandlot.Arg{{Name: "id", Value: "P"}, {Name: "threads", Value: true}}}, "Mend it.\ncurl -X PATCH " + base + "/v1/project/P" + key + ` -H 'Content-Type: application/json' -d '{"threads":true}'`},
		"a version":   {sandlot.Fix{Op: sandlot.OpErrors, Args: []sandlot.Arg{id, {Name: "version", Value: 2}}}, "Mend it.\ncurl '" + base + "/v1/project/P/errors?version=2'" + key},
		"a board":     {sandlot.Fix{Op: sandlot.OpRule, Args: []sandlot.Arg{id, {Name: "board", Value: "main"}, {Name: "reset", Value: true}}}, "Mend it.\ncurl -X PATCH " + base + "/v1/project/P/boards/main" + key + ` -H 'Content-Type: application/json' -d '{"reset":true}'`},
		"a player":    {sandlot.Fix{Op: sandlot.OpDropPlayer, Args: []sandlot.Arg{id}}, "Mend it.\ncurl -X DELETE " + base + "/v1/project/P/players/%3Cplayer%3E" + key},
		"an odd name": {sandlot.Fix{Op: sandlot.OpUpdate, Args: []sandlot.Arg{id, {Name: "filename", Value: "a\u202eb.js"}}}, "Mend it."},
	} {
		if got := Warned(base, false, sandlot.Warning{Code: "x", Message: "Bad.", Hint: "Mend it.", Fix: tc.fix}); got != tc.want {
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
	on := Request{Keyed: true, Args: []sandlot.Arg{{Name: "id", Value: "p"}, {Name: "filename", Value: "index.html"}}}
	for op, name := range map[sandlot.Op]string{sandlot.OpFile: "index.html", sandlot.OpExport: "sandlot.zip"} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", CallOf(server.URL, on, op, nil))
		cmd.Dir = t.TempDir()
		file := filepath.Join(cmd.Dir, name)
		expect.OK(t, os.WriteFile(file, []byte("mine"), 0o600))
		out, err := cmd.CombinedOutput()
		kept, _ := os.ReadFile(file)
		expect.Equal(t, fmt.Sprintf("%s after %v %s", name, err, out), string(kept), "mine")
	}
}

// TestAClientWithoutAKeyIsLetIn by a person, where people can log in: the calls stand behind the corrected one, for a shell alone.
func TestAClientWithoutAKeyIsLetIn(t *testing.T) {
	t.Parallel()
	const base = "https://play.example"
	e := sandlot.Refuse(sandlot.CodeKeyRequired, "This call needs a key.").With(sandlot.OpPresentKey)
	on := Request{Op: sandlot.OpVersions, Logins: true, Args: []sandlot.Arg{{Name: "id", Value: "maze-1"}}}
	text := Advise(base, on, e).Text
	expect.Contains(t, "the hint", text, "/v1/project/maze-1/versions -H 'Authorization: Bearer <api_key>'\nWithout a key, your user lets you in: they open "+base+"/connect,")
	expect.Contains(t, "the hint", text, "\ncurl -sS -d client_id=terminal "+base+"/oauth/device --data-urlencode project=maze-1\n")
	expect.Contains(t, "the hint", text, "\ncurl -sS -d client_id=terminal "+base+"/oauth/token -d grant_type=urn:ietf:params:oauth:grant-type:device_code -d 'device_code=<device_code>'")
	expect.Equal(t, "characters", len(text) < 900, true)
	for name, change := range map[string]func(*Request, *sandlot.Error){
		"a tool": func(on *Request, _ *sandlot.Error) { on.Tool = true }, "a program": func(on *Request, _ *sandlot.Error) { on.JSON = true },
		"where nobody can log in":         func(on *Request, _ *sandlot.Error) { on.Logins = false },
		"a key of another kind is needed": func(_ *Request, e *sandlot.Error) { e.Code = sandlot.CodeAccountKeyRequired },
	} {
		on, e := on, *e
		change(&on, &e)
		expect.Equal(t, name+" is let in", strings.Contains(Advise(base, on, &e).Text, "oauth"), false)
	}
}
