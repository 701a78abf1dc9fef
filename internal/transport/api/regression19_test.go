package api

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

// shell pastes the commands of hints into a real shell, in a folder of its own.
type shell struct {
	t    *testing.T
	w    *world
	dir  string
	fill map[string]string
	last obj // the last answer
}

func (w *world) shell(t *testing.T, fill map[string]string) *shell {
	t.Helper()
	testenv.Need(t, "bash")
	testenv.Need(t, "curl")
	s := &shell{t: t, w: w, dir: t.TempDir(), fill: map[string]string{
		"<api_key>": w.account, "<project_id>": w.projectID, "<filename>": "logo.svg", "<your e-mail>": "kim@example.com",
		"<number of this part>": "1", "<file with this part>": "piece",
	}}
	for name, v := range fill {
		s.fill[name] = v
	}
	return s
}

// shellLines are the lines of a hint that a shell runs. Prose comes first.
func shellLines(t *testing.T, hint string) (list []string) {
	t.Helper()
	for line := range strings.Lines(testenv.AsCurl(hint)) {
		line = strings.TrimRight(line, "\n")
		run := strings.HasPrefix(line, "curl ") || strings.HasPrefix(line, "split ") || strings.HasPrefix(line, "set --")
		if !run && (len(list) > 0 || strings.HasPrefix(line, "curl")) {
			t.Errorf("prose among the commands: %q", line)
		}
		if run {
			list = append(list, line)
		}
	}
	return list
}

// placeholders are what a hint leaves to be filled in.
var placeholders = regexp.MustCompile(`<[^<>]*>`)

// file lays a file into the folder, with every folder on the way.
func (s *shell) file(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	expect.OK(s.t, os.MkdirAll(filepath.Dir(path), 0o700))
	expect.OK(s.t, os.WriteFile(path, []byte(text), 0o600))
}

// paste fills in what stands in angle brackets and runs the command. It returns
// the status of every call in it.
func (s *shell) paste(line string) (statuses []string) {
	s.t.Helper()
	statuses, err := s.run(s.filled(line, ""))
	if err != nil {
		s.t.Errorf("%s\n%v", inspect.Redact(line), err)
	}
	return statuses
}

// pasteAll runs every command of a hint, and each must succeed.
func (s *shell) pasteAll(hint string) {
	s.t.Helper()
	lines := shellLines(s.t, hint)
	if len(lines) == 0 {
		s.t.Fatalf("nothing to paste: %s", hint)
	}
	for _, line := range lines {
		s.succeeds(line)
	}
}

// succeeds pastes a command, each call of which must be accepted.
func (s *shell) succeeds(line string) {
	s.t.Helper()
	for _, status := range s.paste(line) {
		if !strings.HasPrefix(status, "2") {
			s.t.Errorf("%s\ngets %s: %v", line, status, s.last)
		}
	}
}

func TestRegression19APlaceholderIsRefused(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for path, body := range map[string]obj{"/v1/publish": {"content": page64}, "/v1/signup": {}} {
		body["email"] = sandlot.PlaceholderEmail
		w.unchanged(func() {
			if got := w.post(path, "", body).refused(400, sandlot.CodeInvalidEmail); !strings.Contains(got.str("message"), "placeholder") {
				t.Errorf("%s", got.text)
			}
		})
	}
	for field, body := range map[string]obj{
		"project_id": {"project_id": "<project_id>", "filename": "a", "content": "YQ=="}, "filename": {"project_id": w.projectID, "filename": "<filename>", "content": "YQ=="},
		"part": {"upload_id": "u", "part": sandlot.PlaceholderPart, "project_id": w.projectID, "filename": "a", "content": "YQ=="},
	} {
		w.unchanged(func() {
			if got := w.post("/v1/update", w.account, body); got.status < 400 {
				t.Errorf("%s: %s", field, got.text)
			}
		})
	}
	if got := w.post("/v1/publish", "", obj{"content": page64}); strings.Contains(got.text, "example.com") {
		t.Errorf("an address that would succeed is proposed: %s", got.text)
	}
}

func TestRegression19AnUnknownPathListsTheEndpoints(t *testing.T) {
	t.Parallel()
	w := settled(t)
	t.Run("an unknown path", func(t *testing.T) {
		if hint := w.in(t).get("/v1/weather", "").refused(404, sandlot.CodeNotFound).str("hint"); !strings.HasSuffix(hint, "\ncurl "+testworld.Places().Base.String()+"/v1") || !strings.Contains(hint, "/v1/whoami") {
			t.Errorf("%s", hint)
		}
	})
	for method, want := range map[string]string{"DELETE": "/account", "PATCH": "/v1/update", "PUT": "/v1/update"} {
		t.Run(method+" says where that is done", func(t *testing.T) {
			for _, path := range []string{"/v1/project/" + w.projectID, "/v1/publish"} {
				if (method == "PATCH" || method == "DELETE") && path != "/v1/publish" {
					continue // which it is for
				}
				hint := w.in(t).send(method, path, w.account, nil).refused(405, sandlot.CodeMethodNotAllowed).str("hint")
				if !strings.Contains(hint, want) {
					t.Errorf("%s", hint)
				}
				s := w.shell(t, nil)
				s.file("index.html", page)
				s.file("logo.svg", "<svg/>")
				s.pasteAll(hint)
			}
		})
	}
}

func TestRegression19AHintRunsNothingOfTheRequest(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for i, evil := range []string{
		"'; touch pwned; '", "$(touch pwned)", "`touch pwned`", "a\ntouch pwned\n", `\'; touch pwned #`, "a' -F x=@/etc/passwd '", "-o pwned", "@pwned", "a\rcurl file:///etc/passwd",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			w.in(t)
			for path, body := range map[string]obj{
				"/v1/publish": {"title": evil, "handle": evil, "lang": evil, "upload_id": evil, "files": []string{evil}},
				"/v1/update":  {"title": evil, "filename": evil, "project_id": evil, "files": []string{evil, "index.html"}},
				"/v1/update?": {"project_id": w.projectID, "filename": evil, "title": evil, "content": page64, "size": 1},
				"/v1/signup":  {"email": evil, "handle": evil},
			} {
				hint := w.post(path, w.account, body, lax).str("hint")
				s := w.shell(t, nil)
				s.file("index.html", page)
				for _, line := range shellLines(t, hint) {
					s.paste1(line)
				}
				if _, err := os.Stat(filepath.Join(s.dir, "pwned")); err == nil {
					t.Fatalf("the hint ran what the request said:\n%s", hint)
				}
				for line := range strings.Lines(hint) {
					if strings.HasPrefix(line, "touch") || strings.Contains(line, "\r") {
						t.Errorf("a line of the hint is the request's: %q", line)
					}
				}
			}
		})
	}
}

// paste1 runs a command, whatever becomes of it.
func (s *shell) paste1(line string) {
	s.t.Helper()
	line = strings.ReplaceAll(line, testworld.Places().Base.String(), s.w.server.URL)
	cmd := exec.CommandContext(s.t.Context(), "bash", "-c", "curl() { :; }\n"+line)
	cmd.Dir = s.dir
	_ = cmd.Run()
}
