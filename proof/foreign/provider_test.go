package foreign

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestPeopleOfARealProviderLogIn: oidc-provider, which is certified, lets people in on an instance where nobody gets an account by asking.
// The service starts while the provider is away.
func TestPeopleOfARealProviderLogIn(t *testing.T) {
	testenv.Unraced(t)
	packages := testenv.NodePackages(t)
	t.Parallel()
	dir := t.TempDir()
	script, err := os.ReadFile("provider.mjs")
	expect.OK(t, err)
	expect.OK(t, os.WriteFile(filepath.Join(dir, "provider.mjs"), script, 0o600))
	expect.OK(t, os.Symlink(packages, filepath.Join(dir, "node_modules")))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	t.Cleanup(cancel)
	provider := exec.CommandContext(ctx, "node", "provider.mjs")
	provider.Dir = dir
	in, err := provider.StdinPipe()
	expect.OK(t, err)
	out, err := provider.StdoutPipe()
	expect.OK(t, err)
	expect.OK(t, provider.Start())
	t.Cleanup(func() { cancel(); _ = provider.Wait() })
	lines := bufio.NewScanner(out)
	next := func() string {
		t.Helper()
		if !lines.Scan() {
			t.Fatal("the provider has ended")
		}
		return lines.Text()
	}
	service := testenv.Start(t, testenv.Binary(t), "--publish", "keyed", "--oidc-issuer", next(), "--oidc-client-id", "sandlot",
		"--oidc-client-secret", "a secret of 32 characters and more", "--oidc-name", "Northside School", "--oidc-domains", "school.example")

	base := strings.Replace(service.URL(), "127.0.0.1", "localhost", 1) // as the service names itself
	b := &browser{t: t, cookies: map[string]map[string]string{}}
	status, page := b.get(base + "/openid")
	expect.Equal(t, "while the provider is away", status, http.StatusServiceUnavailable)
	if !strings.Contains(page, "Northside School") {
		t.Errorf("the page does not name the provider: %s", page)
	}
	_, err = io.WriteString(in, base+"/openid/callback\n")
	expect.OK(t, err)
	expect.Equal(t, "the provider", next(), "ready")

	testenv.Eventually(t, time.Minute, "the provider is asked again", func() bool {
		status, page = b.get(base + "/openid?to=/account/settings")
		return status == http.StatusOK && strings.Contains(page, `name="login"`)
	})
	b.submit(page, "login", "ada", "password", "x")
	if !strings.HasPrefix(b.at, base+"/account") || !strings.Contains(b.page, "Your account is open") {
		t.Fatalf("at %s: %s", b.at, b.page)
	}
	handle := regexp.MustCompile(`href="/(@[a-z0-9-]+)"`).FindStringSubmatch(b.page)[1]
	// The same person in another browser gets the same account, and the address is verified.
	other := &browser{t: t, cookies: map[string]map[string]string{}}
	_, page = other.get(base + "/openid?to=/account/settings")
	other.submit(page, "login", "ada", "password", "x")
	if !strings.HasPrefix(other.at, base+"/account/settings") || !strings.Contains(other.page, handle) || !strings.Contains(other.page, "ada@school.example") {
		t.Errorf("at %s: %s", other.at, other.page)
	}
	// An address that the provider does not call verified has no domain.
	stranger := &browser{t: t, cookies: map[string]map[string]string{}}
	_, page = stranger.get(base + "/openid")
	stranger.submit(page, "login", "unverified", "password", "x")
	if !strings.Contains(stranger.page, "confirmed email") {
		t.Errorf("at %s: %s", stranger.at, stranger.page)
	}
}

// A browser keeps cookies by host and follows redirects. It sends cookies that are Secure to loopback, as real ones do.
type browser struct {
	t        *testing.T
	cookies  map[string]map[string]string
	at, page string
}

func (b *browser) get(address string) (int, string) { b.t.Helper(); return b.send("GET", address, nil) }

func (b *browser) send(method, address string, form url.Values) (int, string) {
	b.t.Helper()
	client := http.Client{Timeout: limit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for range 20 {
		r, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(form.Encode()))
		expect.OK(b.t, err)
		if form != nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		for name, value := range b.cookies[r.URL.Host] {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
		resp, err := client.Do(r)
		expect.OK(b.t, err)
		body, err := io.ReadAll(resp.Body)
		expect.OK(b.t, err)
		expect.OK(b.t, resp.Body.Close())
		b.keep(r.URL.Host, resp.Cookies())
		if to, err := resp.Location(); err == nil {
			method, address, form = "GET", to.String(), nil
			continue
		}
		b.at, b.page = address, string(body)
		return resp.StatusCode, b.page
	}
	b.t.Fatalf("redirected without end, to %s", address)
	return 0, ""
}

func (b *browser) keep(host string, list []*http.Cookie) {
	if b.cookies[host] == nil {
		b.cookies[host] = map[string]string{}
	}
	for _, c := range list {
		if b.cookies[host][c.Name] = c.Value; c.MaxAge < 0 || !c.Expires.IsZero() && c.Expires.Before(time.Now()) {
			delete(b.cookies[host], c.Name)
		}
	}
}

var (
	formAction = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	formPrompt = regexp.MustCompile(`name="prompt" value="([^"]+)"`)
)

// submit fills the forms of the provider in, until another site is reached.
func (b *browser) submit(page string, fields ...string) {
	b.t.Helper()
	for range 5 {
		action, prompt := formAction.FindStringSubmatch(page), formPrompt.FindStringSubmatch(page)
		if action == nil || prompt == nil {
			return
		}
		form := url.Values{"prompt": {prompt[1]}}
		for i := 0; i+1 < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		to, err := url.Parse(b.at)
		expect.OK(b.t, err)
		to, err = to.Parse(action[1])
		expect.OK(b.t, err)
		_, page = b.send("POST", to.String(), form)
	}
}
