package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A household is a server with mail, its person who is logged in to the website and has a project, and a home for the program.
type household struct {
	*correspondent
	bin, home, id string
}

func newHousehold(t *testing.T) *household {
	t.Helper()
	m := &mailServer{}
	m.listen(t)
	h := &household{bin: testenv.Binary(t), home: t.TempDir()}
	s := testenv.Start(t, h.bin, "--smtp-url", "smtp://"+m.addr, "--mail-from", "sandlot@mail.internal")
	h.correspondent = &correspondent{t: t, s: s, m: m, address: "kim@mail.internal", cookies: map[string]string{}}
	status, p := call(t, s, "POST", "/v1/publish", "", map[string]any{"content": []byte("<title>Maze</title>"), "email": h.address})
	expect.Equal(t, "publish", status, http.StatusCreated)
	h.id, _ = p["project_id"].(string)
	h.uses(h.next(ofVerify))
	h.asks(h.address)
	h.uses(h.next(ofLogin))
	return h
}

var formToken = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// types types a code at /connect, and lets the program in, for the project if there is one.
func (h *household) types(code, project, answer string) {
	h.t.Helper()
	page := h.post("/connect", url.Values{"code": {strings.ToLower(code)}}, http.StatusOK)
	form := formToken.FindStringSubmatch(page)
	if form == nil {
		h.t.Fatalf("no question at /connect: %s", page)
	}
	reach := map[bool]string{true: "account", false: "project"}[project == ""]
	h.post("/connect/device", url.Values{"code": {code}, "form_token": {form[1]}, "answer": {answer}, "reach": {reach}, "project": {project}}, http.StatusSeeOther)
}

// programs posts a form to the authorization server, as a program.
func (h *household) programs(call string, form ...string) (answer map[string]any) {
	h.t.Helper()
	values := url.Values{"client_id": {"terminal"}}
	for i := 0; i+1 < len(form); i += 2 {
		values.Set(form[i], form[i+1])
	}
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, "http://localhost/oauth/"+call, strings.NewReader(values.Encode()))
	expect.OK(h.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := h.s.Client().Transport.RoundTrip(req)
	expect.OK(h.t, err)
	defer resp.Body.Close()
	expect.OK(h.t, json.NewDecoder(resp.Body).Decode(&answer))
	return answer
}

// command is the program in a folder of its own, with the home.
func (h *household) command(args ...string) *exec.Cmd {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), h.bin, args...)
	cmd.Dir = h.t.TempDir()
	expect.OK(h.t, os.WriteFile(filepath.Join(cmd.Dir, "a.txt"), []byte(cmd.Dir), 0o600))
	cmd.Env = []string{"HOME=" + h.home, "XDG_CONFIG_HOME=" + h.home, "SANDLOT_SERVER=" + baseOf(h.s)}
	return cmd
}

func (h *household) keys() string {
	text, err := os.ReadFile(filepath.Join(h.home, "sandlot", "keys"))
	expect.OK(h.t, err)
	return string(text)
}

