package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
)

const (
	accountKeyText = "sla_o3BgYA80f3ff6XFdSJqHI4AOjmIeaS1nKege"
	projectKeyText = "slp_o3BgYA80f3ff6XFdSJqHI4AOjmIeaS1nKege"
)

// A desk is an Env in a folder of its own, whose waits take no time and whose browser writes down what it was given.
type desk struct {
	*Env
	out, err strings.Builder
	opened   []string
	waited   []time.Duration
}

func newDesk(t *testing.T, vars map[string]string) *desk {
	t.Helper()
	t.Chdir(t.TempDir())
	settings := t.TempDir()
	d := &desk{}
	d.Env = &Env{
		Args: []string{"status"}, In: strings.NewReader(""), Out: &d.out, Err: &d.err, HTTP: http.DefaultTransport,
		Lookup: func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		Config: func() (string, error) { return settings, nil },
		Random: func() string { return "random" },
		Wait: func(ctx context.Context, after time.Duration) error {
			d.waited = append(d.waited, after)
			return ctx.Err()
		},
		Browse: func(_ context.Context, address string) error { d.opened = append(d.opened, address); return nil },
	}
	return d
}

// answers is a server that says the same whatever it is asked.
func answers(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func TestEveryCodeOfTheAPIHasTheExitCodeThatTheDocumentTells(t *testing.T) {
	api, err := os.ReadFile("../../../docs/api.md")
	expect.OK(t, err)
	told := map[string]string{} // by status
	text, err := os.ReadFile("../../../docs/cli.md")
	expect.OK(t, err)
	for _, row := range regexp.MustCompile(`(?m)^\| (\d) \|[^|]*\| ([^|]*) \|$`).FindAllStringSubmatch(string(text), -1) {
		for _, status := range regexp.MustCompile(`\d{3}`).FindAllString(row[2], -1) {
			told[status] = row[1]
		}
	}
	rows := regexp.MustCompile("(?m)^\\| (\\d{3}) \\| `([a-z0-9_]+)` \\|").FindAllStringSubmatch(string(api), -1)
	if len(rows) < 40 {
		t.Fatalf("docs/api.md has only %d codes", len(rows))
	}
	for _, row := range rows {
		status, _ := strconv.Atoi(row[1])
		code, known := ExitCode(fmt.Errorf("x: %w", &client.Error{Code: client.Code(row[2]), Status: status}))
		if !known || strconv.Itoa(code) != told[row[1]] {
			t.Errorf("%s (%s) ends with %d, and docs/cli.md tells %q", row[2], row[1], code, told[row[1]])
		}
	}
}

func TestWhatIsNoAnswerOfTheAPIIsOneClearSentence(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		exit    int
		says    string
	}{
		"a page":                   {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<h1>Hello") }, 8, "is no Sandlot server"},
		"a page that is not there": {func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, 8, "is no Sandlot server"},
		"a broken connection":      {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 8, "gave no whole answer"},
		"a proxy without a server": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<h1>Bad", http.StatusBadGateway) }, 8, "is no Sandlot server"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/x", http.StatusPermanentRedirect)
		}, 8, "leads on to https://elsewhere.example/x; no key"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, map[string]string{keyVariable: accountKeyText})
			cmd := statusCommand{target: target{host{Server: answers(t, c.handler)}, "a-b"}}
			err := cmd.Run(t.Context(), d.Env)
			if code, _ := ExitCode(err); err == nil || code != c.exit || !strings.Contains(err.Error(), c.says) {
				t.Errorf("exit code %d with %v", code, err)
			}
			if len(d.waited) >= tries || strings.Contains(fmt.Sprint(err), accountKeyText) || d.out.Len() > 0 {
				t.Errorf("it waited %v, said %q, failed with %v", d.waited, d.out.String(), err)
			}
		})
	}
}

