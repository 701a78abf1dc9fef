package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestACodeIsGoodOnceForItsOwnRequestAlone.
func TestACodeIsGoodOnceForItsOwnRequestAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada := s.join(t, "ada")
	mine, other := s.register(t, loopback, "https://agent.example/callback"), s.register(t, loopback)
	code := ada.code(t, mine, "")
	for _, c := range []struct {
		about, code string
		changes     []string
	}{
		{"another program", "invalid_grant", []string{"client_id", other.id}},
		{"no program", "invalid_request", []string{"client_id", ""}},
		{"a program that there is not", "invalid_grant", []string{"client_id", "nobody"}},
		{"another redirect of the program", "invalid_grant", []string{"redirect_uri", "https://agent.example/callback"}},
		{"another port of the redirect", "invalid_grant", []string{"redirect_uri", "http://127.0.0.1:7778/callback"}},
		{"another verifier", "invalid_grant", []string{"code_verifier", strings.Repeat("a", 43)}},
		{"the challenge as verifier", "invalid_grant", []string{"code_verifier", challenge(mine.verifier)}},
		{"no verifier", "invalid_request", []string{"code_verifier", ""}},
		{"a short verifier", "invalid_grant", []string{"code_verifier", "a"}},
		{"another resource", "invalid_target", []string{"resource", s.base + "/mcp"}},
		{"a foreign resource", "invalid_target", []string{"resource", "https://evil.example/mcp/account"}},
		{"another grant", "unsupported_grant_type", []string{"grant_type", "password"}},
		{"the code as a refresh token", "invalid_grant", []string{"grant_type", "refresh_token", "refresh_token", code}},
		{"a code that is cut", "invalid_grant", []string{"code", code[:len(code)-1]}},
		{"a code that is changed", "invalid_grant", []string{"code", flipped(code)}},
		{"the code in other letters", "invalid_grant", []string{"code", strings.ToLower(code)}},
		{"the code with a blank", "invalid_grant", []string{"code", code + " "}},
	} {
		mine.exchange(t, code, c.changes...).refusedAs(t, c.about, c.code)
	}
	first := mine.exchange(t, code).tokens(t)
	expect.Equal(t, "the scope", first.Scope, "account")
	expect.Equal(t, "that the tokens work", s.opens(t, first.Access), true)
	next := mine.refresh(t, first.Refresh).tokens(t)

	mine.exchange(t, code).refusedAs(t, "the code a second time", "invalid_grant")
	for _, dead := range []string{first.Access, next.Access} {
		expect.Equal(t, "that a token of a code that came twice works", s.opens(t, dead), false)
	}
	mine.refresh(t, next.Refresh).refusedAs(t, "a refresh token of a code that came twice", "invalid_grant")
	mine.exchange(t, code).refusedAs(t, "the code a third time", "invalid_grant")
}

// flipped returns a text with another character in its middle.
func flipped(text string) string {
	i, with := len(text)/2, "a"
	if text[i] == 'a' {
		with = "b"
	}
	return text[:i] + with + text[i+1:]
}

// TestACodeThatManySendAtOnceGivesNobodyTokens that last.
func TestACodeThatManySendAtOnceGivesNobodyTokens(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	code := ada.code(t, mine, "")
	var all sync.WaitGroup
	got := make([]answer, 8)
	for i := range got {
		all.Go(func() {
			var err error
			if got[i], err = s.try(t, "POST", tokenPath, mine.exchangeForm(code)); err != nil {
				t.Errorf("exchange: %v", err)
			}
		})
	}
	all.Wait()
	good := 0
	for _, one := range got {
		if one.status == http.StatusOK {
			good++
			expect.Equal(t, "that a token of a code that came twice works", s.opens(t, one.tokens(t).Access), false)
		} else {
			one.refusedAs(t, "a code at once with others", "invalid_grant")
		}
	}
	if good > 1 {
		t.Errorf("%d exchanges of one code", good)
	}
}

