package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A mistake is a call that somebody gets wrong, as they would type it.
type mistake struct {
	name   string
	call   string // for a shell, in a folder with files to send; mistakeVariables lists what is set
	code   string // of the API, or the exit code of the command; "" if the call is taken, with a warning that has a call
	before string // for the same shell, before the call
	env    string // likewise, and also before what the hint says
	never  string // why no call can succeed, if so: then the hint has none
	first  string // what the hint says in words is to be done before its commands
	then   bool   // whether the call itself succeeds after what the hint says
}

// A misled is the shell of one mistake: a folder, a home, and an account with two projects.
type misled struct {
	t    *testing.T
	dir  string
	env  []string
	fill map[string]string
}

// TestAMistakeIsMendedByWhatTheAnswerSays takes the commands of each hint as they stand, fills in what stands in angle brackets from a fixed table, and
// runs them in a shell: every one of them succeeds.
func TestAMistakeIsMendedByWhatTheAnswerSays(t *testing.T) {
	testenv.Need(t, "curl", "bash")
	t.Parallel()
	bin := testenv.Binary(t)
	s := testenv.Start(t, bin)
	tools, all := t.TempDir(), append(mistakesOverHTTP, mistakesAtAShell...)
	expect.OK(t, os.Symlink(bin, filepath.Join(tools, "sandlot")))
	work, foreign := t.TempDir(), makesProject(t, s, "", `{"email":"other@example.com","text":"<title>Other</title>"}`)
	for name, text := range mistakenFiles(t) {
		expect.OK(t, os.MkdirAll(filepath.Dir(filepath.Join(work, name)), 0o700))
		expect.OK(t, os.WriteFile(filepath.Join(work, name), text, 0o600))
	}
	if len(all) < 60 {
		t.Errorf("only %d mistakes", len(all))
	}
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			newMisled(t, s, foreign["project_id"], tools, work).learnsFrom(m)
		})
	}
}

// mistakeVariables are those of the environment of each mistake: the server, the account's key, two projects of the account and the first one's key and
// address, and a project of somebody else.
var mistakeVariables = []string{"URL", "KEY", "ID", "OTHER", "PKEY", "AT", "FOREIGN"}

func newMisled(t *testing.T, s *testenv.Server, foreign, tools, work string) *misled {
	t.Helper()
	h := &misled{t: t, dir: t.TempDir()}
	expect.OK(t, os.CopyFS(h.dir, os.DirFS(work)))
	other := makesProject(t, s, "", `{"email":"me@example.com","text":"<title>Mine</title>"}`)
	mine := makesProject(t, s, other["api_key"], `{"title":"Maze","files":[{"filename":"index.html","text":"<title>Maze</title>"},{"filename":"game.js","text":"1"}]}`)
	base := baseOf(s)
	values := []string{base, other["api_key"], mine["project_id"], other["project_id"], mine["project_api_key"], mine["url"], foreign}
	h.env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"), "NO_COLOR=1",
		"SANDLOT_SERVER="+base, "SANDLOT_KEY="+other["api_key"])
	for i, name := range mistakeVariables {
		h.env = append(h.env, name+"="+values[i])
	}
	h.fill = map[string]string{
		"<api_key>": other["api_key"], "<project_api_key>": mine["project_api_key"], "<your e-mail>": "me@example.com", "<project_id>": mine["project_id"],
		"<filename>": "game.js", "<file>": "game.js", "<whole file>": "index.html", "<file with this part>": "game.js", "<file with part 1>": "game.js", "<file with part 2>": "game.js",
		"<number of this part>": "1", "<version>": "1", "<https://play.example.com>": base, "<file or folder>": "game", "<folder of the page>": "game", "<HTML file>": "page.html", "<size of the file>": "22", "<sha256 of the file>": "f21d1589ffb3a25d01c3cfa034dd60225cdf227e7fdd00d023293c1a2a3de7fd", "<value>": "Maze", "<page.html>": "index.html",
	}
	return h
}

func makesProject(t *testing.T, s *testenv.Server, key, body string) map[string]string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL()+"/v1/publish", strings.NewReader(body))
	expect.OK(t, err)
	r.Host = "localhost"
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := s.Client().Do(r)
	expect.OK(t, err)
	defer resp.Body.Close()
	expect.Equal(t, "publish", resp.StatusCode, http.StatusCreated)
	var all map[string]any
	expect.OK(t, json.NewDecoder(resp.Body).Decode(&all))
	text := map[string]string{}
	for name, v := range all {
		if s, ok := v.(string); ok {
			text[name] = s
		}
	}
	return text
}

// learnsFrom makes the mistake, and then does what the answer says.
func (h *misled) learnsFrom(m mistake) {
	h.t.Helper()
	if m.before != "" {
		h.run(m.env + "\n" + m.before)
	}
	out, said, _, exit := h.run(m.env + "\n" + m.call)
	hint, code := h.hint(m, out, said, exit)
	expect.Equal(h.t, "the code of "+m.call, code, m.code)
	commands := pasteable(hint)
	if m.never != "" {
		expect.Equal(h.t, "a hint where nothing can be done, because "+m.never, commands, "")
		return
	}
	if commands == "" {
		h.t.Fatalf("%s\nhas no command: %s", m.call, hint)
	}
	if m.then {
		commands += "\n" + m.call
	}
	h.follow(m.env+"\n"+m.first, commands, hint)
}

// follow runs the commands of a hint.
func (h *misled) follow(env, commands, hint string) {
	h.t.Helper()
	for name, value := range h.fill {
		commands = strings.ReplaceAll(commands, name, value)
	}
	commands = aText.ReplaceAllString(commands, "<!doctype html><p>text")
	out, said, statuses, exit := h.run(env + "\nset -e\n" + commands)
	good := exit == 0
	for _, status := range statuses {
		good = good && status[0] == '2'
	}
	if !good {
		h.t.Errorf("%s\nends with %d %v: %s%s", hint, exit, statuses, out, said)
	}
}

