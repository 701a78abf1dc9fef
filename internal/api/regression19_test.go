package api

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/inspect"
	"sandlot/internal/publish"
	"sandlot/internal/testenv"
	"sandlot/internal/testworld"
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
	for line := range strings.Lines(hint) {
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

// refusedCall is a request and what its hint comes to.
type refusedCall struct {
	path, key string
	body      any
	code      publish.Code
	wants     string            // a piece of the hint
	never     string            // what the hint must not have
	files     map[string]string // what lies in the folder
	then      func(*testing.T, *world, *shell)
	change    func(*http.Request)
}

func (w *world) mendsItself(t *testing.T, c refusedCall) {
	t.Helper()
	w.in(t)
	change := c.change
	if change == nil {
		change = func(*http.Request) {}
	}
	key := map[string]string{"account": w.account, "project": w.project, "bad": "sla_x", "": ""}[c.key]
	got := w.post(c.path, key, c.body, change, lax).refused(codes[c.code].status, c.code)
	hint := got.str("hint")
	if !strings.Contains(hint, c.wants) || c.never != "" && strings.Contains(hint, c.never) {
		t.Errorf("the hint lacks %q or has %q:\n%s", c.wants, c.never, hint)
	}
	s := w.shell(t, nil)
	for name, text := range map[string]string{"index.html": page, "logo.svg": "<svg/>", "piece": "x", "piece1": page[:9], "piece2": page[9:], "style.css": "b {}"} {
		s.file(name, text)
	}
	for name, text := range c.files {
		s.file(name, text)
	}
	s.pasteAll(hint)
	if c.then != nil {
		c.then(t, w, s)
	}
}

// said checks a field of the last answer.
func said(name string, want any) func(*testing.T, *world, *shell) {
	return func(t *testing.T, _ *world, s *shell) {
		t.Helper()
		if s.last[name] != want {
			t.Errorf("%s is %v, want %v: %v", name, s.last[name], want, s.last)
		}
	}
}

func TestRegression19HintsWorkWhenPasted(t *testing.T) {
	t.Parallel()
	w := settled(t)
	css := func(more obj) obj {
		body := obj{"project_id": w.projectID, "filename": "style.css", "content": b64("b {}")}
		for name, v := range more {
			body[name] = v
		}
		return body
	}
	big := strings.Repeat("<!doctype html><p>large ", 120_000)
	w.post("/v1/update", w.account, part("open", 1, "x", obj{"project_id": w.projectID, "filename": "style.css", "total_parts": 9})).wants(202)
	calls := map[string]refusedCall{
		"no address": {path: "/v1/publish", body: obj{"content": page64, "title": "Mine", "lang": "de"}, code: publish.CodeEmailRequired, wants: "<your e-mail>", then: said("title", "Mine")},
		"a bad address": {
			path: "/v1/publish", body: obj{"content": page64, "title": "Mine", "email": "me"}, code: publish.CodeInvalidEmail, wants: "<your e-mail>", then: said("title", "Mine"),
		},
		"another fault keeps the address": {
			path: "/v1/publish", body: `{"title":"Mine","email":"own@example.com","content":"<h1>"}`, code: publish.CodeInvalidContent,
			wants: "email=own@example.com", then: said("email", "own@example.com"),
		},
		"too large": {
			path: "/v1/publish", key: "account", body: `{"title":"It's $(big)","content":"` + b64(big) + `"}`, code: publish.CodeContentTooLarge, wants: "split -a 4 -b 1048576",
			files: map[string]string{"index.html": big}, then: said("title", "It's $(big)"),
		},
		"too large, without a key": {
			path: "/v1/publish", body: `{"email":"own@example.com","title":"Big","content":"` + b64(big) + `"}`, code: publish.CodeContentTooLarge, wants: "own@example.com",
			files: map[string]string{"index.html": big}, then: said("title", "Big"),
		},
		"a file too large": {
			path: "/v1/update", key: "project", body: `{"project_id":"` + w.projectID + `","filename":"data/a b;c.bin","content":"` + b64(big) + `"}`, code: publish.CodeContentTooLarge,
			wants: "data/a b;c.bin", files: map[string]string{"data/a b;c.bin": big}, then: said("sha256", sum(big)),
		},
		"a body too large for any content": {
			path: "/v1/publish", key: "account", body: `{"title":"Huge","content":"` + strings.Repeat("QUJD", limit) + `"}`, code: publish.CodeContentTooLarge, wants: "title=Huge",
			files: map[string]string{"index.html": big}, then: said("title", "Huge"),
		},
		"part 2 first": {
			path: "/v1/publish", key: "account", body: part("mine", 2, page[9:], obj{"total_parts": 2}), code: publish.CodePart1First, wants: "upload_id=mine", then: said("version", 1.0),
		},
		"part 2 first, without a key": {
			path: "/v1/publish", body: part("anon", 2, page[9:], obj{"total_parts": 2}), code: publish.CodePart1First, wants: "upload_token", then: said("version", 1.0),
		},
		"an unaligned part": {
			path: "/v1/update", key: "account", body: `{"project_id":"` + w.projectID + `","upload_id":"open","part":2,"content":"QUJDQ"}`, code: publish.CodeInvalidContent,
			wants: "Each part is base64 on its own", then: said("upload_id", "open"),
		},
		"a part without its number": {
			path: "/v1/update", key: "account", body: css(obj{"upload_id": "open", "part": 0}), code: publish.CodeInvalidField, wants: "<number of this part>", then: said("upload_id", "open"),
		},
		"files by path on publish": {
			path: "/v1/publish", key: "account", body: obj{"title": "Many", "files": []obj{{"filename": "index.html"}, {"filename": "js/a b.js"}, {"path": "style.css"}}},
			code: publish.CodeMissingField, wants: "as they are", files: map[string]string{"js/a b.js": "a"}, then: said("title", "Many"),
		},
		"files by name on update": {
			path: "/v1/update", key: "project", body: obj{"project_id": w.projectID, "files": obj{"style.css": "b {}", "logo.svg": "<svg/>"}}, code: publish.CodeInvalidField,
			wants: "filename=logo.svg", then: said("project_id", w.projectID),
		},
		"a query behind the name":  {path: "/v1/update", key: "project", body: css(obj{"filename": "game.js?v=2"}), code: publish.CodeInvalidFilename, wants: "filename=game.js ", files: map[string]string{"game.js?v=2": "a"}, then: said("filename", "game.js")},
		"an escape in the name":    {path: "/v1/update", key: "project", body: css(obj{"filename": "my%20logo.png"}), code: publish.CodeInvalidFilename, wants: "content=@my%20logo.png", files: map[string]string{"my%20logo.png": "a"}, then: said("filename", "my logo.png")},
		"the page in another case": {path: "/v1/update", key: "project", body: css(obj{"filename": "Index.html"}), code: publish.CodeFilenameConflict, wants: "filename=index.html", files: map[string]string{"Index.html": page}, then: said("filename", "index.html")},
		"another name in another case": {
			path: "/v1/update", key: "project", body: css(obj{"filename": "Logo.svg", "title": "Kept"}), code: publish.CodeFilenameConflict, wants: "logo.svg",
			files: map[string]string{"Logo.svg": "<svg/>"}, then: said("title", "Kept"),
		},
		"a bad key on a small body": {
			path: "/v1/update", key: "bad", body: css(obj{"title": "Kept"}), code: publish.CodeInvalidKey, wants: "title=Kept", then: said("title", "Kept"),
		},
		"a key in the body": {
			path: "/v1/update", key: "project", body: css(obj{"api_key": "x"}), code: publish.CodeKeyNotInHeader, wants: "/account when you can", never: "sign", then: said("filename", "style.css"),
		},
		"a key in the query": {path: "/v1/publish?api_key=x", body: obj{"content": page64}, code: publish.CodeKeyNotInHeader, wants: "/account when you can", never: "anew"},
		"a key in the file":  {path: "/v1/publish", key: "account", body: obj{"content": b64("<b>" + w.account)}, code: publish.CodeKeyInContent, wants: "Take the key out"},
		"another digest":     {path: "/v1/publish", key: "account", body: obj{"content": page64, "size": 1, "sha256": sum(page), "title": "Kept"}, code: publish.CodeDigestMismatch, wants: "title=Kept", then: said("title", "Kept")},
		"a primary file":     {path: "/v1/delete-file", key: "project", body: obj{"project_id": w.projectID, "filename": "index.html"}, code: publish.CodePrimaryFileProtected, wants: "update"},
		"an old version":     {path: "/v1/update", key: "project", body: css(obj{"if_version": 1}), code: publish.CodeVersionConflict, wants: "if_version=", then: said("filename", "style.css")},
		"a near miss":        {path: "/v1/update", key: "account", body: obj{"slug": w.projectID, "filename": "style.css", "content": "YQ=="}, code: publish.CodeInvalidField, wants: "project_id=", then: said("project_id", w.projectID)},
		"no project":         {path: "/v1/update", key: "account", body: css(obj{"project_id": ""}), code: publish.CodeProjectIDRequired, wants: "<project_id>", then: said("filename", "style.css")},
		"a text":             {path: "/v1/publish", key: "account", body: "hello", code: publish.CodeUnsupportedMediaType, wants: "multipart", change: with("Content-Type", "text/plain")},
	}
	for name, c := range calls {
		t.Run(name, func(t *testing.T) { w.mendsItself(t, c) })
	}
	t.Run("a path of the machine asks for the root", func(t *testing.T) {
		s := w.shell(t, nil)
		s.file("project/game.js", "a")
		sent := filepath.Join("/tmp", "sandlot-no-such-folder", "project", "game.js")
		hint := w.in(t).post("/v1/update", w.project, css(obj{"filename": sent})).refused(400, publish.CodeInvalidFilename).str("hint")
		if !strings.Contains(hint, "Which folder is the root") || !strings.Contains(hint, "content=@"+sent) {
			t.Errorf("%s", hint)
		}
		s.pasteAll(strings.ReplaceAll(hint, filepath.Dir(sent), filepath.Join(s.dir, "project")))
	})
}

func TestRegression19APlaceholderIsRefused(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for path, body := range map[string]obj{"/v1/publish": {"content": page64}, "/v1/signup": {}} {
		body["email"] = publish.PlaceholderEmail
		w.unchanged(func() {
			if got := w.post(path, "", body).refused(400, publish.CodeInvalidEmail); !strings.Contains(got.str("message"), "placeholder") {
				t.Errorf("%s", got.text)
			}
		})
	}
	for field, body := range map[string]obj{
		"project_id": {"project_id": "<project_id>", "filename": "a", "content": "YQ=="}, "filename": {"project_id": w.projectID, "filename": "<filename>", "content": "YQ=="},
		"part": {"upload_id": "u", "part": publish.PlaceholderPart, "project_id": w.projectID, "filename": "a", "content": "YQ=="},
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

func TestRegression19ANearPathShowsTheCall(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for path, want := range map[string]string{
		"/v1/publish/": "/v1/publish", "/publish": "/v1/publish", "/api/v1/publish": "/v1/publish", "/V1/Publish": "/v1/publish", "/v1//publish": "/v1/publish", "/v1/pubish": "/v1/publish",
		"/v1/delete_file": "/v1/delete-file", "/v1/delete": "/v1/delete-file", "/v1/sign-up": "/v1/signup", "/v1/projects": "/v1/whoami", "/v1/me": "/v1/whoami",
		"/v1/projects/" + w.projectID: "/v1/project/" + w.projectID, "/v1/project/" + w.projectID + "/": "/v1/project/" + w.projectID,
		"/v1/stats/" + w.projectID: "/v1/project/" + w.projectID + "/stats", "/v1/project/" + w.projectID + "/stat": "/v1/project/" + w.projectID + "/stats",
	} {
		t.Run(path, func(t *testing.T) {
			w.in(t)
			method, body := "POST", any(obj{})
			if strings.Contains(want, "/v1/project/") || want == "/v1/whoami" {
				method, body = "GET", nil
			}
			hint := w.send(method, path, w.account, body).refused(404, publish.CodeNotFound).str("hint")
			lines := shellLines(t, hint)
			if len(lines) != 1 || !strings.Contains(lines[0]+" ", testworld.Places().Base.String()+want+" ") {
				t.Fatalf("%s", hint)
			}
			w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": "gone.txt", "content": "YQ=="}).wants(200)
			s := w.shell(t, map[string]string{"<filename>": "gone.txt"})
			s.file("index.html", page)
			s.pasteAll(hint)
		})
	}
	t.Run("what is like none gets the list", func(t *testing.T) {
		if hint := w.in(t).get("/v1/weather", "").refused(404, publish.CodeNotFound).str("hint"); !strings.HasSuffix(hint, "\ncurl "+testworld.Places().Base.String()+"/v1") || !strings.Contains(hint, "/v1/whoami") {
			t.Errorf("%s", hint)
		}
	})
	for method, want := range map[string]string{"DELETE": "/account", "PATCH": "/v1/update", "PUT": "/v1/update"} {
		t.Run(method+" says where that is done", func(t *testing.T) {
			for _, path := range []string{"/v1/project/" + w.projectID, "/v1/publish"} {
				if (method == "PATCH" || method == "DELETE") && path != "/v1/publish" {
					continue // which it is for
				}
				hint := w.in(t).send(method, path, w.account, nil).refused(405, publish.CodeMethodNotAllowed).str("hint")
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
		"'; touch pwned; '", "$(touch pwned)", "`touch pwned`", "a\ntouch pwned\n", "!! !touch", `"; touch pwned; "`, `\'; touch pwned #`, "a' -F x=@/etc/passwd '", "-o pwned", "@pwned",
		"a;type=text/html", "$IFS$(touch${IFS}pwned)", "a\rcurl file:///etc/passwd", "\u2028touch pwned", "&& touch pwned", "<(touch pwned)", "|touch pwned",
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
