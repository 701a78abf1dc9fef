package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

// An issuer is an authorization server with one account, in front of an API that only knows whoami.
type issuer struct {
	mu      sync.Mutex
	said    []string // the answers to the next questions of a device: a code, "busy", or "" for tokens
	n       int      // tokens that were made
	access  string   // that works
	refresh string   // likewise
	over    bool     // whether the grant has ended
	life    int      // of access tokens, in seconds
	calls   []string
	then    func() // runs before a refresh is answered
}

func token(prefix string, n int) string { return fmt.Sprintf("%s%036d", prefix, n) }

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	answer := func(status int, v map[string]any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	call := r.URL.Path + " " + r.FormValue("grant_type") + r.FormValue("project")
	if strings.HasPrefix(r.URL.Path, "/oauth/") && r.PostFormValue("client_id") != "terminal" {
		call += " of nobody"
	}
	i.calls = append(i.calls, strings.TrimSpace(strings.TrimPrefix(call, "/oauth/")))
	switch {
	case r.URL.Path == "/oauth/device":
		answer(200, map[string]any{"device_code": token("sld_", 1), "user_code": "BCDF-GHJK", "verification_uri": "http://page/connect", "expires_in": 600, "interval": 5})
	case r.URL.Path == "/oauth/token" && r.FormValue("device_code") != "":
		next := ""
		if len(i.said) > 0 {
			next, i.said = i.said[0], i.said[1:]
		}
		switch next {
		case "":
			i.grant(answer)
		case "busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			answer(400, map[string]any{"error": next, "error_description": "Not yet, or no more."})
		}
	case r.URL.Path == "/oauth/token" && r.FormValue("grant_type") == "refresh_token":
		if i.over || r.FormValue("refresh_token") != i.refresh {
			answer(400, map[string]any{"error": "invalid_grant", "error_description": "The grant has ended."})
			return
		}
		if i.then != nil {
			i.then()
		}
		i.grant(answer)
	case r.URL.Path == "/oauth/revoke":
		i.over = true
		i.calls[len(i.calls)-1] += " " + r.FormValue("token")
	case i.over || r.Header.Get("Authorization") != "Bearer "+i.access:
		answer(401, map[string]any{"error": "invalid_key", "message": "The token has ended.", "hint": "Log in.", "status": 401})
	default:
		answer(200, map[string]any{"handle": "ada", "email": "ada@mail.internal", "email_verified": true, "key": map[string]any{"kind": "account"}})
	}
}

func (i *issuer) grant(answer func(int, map[string]any)) {
	i.n++
	i.over, i.access, i.refresh = false, token("slo_", i.n), token("slr_", i.n)
	answer(200, map[string]any{"access_token": i.access, "refresh_token": i.refresh, "token_type": "Bearer", "expires_in": i.life})
}

// took returns the calls so far, and forgets them.
func (i *issuer) took() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	all := strings.Join(i.calls, ", ")
	i.calls = nil
	return all
}

const deviceCall = "token urn:ietf:params:oauth:grant-type:device_code"

// logged is a desk that has logged in through the browser, with tokens that live for so many seconds.
func logged(t *testing.T, life int) (d *desk, i *issuer, at host) {
	t.Helper()
	i = &issuer{life: life}
	d, at = newDesk(t, nil), host{Server: answers(t, i.ServeHTTP)}
	expect.OK(t, (&loginCommand{host: at, Web: true}).Run(t.Context(), d.Env))
	i.took()
	return d, i, at
}

func (d *desk) kept(t *testing.T) string {
	t.Helper()
	ring, err := d.keyring()
	expect.OK(t, err)
	text, err := os.ReadFile(ring.path)
	expect.OK(t, err)
	return string(text)
}

func (d *desk) whoami(ctx context.Context, at host) error {
	return (&whoamiCommand{target: target{host: at}, Limit: 1}).Run(ctx, d.Env)
}