// hint finds what an answer says to do: what the API says, or the commands below an error of the command line.
func (h *misled) hint(m mistake, out, said string, exit int) (hint, code string) {
	h.t.Helper()
	if os.Getenv("SHOW") != "" {
		h.t.Logf("%s\n%s%s", m.call, out, said)
	}
	var answer struct {
		Error, Message, Hint string
		UploadToken          string `json:"upload_token"`
		Warnings             []struct{ Code, Hint string }
	}
	switch {
	case json.Unmarshal([]byte(out), &answer) != nil:
		return said, fmt.Sprint(exit)
	case answer.Error != "":
		return answer.Hint, answer.Error
	}
	for _, w := range answer.Warnings {
		hint += w.Hint + "\n"
	}
	return hint, ""
}

// aText matches what stands for the text of a file.
var aText = regexp.MustCompile(sandlot.PlaceholderText + `[^>]*>`)

// aCommandLine matches a line that is a command.
var aCommandLine = regexp.MustCompile(`(?m)^(?: {4})?((?:curl|split|set|tar|sandlot|unset|export|mv) .*)$`)

// pasteable are the lines of a hint that are commands.
func pasteable(hint string) string {
	var lines []string
	for _, found := range aCommandLine.FindAllStringSubmatch(testenv.AsCurl(hint), -1) {
		lines = append(lines, found[1])
	}
	return strings.Join(lines, "\n")
}

// run gives lines to a shell in which curl prints its statuses. The account's key comes from the standard input.
func (h *misled) run(lines string) (out, said string, statuses []string, exit int) {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), "bash", "-c", "curl() { local f=--fail-with-body; case \" $* \" in *\" -f \"*) f=; esac; command curl -sS $f -w '%{stderr}status %{http_code}\\n' \"$@\"; }\n"+lines)
	cmd.Dir, cmd.Env, cmd.Stdin = h.dir, h.env, strings.NewReader(h.fill["<api_key>"]+"\n")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // its exit code says what is to be known
	for line := range strings.Lines(stderr.String()) {
		if status, ok := strings.CutPrefix(strings.TrimSpace(line), "status "); ok {
			statuses = append(statuses, status)
		}
	}
	return stdout.String(), stderr.String(), statuses, cmd.ProcessState.ExitCode()
}

// mistakenFiles are what lies in the folder of each mistake.
func mistakenFiles(t *testing.T) map[string][]byte {
	t.Helper()
	page := []byte("<!doctype html><html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width\"><title>Maze</title><p>Hi</html>\n")
	files := map[string][]byte{
		"index.html": page, "game.js": []byte("let n = 1\n"), "page.html": page, "a.html": page, "b.html": page, "empty.html": nil, "levels/1.json": []byte("{}\n"),
		"game/index.html": page, "game/js/main.js": []byte("let n = 1\n"), "nothing/README": []byte("."), "pageless/main.js": []byte("1\n"), "two/a.html": page, "two/b.html": page,
		"notes.txt":  []byte("Hi\n"),
		"nopage.zip": zipOf(t, "js/main.js", "1"), "two.zip": zipOf(t, "a.html", "<p>A", "b.html", "<p>B"), "climbs.zip": zipOf(t, "index.html", "<p>", "../out.js", "1"),
		"twice.zip": zipOf(t, "index.html", "<p>A", "index.html", "<p>B"), "none.zip": zipOf(t), "case.zip": zipOf(t, "index.html", "<p>", "A.js", "1", "a.js", "2"),
		"site.zip": zipOf(t, "index.html", string(page), "game.js", "1"), "site.tar": tarOf(t, "index.html", string(page)), "link.tar": tarOf(t, "index.html", string(page), "out.js", "->/etc/passwd"),
		"nested.zip": zipOf(t, "site.zip", string(zipOf(t, "index.html", "<p>"))), "index.html.gz": gzipOf(t, page), "site.rar": []byte("Rar!\x1a\x07\x01\x00rest"), "site.7z": []byte("7z\xbc\xaf\x27\x1crest"),
	}
	files["site.tar.gz"] = gzipOf(t, files["site.tar"])
	files["cut.zip"] = files["site.zip"][:len(files["site.zip"])-30]
	files["locked.zip"] = bytes.ReplaceAll(bytes.ReplaceAll(files["site.zip"], []byte("PK\x03\x04\x14\x00\x08"), []byte("PK\x03\x04\x14\x00\x09")), []byte("PK\x01\x02\x14\x00\x14\x00\x08"), []byte("PK\x01\x02\x14\x00\x14\x00\x09"))
	return files
}

// zipOf packs files, each a name and a text.
func zipOf(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		expect.OK(t, err)
		_, err = io.WriteString(f, files[i+1])
		expect.OK(t, err)
	}
	expect.OK(t, w.Close())
	return out.Bytes()
}

// tarOf packs files; a text that begins with an arrow is a link.
func tarOf(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		head := &tar.Header{Name: files[i], Mode: 0o600, Size: int64(len(files[i+1]))}
		to, link := strings.CutPrefix(files[i+1], "->")
		if link {
			head.Typeflag, head.Linkname, head.Size = tar.TypeSymlink, to, 0
		}
		expect.OK(t, w.WriteHeader(head))
		if !link {
			_, err := io.WriteString(w, files[i+1])
			expect.OK(t, err)
		}
	}
	expect.OK(t, w.Close())
	return out.Bytes()
}

func gzipOf(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(text)
	expect.OK(t, err)
	expect.OK(t, w.Close())
	return out.Bytes()
}
