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

// TestRegressionM42TheContentHostSaysWhoseItIs: whoever meets a project knows its address alone.
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