// TestALoginWaitsAsTheServerSays by RFC 8628, section 3.5: its interval, longer after slow_down and without an answer.
func TestALoginWaitsAsTheServerSays(t *testing.T) {
	i := &issuer{life: 3600, said: []string{"authorization_pending", "slow_down", "busy", "authorization_pending", ""}}
	d, at := newDesk(t, nil), host{Server: answers(t, i.ServeHTTP)}
	expect.OK(t, (&loginCommand{host: at, Project: "maze-1"}).Run(t.Context(), d.Env))
	expect.Equal(t, "waits", fmt.Sprint(d.waited), "[5s 5s 10s 15s 15s]")
	expect.Equal(t, "the first call", strings.SplitN(i.took(), ",", 2)[0], "device maze-1")
	expect.Equal(t, "what is said", d.err.String(), "Open this page in any browser, and type the code. It is good for 10 minutes.\n  page: http://page/connect\n  code: BCDF-GHJK\n")
	expect.Contains(t, "the output", d.out.String(), "@ada")
	for _, secret := range []string{"slo_", "slr_", "sld_"} {
		expect.Equal(t, "the output has "+secret, strings.Contains(d.out.String()+d.err.String(), secret), false)
	}
	ring, err := d.keyring()
	expect.OK(t, err)
	info, err := os.Stat(ring.path)
	expect.OK(t, err)
	expect.Equal(t, "mode", info.Mode().Perm(), 0o600)
	expect.Contains(t, "the file", d.kept(t), `"key":"`+i.access+`","handle":"ada","refresh_token":"`+i.refresh+`","expires_at":"`)
	expect.OK(t, d.whoami(t.Context(), at))
	expect.Equal(t, "a later command", i.took(), "/v1/whoami")
}

// TestALoginThatFailsIsOneSentence with the command that helps, and keeps nothing.
func TestALoginThatFailsIsOneSentence(t *testing.T) {
	many := func(n int) (all []string) {
		for range n {
			all = append(all, "authorization_pending")
		}
		return all
	}
	for name, c := range map[string]struct {
		said []string
		exit int
		says string
	}{
		"denied":        {[]string{"authorization_pending", "access_denied"}, exitKey, "the login was refused in the browser\n    sandlot login"},
		"expired":       {[]string{"expired_token"}, exitLimit, "the code was not typed in time\n    sandlot login"},
		"never typed":   {many(1000), exitLimit, "the code was not typed in time\n    sandlot login"},
		"another fault": {[]string{"invalid_client"}, exitUsage, "Not yet, or no more."},
	} {
		t.Run(name, func(t *testing.T) {
			i := &issuer{said: c.said}
			d := newDesk(t, nil)
			d.Args = []string{"login", "--json"}
			err := (&loginCommand{host: host{Server: answers(t, i.ServeHTTP)}, Web: true}).Run(t.Context(), d.Env)
			code, _ := ExitCode(err)
			expect.Equal(t, "exit code", code, c.exit)
			expect.Contains(t, "the error", fmt.Sprint(err), c.says)
			expect.Equal(t, "questions", len(d.waited) <= 120, true)
			expect.Equal(t, "the file", d.kept(t), "")
			var object struct{ Message string }
			expect.OK(t, json.Unmarshal([]byte(d.FailureJSON(err, code)), &object))
			expect.Contains(t, "as JSON", fmt.Sprint(err), object.Message)
		})
	}
}

func TestALoginIsInterruptedWhileItWaits(t *testing.T) {
	i := &issuer{said: []string{"authorization_pending"}}
	d := newDesk(t, nil)
	ctx, interrupt := context.WithCancel(t.Context())
	wait := d.Wait
	d.Wait = func(ctx context.Context, after time.Duration) error {
		if len(d.waited) == 1 {
			interrupt()
		}
		return wait(ctx, after)
	}
	err := (&loginCommand{host: host{Server: answers(t, i.ServeHTTP)}, Web: true}).Run(ctx, d.Env)
	expect.Equal(t, "the error", fmt.Sprint(err), "interrupted")
	expect.Equal(t, "calls", i.took(), "device, "+deviceCall)
}

func TestAServerWithoutLoginsOfProgramsSaysSo(t *testing.T) {
	d := newDesk(t, nil)
	d.Args = []string{"login"}
	err := (&loginCommand{host: host{Server: answers(t, http.NotFound)}, Web: true}).Run(t.Context(), d.Env)
	expect.Contains(t, "the error", fmt.Sprint(err), "has no login through the browser\n  Log in with a key:\n    sandlot login --with-key")
	err = (&loginCommand{host: host{Server: answers(t, http.NotFound)}}).Run(t.Context(), d.Env)
	expect.Contains(t, "without a terminal", fmt.Sprint(err), "\n    sandlot login < key.txt\n    sandlot login --web")
}

