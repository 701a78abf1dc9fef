package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestTheMetadataOfOAuthIsWhereItsClientsLookAndNowhereElse: a document at the root would have clients of /mcp log in,
// which works without.
func TestTheMetadataOfOAuthIsWhereItsClientsLookAndNowhereElse(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--base-url", "https://sandlot.example", "--content-host", "play.example")
	const server, resource = "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"
	for path, want := range map[string]string{server + "/oauth": `"issuer": "https://sandlot.example/oauth"`, resource + "/mcp/account": `"resource": "https://sandlot.example/mcp/account"`} {
		got, text := asks(t, s, "GET", path, "sandlot.example", "Accept", "application/json")
		expect.Equal(t, "the status of "+path, got.StatusCode, http.StatusOK)
		expect.Contains(t, path, text, want)
		for _, host := range []string{"127.0.0.1", "play.example", "other.example", "sky-hopper-7k2m9p.play.example"} {
			if got, text := asks(t, s, "GET", path, host); got.StatusCode < 400 || strings.Contains(text, "issuer") {
				t.Errorf("%s%s: %d %s", host, path, got.StatusCode, text)
			}
		}
	}
	const openID = "/.well-known/openid-configuration"
	for _, path := range []string{
		server, server + "/", server + "/mcp", server + "/mcp/account", server + "/oauth/", resource, resource + "/", resource + "/mcp", resource + "/oauth",
		openID, openID + "/oauth", openID + "/mcp/account", "/oauth" + openID, "/oauth" + server, "/mcp" + server, "/mcp/account" + openID, "/oauth", "/oauth/",
	} {
		for _, accept := range []string{"application/json", "text/html", "*/*"} {
			got, _ := asks(t, s, "GET", path, "sandlot.example", "Accept", accept)
			expect.Equal(t, "the status of "+path, got.StatusCode, http.StatusNotFound)
		}
	}
}

// TestAProgramRegisters: neither the client_id nor a query is in the log.
func TestAProgramRegisters(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--access-log", "all")
	body := strings.NewReader(`{"client_name":"X","redirect_uris":["http://localhost/"]}`)
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL()+"/oauth/register?state=secret", body)
	expect.OK(t, err)
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	resp, err := s.Client().Do(r)
	expect.OK(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	var client struct {
		ID string `json:"client_id"`
	}
	expect.OK(t, json.Unmarshal(text, &client))
	expect.Equal(t, "status", resp.StatusCode, http.StatusCreated)
	if client.ID == "" || strings.Contains(string(text), "client_secret") {
		t.Errorf("%s", text)
	}
	_, metrics := asks(t, s, "GET", "/metrics", "localhost")
	expect.Contains(t, "metrics", metrics, `sandlot_http_requests_total{area="oauth",method="POST",status="201"} 1`)
	testenv.Eventually(t, 10*time.Second, "the request is in the log", func() bool { return strings.Contains(s.Logs(), "path=/oauth/register") })
	if log := s.Logs(); strings.Contains(log, "state=secret") || strings.Contains(log, client.ID) {
		t.Errorf("the log has what was sent: %s", log)
	}
}
