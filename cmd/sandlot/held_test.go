package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// seenFrom returns the status and the text of an address on a public instance, for a visitor of a network.
func seenFrom(t *testing.T, s *testenv.Server, addr, address string) (int, string) {
	t.Helper()
	at, err := url.Parse(address)
	expect.OK(t, err)
	req, err := http.NewRequest("GET", s.URL()+at.RequestURI(), nil)
	expect.OK(t, err)
	req.Host = at.Host
	req.Header.Set("X-Forwarded-For", addr)
	resp, err := s.Client().Do(req)
	expect.OK(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	return resp.StatusCode, string(body)
}

// TestALoginPageOfAStrangerIsHeldUntilItsAddressIsConfirmed, on the built program behind a proxy.
func TestALoginPageOfAStrangerIsHeldUntilItsAddressIsConfirmed(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><title>Sign in</title><form><input name="user"><input type="password" name="pass"></form>`
	s := testenv.Start(t, testenv.Binary(t), "--base-url=https://play.example.com", "--content-host=example.net", "--trusted-proxies=127.0.0.1",
		"--security-contact=abuse@example.com")
	made := from(t, s, "203.0.113.1", "POST", "/v1/publish", "", map[string]any{"content": []byte(page), "email": "kim@mail.internal"})
	expect.Equal(t, "the status of the publish", made.StatusCode, http.StatusCreated)
	held, _ := made.body["held"].(map[string]any)
	expect.Equal(t, "the rule", held["rule"], any("fields"))
	expect.Contains(t, "the warnings", fmt.Sprint(made.body["warnings"]), "index.html has a field for a password")
	id, key, address := made.body["project_id"].(string), made.body["api_key"].(string), made.body["url"].(string)

	for _, at := range []string{address, "https://play.example.com/p/" + id} {
		status, body := seenFrom(t, s, "203.0.113.9", at)
		expect.Equal(t, "a stranger at "+at, status, http.StatusUnavailableForLegalReasons)
		for _, want := range []string{"https://play.example.com/appeal/" + id, "mailto:abuse@example.com"} {
			expect.Contains(t, at, body, want)
		}
	}
	other := from(t, s, "203.0.113.9", "GET", "/v1/project/"+id, "", nil)
	expect.Equal(t, "a stranger's call", fmt.Sprint(other.StatusCode, other.body["error"], other.body["reason"], other.body["appeal_url"]),
		fmt.Sprint(451, "held", "fields", "https://play.example.com/appeal/"+id))
	expect.Contains(t, "its hint", fmt.Sprint(other.body["hint"]), "-H 'Authorization: Bearer ")
	mine := from(t, s, "203.0.113.1", "GET", "/v1/project/"+id, key, nil)
	expect.Equal(t, "its owner's call", mine.StatusCode, http.StatusOK)
	for network, want := range []int{200, 200, 200, 451} {
		status, _ := seenFrom(t, s, fmt.Sprintf("198.51.100.%d", network+1), held["view_url"].(string))
		expect.Equal(t, fmt.Sprintf("network %d at view_url", network+1), status, want)
	}
	expect.Contains(t, "what is held", admin(t, s, "list", "--held"), id)

	confirm(t, s)
	status, body := seenFrom(t, s, "203.0.113.9", address)
	expect.Equal(t, "a stranger, once it is confirmed", status, http.StatusOK)
	expect.Contains(t, "the page", body, "password")
	mine = from(t, s, "203.0.113.1", "GET", "/v1/project/"+id, key, nil)
	last, _ := mine.body["last_hold"].(map[string]any)
	expect.Equal(t, "the last hold", fmt.Sprint(mine.body["held"], last["rule"]), fmt.Sprint(nil, "fields"))
}

// confirm opens the link of the message that the service wrote, and presses its button.
func confirm(t *testing.T, s *testenv.Server) {
	t.Helper()
	g := &ground{s: s, base: "https://play.example.com"}
	resp := g.press(t, "/verify", url.Values{"token": {g.mailed(t, "/verify?token=")}}, nil)
	if resp.StatusCode >= 400 {
		t.Fatalf("confirm: %d", resp.StatusCode)
	}
}

// TestTheOperatorTrustsAnAccountAndItsEndIsLogged, and a project that is not held is not released.
func TestTheOperatorTrustsAnAccountAndItsEndIsLogged(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	made := from(t, s, "", "POST", "/v1/publish", "", map[string]any{"content": []byte("<!doctype html><p>hi"), "email": "kim@mail.internal"})
	handle := "@" + made.body["handle"].(string)
	expect.Contains(t, "trust", admin(t, s, "trust", handle, "--reason", "known"), handle+" is trusted")
	expect.Contains(t, "show", admin(t, s, "show", handle, "--json"), `"trusted_at":"2`)
	expect.Contains(t, "log", admin(t, s, "log"), "trust")
	expect.Contains(t, "its end", admin(t, s, "trust", handle, "--end"), handle+" is no longer trusted")
	out, err := exec.Command(testenv.Binary(t), "admin", "release", made.body["project_id"].(string), "--reason", "a game", "--data", s.Data()).CombinedOutput()
	if err == nil {
		t.Error("a project that is not held was released")
	}
	expect.Contains(t, "the refusal", string(out), "is not held; nothing was changed")
}