// TestTwoCommandsReplaceATokenOnce that has expired, and both go on.
func TestTwoCommandsReplaceATokenOnce(t *testing.T) {
	d, i, at := logged(t, 1) // ends before it could be used
	i.life = 3600
	var both [2]*session
	for n := range both { // both know the old token alone
		var err error
		both[n], err = target{host: at}.here(d.Env)
		expect.OK(t, err)
	}
	var failed [2]error
	var wg sync.WaitGroup
	for n, s := range both {
		wg.Go(func() { _, failed[n] = s.asAccount().whoAmI(t.Context(), 1) })
	}
	wg.Wait()
	expect.OK(t, errors.Join(failed[:]...))
	expect.Equal(t, "replacements", strings.Count(i.took(), "refresh_token"), 1)
	expect.Contains(t, "the file", d.kept(t), i.refresh)
	expect.Equal(t, "logins in the file", strings.Count(d.kept(t), "slr_"), 1)
}

// TestATokenThatTheServerRefusesIsReplacedOnce by a command and by the tools.
func TestATokenThatTheServerRefusesIsReplacedOnce(t *testing.T) {
	d, i, at := logged(t, 3600)
	i.access = "lost"
	expect.OK(t, d.whoami(t.Context(), at))
	expect.Equal(t, "calls", i.took(), "/v1/whoami, token refresh_token, /v1/whoami")
	i.access = "lost"
	relay, err := d.Relay(at.Server)
	expect.OK(t, err)
	expect.Contains(t, "the tools", relayed(t, relay), `"handle":"ada"`)
	expect.Equal(t, "calls of the tools", i.took(), "/v1/whoami, token refresh_token, /v1/whoami")
	i.over = true
	err = d.whoami(t.Context(), at)
	code, _ := ExitCode(err)
	expect.Equal(t, "exit code", code, exitKey)
	expect.Equal(t, "the error", fmt.Sprint(err), "the login at "+at.Server+" has ended\n  Log in again:\n    sandlot login --server "+at.Server)
	d.Args = []string{"whoami", "--json"}
	expect.Contains(t, "as JSON", d.FailureJSON(err, code), `{"error":"invalid_grant","message":"the login at `)
	expect.Equal(t, "calls after its end", i.took(), "/v1/whoami, token refresh_token")
	expect.Contains(t, "the tools after its end", relayed(t, relay), "sandlot login --server "+at.Server)
}

func relayed(t *testing.T, relay *Relay) string {
	t.Helper()
	server := answers(t, relay.ServeHTTP)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server+"/v1/whoami", nil)
	expect.OK(t, err)
	resp, err := http.DefaultClient.Do(req)
	expect.OK(t, err)
	defer resp.Body.Close()
	var text json.RawMessage
	expect.OK(t, json.NewDecoder(resp.Body).Decode(&text))
	return string(text)
}

// TestAnInterruptLosesNoTokens: their only copy is in the answer.
func TestAnInterruptLosesNoTokens(t *testing.T) {
	d, i, at := logged(t, 1)
	i.life = 3600
	ctx, interrupt := context.WithCancel(t.Context())
	i.then = interrupt
	err := d.whoami(ctx, at)
	expect.Equal(t, "the error", fmt.Sprint(err), "interrupted")
	expect.Contains(t, "the file", d.kept(t), i.refresh)
	i.took()
	expect.OK(t, d.whoami(t.Context(), at))
	expect.Equal(t, "the next command", i.took(), "/v1/whoami")
}

// TestALoginAgainEndsTheOneBefore for the same account.
func TestALoginAgainEndsTheOneBefore(t *testing.T) {
	d, i, at := logged(t, 3600)
	first := i.refresh
	expect.OK(t, (&loginCommand{host: at, Web: true}).Run(t.Context(), d.Env))
	expect.Equal(t, "calls", i.took(), "device, "+deviceCall+", /v1/whoami, revoke "+first)
	expect.Equal(t, "logins in the file", strings.Count(d.kept(t), "slr_"), 1)
	expect.Contains(t, "the file", d.kept(t), i.refresh)
}

