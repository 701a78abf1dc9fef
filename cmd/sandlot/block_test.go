package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestABlockIsInForceOnARunningServerAtOnce walks the commands about the blocklist beside a server.
func TestABlockIsInForceOnARunningServerAtOnce(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--trusted-proxies", "127.0.0.1", "--security-contact", "ops@example.com")
	publish := func(addr, title, html string) (int, map[string]any) {
		r := from(t, s, addr, "POST", "/v1/publish", "", map[string]any{"email": "ada@mail.example.org", "title": title, "text": html})
		return r.StatusCode, r.body
	}
	refused := func(what, addr, title, html string, want int) {
		t.Helper()
		status, body := publish(addr, title, html)
		expect.Equal(t, what, status, want)
		expect.Contains(t, what, fmt.Sprint(body["hint"]), "ops@example.com")
	}
	const kit = "<!doctype html><title>Log in</title> <form><input type=password></form>"
	status, phish := publish("203.0.113.7", "Log in", kit)
	expect.Equal(t, "a publish", status, http.StatusCreated)
	id := phish["project_id"].(string)
	status, near := publish("203.0.113.7", "Marbles", "<p>marbles")
	expect.Equal(t, "another", status, http.StatusCreated)

	admin(t, s, "block", "add", "word", "robux", "--reason", "spam")
	refused("a title with the word", "198.51.100.1", "Free ROBUX", "<p>x", http.StatusForbidden)
	admin(t, s, "block", "remove", "1")

	expect.Contains(t, "the network", admin(t, s, "list", "projects", "--same-network", id), near["project_id"].(string))
	said := admin(t, s, "suspend", id, "--block", "--reason", "phishing")
	expect.Contains(t, "suspended", said, "1 page blocked")
	for i, html := range []string{kit, strings.ReplaceAll(kit, " <form>", "\n\n<form>")} {
		refused("the same text from elsewhere", fmt.Sprint("198.51.100.", i), "Other", html, http.StatusUnavailableForLegalReasons)
	}
	said = admin(t, s, "block", "add", "--network-of", id, "--reason", "phishing")
	expect.Contains(t, "blocked", said, "publisher")
	refused("another page from there", "203.0.113.7", "Other", "<p>other", http.StatusForbidden)
	for what, text := range map[string]string{"audit log": admin(t, s, "log"), "blocklist": admin(t, s, "block", "list", "--json")} {
		if strings.Contains(text, "203.0.113") {
			t.Errorf("the %s has the address:\n%s", what, text)
		}
	}

	list := filepath.Join(t.TempDir(), "list")
	write := func(text string) { expect.OK(t, os.WriteFile(list, []byte(text), 0o600)) }
	write("# mail\nspam.example\n")
	admin(t, s, "block", "add", "domain", "--file", list, "--name", "disposable", "--reason", "weekly")
	write("other.example\n\x00rubbish\n")
	adminFails(t, s, "line 2", "block", "add", "domain", "--file", list, "--name", "disposable", "--reason", "weekly")
	r := from(t, s, "198.51.100.1", "POST", "/v1/signup", "", map[string]any{"email": "a@mail.spam.example"})
	expect.Equal(t, "a signup by the list that stayed", r.StatusCode, http.StatusForbidden)

	adminFails(t, s, "--yes", "block", "add", "network", "0.0.0.0/0", "--reason", "x")
	adminFails(t, s, "--yes", "block", "add", "domain", "example.net", "--base-url", "https://play.example.net", "--reason", "x")
	admin(t, s, "block", "add", "network", "198.51.100.0/24", "--reason", "x", "--until", "1h")
	refused("a network", "198.51.100.1", "Other", "<p>other", http.StatusForbidden)
}

// adminFails runs a command of an operator that is refused with a text.
func adminFails(t *testing.T, s *testenv.Server, want string, args ...string) {
	t.Helper()
	out, err := exec.Command(testenv.Binary(t), append(append([]string{"admin"}, args...), "--data", s.Data())...).CombinedOutput()
	if err == nil {
		t.Errorf("sandlot admin %s: it was done\n%s", strings.Join(args, " "), out)
	}
	expect.Contains(t, strings.Join(args, " "), string(out), want)
}