// TestAWrongRequestGoesBackToItsProgram, with issuer and state, in the browser of a person who is logged in.
func TestAWrongRequestGoesBackToItsProgram(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	for _, c := range []struct {
		about, code string
		changes     []string
	}{
		{"no challenge", "invalid_request", []string{"code_challenge", "", "code_challenge_method", ""}},
		{"no challenge but its method", "invalid_request", []string{"code_challenge", ""}},
		{"a plain challenge", "invalid_request", []string{"code_challenge_method", "plain"}},
		{"a challenge without a method, which is plain", "invalid_request", []string{"code_challenge_method", ""}},
		{"a method in other letters", "invalid_request", []string{"code_challenge_method", "s256"}},
		{"a challenge that is no hash", "invalid_request", []string{"code_challenge", "a"}},
		{"a challenge with padding", "invalid_request", []string{"code_challenge", challenge("a") + "="}},
		{"another resource", "invalid_target", []string{"resource", s.base + "/mcp"}},
		{"a resource in other letters", "invalid_target", []string{"resource", strings.ToUpper(s.base) + "/mcp/account"}},
		{"a foreign resource", "invalid_target", []string{"resource", "https://evil.example/"}},
		{"no type of answer", "invalid_request", []string{"response_type", ""}},
		{"a token as the answer", "unsupported_response_type", []string{"response_type", "token"}},
		{"a code and a token as the answer", "unsupported_response_type", []string{"response_type", "code token"}},
	} {
		address := mine.address(c.changes...)
		got := ada.does(t, "GET", address, nil)
		if got.status != http.StatusSeeOther || !strings.HasPrefix(got.header.Get("Location"), loopback+"?") {
			t.Errorf("%s: %d %s", c.about, got.status, got.header.Get("Location"))
			continue
		}
		to := got.redirect(t).Query()
		expect.Equal(t, "the error of "+c.about, to.Get("error"), c.code)
		expect.Equal(t, "the issuer with "+c.about, to.Get("iss"), s.base+"/oauth")
		expect.Equal(t, "the state with "+c.about, to.Get("state"), "a state")
		expect.Equal(t, "the code with "+c.about, to.Get("code"), "")
		// Whoever registers could else lead everybody away from here by a link to here (RFC 9700, section 4.11.2).
		stranger := s.stranger().does(t, "GET", address, nil)
		if to := stranger.header.Get("Location"); to != "" && !strings.HasPrefix(to, "/login") {
			t.Errorf("%s leads a stranger to %s", c.about, to)
		}
	}
	hers := s.publish(t, ada.key, "Hers")
	for about, changes := range map[string][]string{
		"no more than is needed":   {"resource", "", "state", ""},
		"parameters that are more": {"nonce", "a", "prompt", "none", "scope", "openid email account"},
		"one project":              {"scope", "project"},
	} {
		got := mine.exchange(t, ada.code(t, mine, hers, changes...), "resource", s.base+"/mcp/account", "scope", "account").tokens(t)
		expect.Equal(t, "the scope after "+about, got.Scope, "project")
		expect.Equal(t, "the project after "+about, got.Project, hers)
	}
	for _, name := range []string{"client_id", "redirect_uri", "state", "code_challenge", "resource", "scope", "response_type"} {
		twice := mine.request("scope", "account")
		twice.Add(name, twice.Get(name))
		got := ada.does(t, "GET", authorizePath+"?"+twice.Encode(), nil)
		to, err := url.Parse(got.header.Get("Location"))
		expect.OK(t, err)
		if got.status != http.StatusBadRequest && to.Query().Get("error") != "invalid_request" {
			t.Errorf("%s twice: %d %s", name, got.status, to)
		}
	}
}

// TestTheOwnerSaysNo, and the program hears that.
func TestTheOwnerSaysNo(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	to := ada.decide(t, ada.ask(t, mine.request()), "deny", "").redirect(t)
	expect.Equal(t, "where the browser goes", strings.HasPrefix(to.String(), loopback+"?"), true)
	expect.Equal(t, "the error", to.Query().Get("error"), "access_denied")
	expect.Equal(t, "the issuer", to.Query().Get("iss"), s.base+"/oauth")
	expect.Equal(t, "the state", to.Query().Get("state"), "a state")
	expect.Equal(t, "the code", to.Query().Get("code"), "")
}
