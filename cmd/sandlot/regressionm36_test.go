package main

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegressionM36ALocalInstanceSendsEveryMessage: the fourth login of a day was dropped there, too.
func TestRegressionM36ALocalInstanceSendsEveryMessage(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	const each = 6
	for range each {
		status, answer := call(t, s, "POST", "/v1/publish", "", map[string]any{"text": "<p>", "email": "kim@mail.localhost"})
		if status != http.StatusCreated {
			t.Fatalf("%d %v", status, answer)
		}
		resp, err := s.Client().PostForm(strings.Replace(s.URL(), "127.0.0.1", "localhost", 1)+"/login", url.Values{"email": {"kim@mail.localhost"}})
		expect.OK(t, err)
		expect.OK(t, resp.Body.Close())
		expect.Equal(t, "asked for a login", resp.Request.URL.Path, "/login/code")
	}
	eventually(t, "every message", func() bool {
		messages, err := filepath.Glob(filepath.Join(s.Data(), "mail", "[^.]*.eml"))
		return err == nil && len(messages) == 2*each
	})
}
