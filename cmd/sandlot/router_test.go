package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestAPathThatIsNotThere: a browser gets a page, a program the endpoints.
func TestAPathThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	for accept, want := range map[string]string{
		"text/html,application/xhtml+xml,*/*;q=0.8": "text/html; charset=utf-8", "*/*": "application/json", "": "application/json",
	} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL()+"/nothing", nil)
		expect.OK(t, err)
		r.Host = "localhost"
		r.Header.Set("Accept", accept)
		resp, err := s.Client().Do(r)
		expect.OK(t, err)
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if got := resp.Header.Get("Content-Type"); err != nil || resp.StatusCode != 404 || got != want {
			t.Errorf("%q: %d %s, wanted %s", accept, resp.StatusCode, got, want)
		}
		if want == "application/json" && !strings.Contains(string(body), "/v1/publish") {
			t.Errorf("%q: it names no endpoint: %s", accept, body)
		}
	}
}

// TestCallsForALoginGetTheWayBackToLostKeys: with and without /v1, and on the path where people log in, too, which takes forms alone. What
// the sentence says depends on whether the service sends mail.
func TestCallsForALoginGetTheWayBackToLostKeys(t *testing.T) {
	t.Parallel()
	bin := testenv.Binary(t)
	for name, c := range map[string]struct {
		flags []string
		want  string
	}{
		"without mail": {nil, "Keys lost? Do not publish again. This service sends no e-mail: its operator makes a key with `sandlot admin new-key HANDLE`."},
		"with mail": {
			[]string{"--base-url", "http://localhost", "--smtp-url", "smtp://127.0.0.1:9"},
			"Keys lost? Do not publish again. Your user opens http://localhost/account, logs in by e-mail and makes a key for this project.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testenv.Start(t, bin, c.flags...)
			for _, path := range []string{"/v1/login", "/v1/recover", "/v1/keys", "/v1/auth/login", "/login", "/recover", "/keys", "/auth/login"} {
				resp, body := asks(t, s, "POST", path, "localhost", "Content-Type", "application/json")
				expect.Equal(t, "the status of "+path, resp.StatusCode, http.StatusNotFound)
				expect.Contains(t, "the hint of "+path, body, `"hint":"`+c.want)
				expect.Equal(t, path+" lists the endpoints", strings.Contains(body, "/v1/publish"), false)
			}
			for _, path := range []string{"/v1", "/llms.txt", "/llms-full.txt", "/skill.md"} {
				_, body := asks(t, s, "GET", path, "localhost")
				expect.Contains(t, path, body, c.want)
			}
		})
	}
}

// TestRegressionM42TheContentHostSaysWhoseItIs: a visitor of a project knows its address alone.
func TestRegressionM42TheContentHostSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--base-url", "https://sandlot.example", "--content-host", "play.example")
	page, body := asks(t, s, "GET", "/", "play.example")
	expect.Equal(t, "the page", page.StatusCode, http.StatusOK)
	expect.Contains(t, "the page", body, `<a href="https://sandlot.example/report">`)
	other, body := asks(t, s, "GET", "/login", "play.example", "Accept", "text/html")
	expect.Equal(t, "another page", other.StatusCode, http.StatusNotFound)
	expect.Contains(t, "another page", body, `<a href="https://sandlot.example/report">`)
	_, body = asks(t, s, "GET", "/login", "play.example")
	expect.Contains(t, "what a program asks for", body, `"misdirected"`)
	_, body = asks(t, s, "GET", "/.well-known/security.txt", "sandlot.example")
	expect.Contains(t, "security.txt", body, "Contact: https://sandlot.example/report\n")
}