func TestNoKeyFollowsARedirect(t *testing.T) {
	asked := 0
	other := answers(t, func(http.ResponseWriter, *http.Request) { asked++ })
	first := answers(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other+r.URL.Path, http.StatusTemporaryRedirect)
	})
	d := newDesk(t, map[string]string{keyVariable: accountKeyText})
	expect.OK(t, os.WriteFile("a.html", []byte("<h1>A"), 0o600))
	exportFile(t, "e.zip", 100)
	for name, run := range map[string]func() error{
		"a read": func() error {
			return (&whoamiCommand{target: target{host: host{Server: first}}, Limit: 1}).Run(t.Context(), d.Env)
		},
		"a write": func() error {
			return (&publishCommand{Path: "a.html", target: target{host: host{Server: first}}}).Run(t.Context(), d.Env)
		},
		"a download": func() error { return (&exportCommand{host: host{Server: first}}).Run(t.Context(), d.Env) },
		"an import": func() error {
			return (&importCommand{File: "e.zip", host: host{Server: first}}).Run(t.Context(), d.Env)
		},
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), "leads on to "+other) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if asked > 0 {
		t.Errorf("the other server was asked %d times", asked)
	}
}

func TestWhatAServerSendsCannotActInATerminal(t *testing.T) {
	const evil = "\x1b]0;owned\x07\x1b[2Jred\x1b[31m\u202egnp\u009b31m\r\n\x00"
	server := answers(t, func(w http.ResponseWriter, r *http.Request) {
		quoted := strings.ReplaceAll(strconv.QuoteToASCII(evil), `\x`, `\u00`)
		quoted = strings.ReplaceAll(quoted, `\a`, `\u0007`)
		if strings.HasSuffix(r.URL.Path, "/whoami") {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"error":"wrong_project","message":%s,"hint":%s}`, quoted, quoted)
			return
		}
		fmt.Fprintf(w, `{"project_id":"a-b","title":%s,"url":%s,"page_url":"/","version":1,"status":%s}`, quoted, quoted, quoted)
	})
	d := newDesk(t, nil)
	at := target{host{Server: server}, "a-b"}
	expect.OK(t, (&statusCommand{target: at}).Run(t.Context(), d.Env))
	refused := (&whoamiCommand{target: at, Limit: 1}).Run(t.Context(), d.Env)
	opened := (&openPageCommand{at}).Run(t.Context(), d.Env)
	for _, text := range []string{d.out.String(), d.err.String(), refused.Error(), opened.Error()} {
		if strings.ContainsAny(text, "\x1b\x07\r\x00\u202e\u009b") || strings.Contains(text, "owned") {
			t.Errorf("%q", text)
		}
	}
	if !strings.Contains(d.out.String(), "redgnp31m") || len(d.opened) > 0 {
		t.Errorf("%q, and %q was opened", d.out.String(), d.opened)
	}
}

func TestACallIsMadeAgainWhileThatCanHelp(t *testing.T) {
	for name, c := range map[string]struct {
		status, after, fails int
		code                 string
		calls, exit          int
	}{
		"unavailable, then there": {503, 0, 2, "unavailable", 3, 0},
		"always unavailable":      {503, 1, 99, "unavailable", tries, 8},
		"a short limit":           {429, 3, 1, "rate_limited", 2, 0},
		"a long limit":            {429, 3600, 1, "rate_limited", 1, 7},
		"still being done":        {409, 0, 1, "request_in_progress", 2, 0},
		"another conflict":        {409, 0, 1, "upload_exists", 1, 5},
		"a mistake":               {400, 0, 1, "invalid_field", 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			server := answers(t, func(w http.ResponseWriter, _ *http.Request) {
				if calls++; calls <= c.fails {
					w.Header().Set("Retry-After", strconv.Itoa(c.after))
					w.WriteHeader(c.status)
					fmt.Fprintf(w, `{"error":%q,"message":"No."}`, c.code)
					return
				}
				fmt.Fprint(w, `{"plays":1}`)
			})
			d := newDesk(t, nil)
			err := (&statsCommand{target: target{host{Server: server}, "a-b"}}).Run(t.Context(), d.Env)
			code := 0
			if err != nil {
				code, _ = ExitCode(err)
			}
			if calls != c.calls || code != c.exit {
				t.Errorf("%d calls, exit code %d: %v", calls, code, err)
			}
			for _, w := range d.waited {
				if w < time.Duration(c.after)*time.Second || w > mostWait {
					t.Errorf("it waited %s", w)
				}
			}
		})
	}
}

func TestAnExportThatLeadsOutOfItsFolderIsNotKept(t *testing.T) {
	for name, c := range map[string]struct {
		names []string
		kept  bool
	}{
		"a good one":     {[]string{"manifest.json", "a-b/index.html"}, true},
		"a parent":       {[]string{"manifest.json", "../evil"}, false},
		"an inner one":   {[]string{"manifest.json", "a/../../evil"}, false},
		"absolute":       {[]string{"manifest.json", "/etc/evil"}, false},
		"a backslash":    {[]string{"manifest.json", `..\evil`}, false},
		"no manifest":    {[]string{"index.html"}, false},
		"nothing at all": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			var archive bytes.Buffer
			z := zip.NewWriter(&archive)
			for _, n := range c.names {
				_, err := z.Create(n)
				expect.OK(t, err)
			}
			expect.OK(t, z.Close())
			d := newDesk(t, map[string]string{keyVariable: accountKeyText})
			server := answers(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive.Bytes()) })
			err := (&exportCommand{host: host{Server: server}, Output: "x.zip"}).Run(t.Context(), d.Env)
			found, _ := filepath.Glob("*")
			hidden, _ := filepath.Glob(".*")
			if got := append(found, hidden...); (err == nil) != c.kept || (len(got) == 1) != c.kept {
				t.Errorf("%v, and there are %q", err, got)
			}
		})
	}
}

func TestAnExportThatBreaksOffIsNotKept(t *testing.T) {
	server := answers(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		_, _ = io.WriteString(w, "PK")
	})
	d := newDesk(t, map[string]string{keyVariable: accountKeyText})
	err := (&exportCommand{host: host{Server: server}}).Run(t.Context(), d.Env)
	if code, _ := ExitCode(err); code != exitServer {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(".sandlot*"); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

func TestAddressesOfServers(t *testing.T) {
	for text, want := range map[string]string{
		"play.example.com": "https://play.example.com", "HTTPS://Play.Example.com:443/": "https://play.example.com", "localhost:8080": "http://localhost:8080",
		"http://localhost:8080/v1": "http://localhost:8080", "http://[::1]:80": "http://[::1]", " https://a.example/v1/ ": "https://a.example",
		"": "", "http://": "", "file:///etc/passwd": "", "https://me:pw@a.example": "", "https://a.example/x": "", "https://a.example?x": "", "javascript:alert(1)": "", "http://a b": "",
	} {
		u, err := parseServer(text)
		if (err != nil) != (want == "") || err == nil && u.String() != want {
			t.Errorf("%q is %v, %v; want %q", text, u, err, want)
		}
	}
}

func TestTheKeyThatMayDoTheLeastIsUsed(t *testing.T) {
	old, newer := keptKey{Key: accountKeyText, Handle: "ada"}, keptKey{Key: accountKeyText[:39] + "x", Handle: "ada"}
	bob := keptKey{Key: accountKeyText[:39] + "y", Handle: "bob"}
	mine, other := keptKey{Key: projectKeyText, Handle: "ada", Project: "mine"}, keptKey{Key: projectKeyText, Handle: "ada", Project: "other"}
	for name, c := range map[string]struct {
		keys []keptKey
		want keptKey
	}{
		"none":                                   {nil, keptKey{}},
		"the account's, where there is no other": {[]keptKey{old, other}, old},
		"the project's":                          {[]keptKey{old, other, mine}, mine},
		"the last account's":                     {[]keptKey{old, bob}, bob},
		"the account's that was logged in since": {[]keptKey{old, mine, newer}, newer},
		"not another account's":                  {[]keptKey{old, mine, bob}, mine},
	} {
		if got := projectKey(c.keys, "mine"); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestKeysSurviveALineThatIsDamaged(t *testing.T) {
	ring := keyring{path: filepath.Join(t.TempDir(), "new", "keys")}
	a, b := keptKey{Server: "http://a", Key: accountKeyText}, keptKey{Server: "http://a", Key: projectKeyText, Project: "p"}
	expect.OK(t, ring.add(a))
	f, err := os.OpenFile(ring.path, os.O_APPEND|os.O_WRONLY, 0)
	expect.OK(t, err)
	_, err = f.WriteString(`{"server":"http://a","key":"sla_o3B`) // as a crash leaves it
	expect.OK(t, errors.Join(err, f.Close(), ring.add(b)))
	keys, err := ring.read("http://a")
	if err != nil || len(keys) != 2 || keys[0] != a || keys[1] != b {
		t.Errorf("%+v, %v", keys, err)
	}
	if other, err := ring.read("http://b"); err != nil || len(other) > 0 {
		t.Errorf("%+v, %v", other, err)
	}
}

func TestACommandIsOneForAShell(t *testing.T) {
	for word, want := range map[string]string{"a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$(id)": "'$(id)'", "plain.html": "plain.html", "<x>": "'<x>'", "a\x1b[2Jb\n": "ab"} {
		if got := command(word); got != want {
			t.Errorf("%q: %s", word, got)
		}
	}
	env := &Env{Args: []string{"publish", "a", "--server", "x", "--force", "--email=b"}}
	if got := env.again("--server", "y"); got != "sandlot publish a --force --email=b --server y" {
		t.Error(got)
	}
	if got := env.again("--force"); got != "sandlot publish a --server x --email=b --force" {
		t.Error(got)
	}
	if got := env.again("--email", "c"); got != "sandlot publish a --server x --force --email c" {
		t.Error(got)
	}
}

func TestNamesOfFilesCannotActInATerminal(t *testing.T) {
	d := newDesk(t, nil)
	d.say("left out: %s", "a\x1b[31m\u202eb\r")
	d.say("  new      b")
	expect.Equal(t, "what is said", d.err.String(), "left out: ab\n  new      b\n")
	expect.Equal(t, "an error", (&Failure{Message: "a\x1b]0;x\x07b\nc", Notes: []string{"d\x1b[2J"}}).Error(), "ab c\n  d")
}

func TestRegressionM09StatusPrintsTheFindingsOfThePlayTester(t *testing.T) {
	server := answers(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"project_id":"a-b","version":1,"warnings":[{"code":"page_blank","message":"It was blank.","hint":"Look."}]}`)
	})
	d := newDesk(t, nil)
	expect.OK(t, (&statusCommand{target: target{host{Server: server}, "a-b"}}).Run(t.Context(), d.Env))
	expect.Equal(t, "the finding", d.err.String(), "warning: It was blank.\n         Look.\n")
}

// TestARefusedKeyLeadsTheWayBack, as the server says it: by e-mail, or by its operator.
func TestARefusedKeyLeadsTheWayBack(t *testing.T) {
	const lost = "Keys lost? Do not publish again. This service sends no e-mail: its operator makes a key with `sandlot admin new-key HANDLE`."
	server := answers(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":"invalid_key","message":"The key is unknown here or was revoked.","hint":%q,"status":401}`, lost+"\nSend the key in the header:\ncurl x")
	})
	d := newDesk(t, map[string]string{keyVariable: accountKeyText})
	err := (&statusCommand{target: target{host{Server: server}, "a-b"}}).Run(t.Context(), d.Env)
	expect.Contains(t, "the error", fmt.Sprint(err), "\n  "+lost+"\n  The key was that of SANDLOT_KEY.")
}
