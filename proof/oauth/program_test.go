package oauth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

const (
	authorizePath = "/oauth/authorize"
	tokenPath     = "/oauth/token"
	devicePath    = "/oauth/device"
	registerPath  = "/oauth/register"
	revokePath    = "/oauth/revoke"
)

// loopback is the redirect of a program on the machine of the browser. No test opens it.
const loopback = "http://127.0.0.1:7777/callback"

// A program is a client of OAuth without a library, which can be made to do everything wrong.
type program struct {
	s                      *site
	id, redirect, verifier string
}

// register registers a program with these redirects, of which it uses the first.
func (s *site) register(t *testing.T, redirects ...string) program {
	t.Helper()
	got := s.registration(t, object{"client_name": "Sky Agent", "redirect_uris": redirects})
	if got.status != http.StatusCreated {
		t.Fatalf("register %v: %d %s", redirects, got.status, got.text)
	}
	return program{s, text(got.json(t), "client_id"), redirects[0], rand.Text() + rand.Text()}
}

// registration sends metadata to the endpoint of registrations.
func (s *site) registration(t *testing.T, metadata any) answer {
	t.Helper()
	body, err := json.Marshal(metadata)
	expect.OK(t, err)
	return s.send(t, "POST", registerPath, string(body), "Content-Type", "application/json")
}

// challenge returns the challenge of a verifier (RFC 7636, section 4.2).
func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// request returns a good request for the browser, with changes: pairs of names and values. An empty value removes the parameter.
func (p program) request(changes ...string) url.Values {
	f := form("response_type", "code", "client_id", p.id, "redirect_uri", p.redirect, "state", "a state",
		"code_challenge", challenge(p.verifier), "code_challenge_method", "S256", "resource", p.s.base+"/mcp/account")
	for i := 0; i+1 < len(changes); i += 2 {
		if f.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			f.Del(changes[i])
		}
	}
	return f
}

// address returns the path of a good request for the browser, with changes.
func (p program) address(changes ...string) string {
	return authorizePath + "?" + p.request(changes...).Encode()
}

// bearing returns the header of a call in JSON with a key or a token.
func bearing(key string) []string {
	return []string{"Content-Type", "application/json", "Authorization", "Bearer " + key}
}

// exchange sends a good request of a code, with changes as those of request.
func (p program) exchange(t *testing.T, code string, changes ...string) answer {
	t.Helper()
	return p.s.send(t, "POST", tokenPath, p.exchangeForm(code, changes...))
}

func (p program) exchangeForm(code string, changes ...string) string {
	f := form("grant_type", "authorization_code", "code", code, "client_id", p.id, "redirect_uri", p.redirect, "code_verifier", p.verifier)
	for i := 0; i+1 < len(changes); i += 2 {
		if f.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			f.Del(changes[i])
		}
	}
	return f.Encode()
}

// Tokens are the answer of the token endpoint.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Type    string `json:"token_type"`
	Life    int    `json:"expires_in"`
	Scope   string `json:"scope"`
	Project string `json:"project_id"`
}

// tokens reads tokens, which must be whole.
func (a answer) tokens(t *testing.T) (got tokens) {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("no tokens but %d %s", a.status, a.text)
	}
	a.json(t)
	expect.OK(t, json.Unmarshal([]byte(a.text), &got))
	if !strings.HasPrefix(got.Access, "slo_") || !strings.HasPrefix(got.Refresh, "slr_") || got.Type != "Bearer" || got.Life != 3600 {
		t.Fatalf("the tokens are %+v", got)
	}
	expect.Equal(t, "Cache-Control", a.header.Get("Cache-Control"), "no-store")
	return got
}

// refresh exchanges a refresh token.
func (p program) refresh(t *testing.T, token string, more ...string) answer {
	t.Helper()
	return p.s.post(t, tokenPath, append([]string{"grant_type", "refresh_token", "refresh_token", token, "client_id", p.id}, more...)...)
}

// A page of consent is one that a browser shows.
type question struct {
	answer
	address string
}

// ask opens the page of consent, which a person who is logged in must see.
func (p *person) ask(t *testing.T, request url.Values) question {
	t.Helper()
	address := authorizePath + "?" + request.Encode()
	page := p.does(t, "GET", address, nil)
	if page.status != http.StatusOK {
		t.Fatalf("the page of consent: %d %s %s", page.status, page.header.Get("Location"), page.text)
	}
	return question{page, address}
}

// decide presses a button of the page of consent. An empty project is the account.
func (p *person) decide(t *testing.T, page question, answered, project string, header ...string) answer {
	t.Helper()
	action, f := page.question(t)
	if f.Set("answer", answered); action == "" {
		action = page.address
	}
	if f.Set("reach", "account"); project != "" {
		f.Set("reach", "project")
		f.Set("project", project)
	}
	return p.does(t, "POST", action, f, header...)
}

// allow consents, and returns the address to which the browser is sent.
func (p *person) allow(t *testing.T, request url.Values, project string) *url.URL {
	t.Helper()
	return p.decide(t, p.ask(t, request), "allow", project).redirect(t)
}

// redirect reads the address to which an answer sends the browser, which must be by 303.
func (a answer) redirect(t *testing.T) *url.URL {
	t.Helper()
	if a.status != http.StatusSeeOther {
		t.Fatalf("no 303 but %d %s", a.status, a.text)
	}
	to, err := url.Parse(a.header.Get("Location"))
	expect.OK(t, err)
	return to
}

// code consents, and returns the code of the redirect.
func (p *person) code(t *testing.T, of program, project string, changes ...string) string {
	t.Helper()
	to := p.allow(t, of.request(changes...), project)
	code := to.Query().Get("code")
	if code == "" {
		t.Fatalf("no code in %s", to)
	}
	return code
}

// grant is the whole way to tokens.
func (p *person) grant(t *testing.T, of program, project string) tokens {
	t.Helper()
	return of.exchange(t, p.code(t, of, project)).tokens(t)
}

// opens reports whether an access token opens the account.
func (s *site) opens(t *testing.T, access string) bool {
	t.Helper()
	got := s.send(t, "GET", "/v1/whoami", "", "Authorization", "Bearer "+access)
	switch {
	case got.status == http.StatusOK:
		return true
	case got.status == http.StatusUnauthorized && strings.Contains(got.header.Get("WWW-Authenticate"), `error="invalid_token"`):
		return false
	}
	t.Fatalf("an access token: %d %s %s", got.status, got.header, got.text)
	return false
}

// publish publishes a page with a key or an access token, and returns the id of its project.
func (s *site) publish(t *testing.T, key, title string) string {
	t.Helper()
	got := s.send(t, "POST", "/v1/publish", `{"title":"`+title+`","html":"<!doctype html><p>Hop"}`, bearing(key)...)
	if got.status != http.StatusCreated {
		t.Fatalf("publish: %d %s", got.status, got.text)
	}
	return text(got.json(t), "project_id")
}