// TestProgramsAtOnceUseALoginWhoseTokenHasExpired: both replace it once, and the login goes on in tools, until logout ends it at the server.
func TestProgramsAtOnceUseALoginWhoseTokenHasExpired(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	device := h.programs("device", "project", h.id)
	h.types(fmt.Sprint(device["user_code"]), h.id, "allow")
	got := h.programs("token", "grant_type", "urn:ietf:params:oauth:grant-type:device_code", "device_code", fmt.Sprint(device["device_code"]))
	line := fmt.Sprintf(`{"server":%q,"key":%q,"handle":"kim","project_id":%q,"refresh_token":%q,"expires_at":"2026-01-01T00:00:00+03:00","of_later":1}`,
		baseOf(h.s), got["access_token"], h.id, got["refresh_token"])
	expect.OK(t, os.Mkdir(filepath.Join(h.home, "sandlot"), 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(h.home, "sandlot", "keys"), []byte(line), 0o600))
	both := [2]error{}
	var wg sync.WaitGroup
	for i := range both {
		cmd := h.command("versions", "--id", h.id)
		wg.Go(func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				both[i] = fmt.Errorf("%w: %s", err, out)
			}
		})
	}
	wg.Wait()
	expect.OK(t, errors.Join(both[:]...))
	_, metrics := asks(t, h.s, "GET", "/metrics", "localhost")
	expect.Contains(t, "the device, its tokens and one replacement", metrics, `sandlot_http_requests_total{area="oauth",method="POST",status="200"} 3`)
	expect.Equal(t, "logins that are kept", strings.Count(h.keys(), "slr_"), 1)
	expect.Equal(t, "the first tokens are kept", strings.Contains(h.keys(), fmt.Sprint(got["refresh_token"])), false)
	k := talks(t, baseOf(h.s), h.home)
	made := k.done("update", map[string]any{"project": h.id, "files": []any{map[string]any{"filename": "a.js", "text": "let a"}}})
	expect.Equal(t, "the version that a tool made", made["version"], any(2.0))
	access := regexp.MustCompile(`slo_\w+`).FindString(h.keys())
	out, err := h.command("logout", "--json").Output()
	expect.OK(t, err)
	expect.Contains(t, "logout", string(out), `"logins_ended":1`)
	expect.Equal(t, "a login is kept", strings.Contains(h.keys(), "sl"), false)
	status, _ := call(t, h.s, "GET", "/v1/whoami", access, nil)
	expect.Equal(t, "the token after logout", status, http.StatusUnauthorized)
}

// TestALoginIsInterrupted by the first signal, keeps nothing, and leaves the code to its end.
func TestALoginIsInterrupted(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	cmd, code := h.begins("--web")
	expect.Equal(t, "the form of the code", len(code), 9)
	expect.OK(t, cmd.Process.Signal(os.Interrupt))
	expect.Equal(t, "it fails", cmd.Wait() != nil, true)
	expect.Equal(t, "exit code", cmd.ProcessState.ExitCode(), 1)
	expect.Contains(t, "what is said", cmd.Stderr.(*progress).String(), "sandlot: interrupted\n")
	expect.Equal(t, "the file", h.keys(), "")
}

// TestSoakALoginThroughTheWebsite, from the prompt to a change of the project: it waits as long as the service asks, at least 5 s.
func TestSoakALoginThroughTheWebsite(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	cmd, code := h.begins("--project", h.id)
	h.types(code, h.id, "allow")
	expect.OK(t, cmd.Wait())
	out, err := h.command("update", "a.txt", "--id", h.id).CombinedOutput()
	expect.OK(t, err, string(out))
	cmd, code = h.begins("--web")
	h.types(code, "", "deny")
	expect.Equal(t, "a login that is refused fails", cmd.Wait() != nil, true)
	expect.Equal(t, "exit code", cmd.ProcessState.ExitCode(), 3)
	expect.Contains(t, "what is said", cmd.Stderr.(*progress).String(), "the login was refused in the browser")
	expect.Equal(t, "logins that are kept", strings.Count(h.keys(), "slr_"), 1)
}

// begins starts a login, and returns it once it has printed its code.
func (h *household) begins(flags ...string) (cmd *exec.Cmd, code string) {
	h.t.Helper()
	said := &progress{}
	cmd = h.command(append([]string{"login"}, flags...)...)
	cmd.Stderr, cmd.Stdout = said, io.Discard
	expect.OK(h.t, cmd.Start())
	testenv.Eventually(h.t, 20*time.Second, "a code is printed", func() bool {
		found := regexp.MustCompile(`page: (\S+)\n  code: ([B-Z-]{9})\n`).FindStringSubmatch(said.String())
		if found != nil {
			expect.Equal(h.t, "page", found[1], baseOf(h.s)+"/connect")
			code = found[2]
		}
		return found != nil
	})
	return cmd, code
}

// A progress is an output that can be read while it is written.
type progress struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *progress) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

func (s *progress) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}