// TestLinesOfAnotherVersionStay where they are while tokens are replaced, and while they are removed.
func TestLinesOfAnotherVersionStay(t *testing.T) {
	d, i, at := logged(t, 1)
	i.life = 3600
	const later = `{"server":"http://b","passkey":"x"}`
	older := `{"server":"` + at.Server + `","key":"` + projectKeyText + `","handle":"bob","project_id":"p"}`
	ring, err := d.keyring()
	expect.OK(t, err)
	expect.OK(t, os.WriteFile(ring.path, []byte(later+"\n{\"server\":\"http://a\",\"ke\n"+d.kept(t)+"\n"+older+"\n"), 0o600))
	expect.OK(t, d.whoami(t.Context(), at))
	var lines []string
	for line := range strings.Lines(d.kept(t)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	expect.Equal(t, "lines", len(lines), 4)
	expect.Equal(t, "lines of others", lines[0]+lines[1]+lines[3], later+`{"server":"http://a","ke`+older)
	expect.Contains(t, "the login", lines[2], i.refresh)
	expect.OK(t, (&logoutCommand{host: at}).Run(t.Context(), d.Env))
	expect.Contains(t, "said", d.err.String(), "1 key for "+at.Server+": kept in "+ring.path)
	expect.Equal(t, "the file", strings.Join(strings.Fields(d.kept(t)), "\n"), lines[0]+"\n"+lines[1]+"\n"+lines[3])
	left, err := filepath.Glob(ring.path + "*")
	expect.OK(t, err)
	expect.Equal(t, "files", fmt.Sprint(left), "["+ring.path+" "+ring.path+".lock]")
}

func TestLogoutEndsTheLoginAtTheServer(t *testing.T) {
	d, i, at := logged(t, 3600)
	last := i.refresh
	expect.OK(t, (&logoutCommand{host: host{at.Server, true}}).Run(t.Context(), d.Env))
	expect.Equal(t, "calls", i.took(), "revoke "+last)
	expect.Contains(t, "the output", d.out.String(), `{"server":"`+at.Server+`","logins_ended":1,"keys_removed":0}`)
	expect.Equal(t, "the file has a login", strings.Contains(d.kept(t), "sl"), false)
	expect.OK(t, (&logoutCommand{host: at}).Run(t.Context(), d.Env))
	expect.Equal(t, "calls of another logout", i.took(), "")
}

// TestLogoutWithoutAnAnswerKeepsTheLogin unless it is forced.
func TestLogoutWithoutAnAnswerKeepsTheLogin(t *testing.T) {
	d, i, at := logged(t, 3600)
	d.HTTP = roundTripper(func(*http.Request) (*http.Response, error) { return nil, os.ErrClosed })
	err := (&logoutCommand{host: at}).Run(t.Context(), d.Env)
	code, _ := ExitCode(err)
	expect.Equal(t, "exit code", code, exitServer)
	expect.Contains(t, "the file", d.kept(t), i.refresh)
	expect.OK(t, (&logoutCommand{host: at, Force: true}).Run(t.Context(), d.Env))
	expect.Equal(t, "the file after force has a login", strings.Contains(d.kept(t), "slr_"), false)
}

// TestLogoutRemovesAKeyThatStillWorks, but not the only way into an account.
func TestLogoutRemovesAKeyThatStillWorks(t *testing.T) {
	verified := false
	server := answers(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"handle":"ada","email_verified":%v,"key":{"kind":"account"}}`, verified)
	})
	d, at := newDesk(t, nil), host{Server: server}
	d.Args, d.In = []string{"logout"}, strings.NewReader(accountKeyText)
	expect.OK(t, (&loginCommand{host: at}).Run(t.Context(), d.Env))
	err := (&logoutCommand{host: at}).Run(t.Context(), d.Env)
	expect.Contains(t, "the error", fmt.Sprint(err), "@ada has no confirmed e-mail address")
	expect.Contains(t, "the error", fmt.Sprint(err), "\n    sandlot logout --force")
	expect.Contains(t, "the file", d.kept(t), accountKeyText)
	verified = true
	expect.OK(t, (&logoutCommand{host: at}).Run(t.Context(), d.Env))
	expect.Contains(t, "said", d.err.String(), "the keys themselves still work: they are ended at "+server+"/account/keys")
	expect.Equal(t, "the file has the key", strings.Contains(d.kept(t), accountKeyText), false)
}
