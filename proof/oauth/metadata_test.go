package oauth

import (
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestMetadataStandsAtItsOwnAddressesAlone, so that no connector takes the open address of tools for one that needs a login.
func TestMetadataStandsAtItsOwnAddressesAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{
		"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/", "/.well-known/oauth-authorization-server/mcp",
		"/.well-known/oauth-authorization-server/mcp/account", "/.well-known/oauth-authorization-server/oauth/",
		"/oauth/.well-known/oauth-authorization-server",
		"/.well-known/openid-configuration", "/.well-known/openid-configuration/oauth", "/oauth/.well-known/openid-configuration",
		"/mcp/.well-known/openid-configuration", "/mcp/account/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp/account",
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp/",
		"/.well-known/oauth-protected-resource/mcp/account/", "/mcp/.well-known/oauth-protected-resource", "/oauth", "/oauth/", "/oauth/par",
		"/oauth/introspect",
		"/oauth/userinfo", "/oauth/jwks", "/register", "/authorize", "/token",
	} {
		got := s.send(t, "GET", path, "", "Accept", "application/json")
		expect.Equal(t, "status of "+path, got.status, http.StatusNotFound)
	}
	for path, members := range map[string]object{
		"/.well-known/oauth-protected-resource/mcp/account": {"resource": s.base + "/mcp/account"},
		"/.well-known/oauth-authorization-server/oauth": {
			"issuer": s.base + "/oauth", "pushed_authorization_request_endpoint": nil, "jwks_uri": nil, "userinfo_endpoint": nil,
		},
	} {
		got := s.send(t, "GET", path, "", "Origin", "https://inspector.example")
		expect.Equal(t, "status of "+path, got.status, http.StatusOK)
		for name, want := range members {
			expect.Equal(t, name+" of "+path, got.json(t)[name], want)
		}
		expect.Equal(t, "that pages of others may read "+path, got.header.Get("Access-Control-Allow-Origin"), "*")
		expect.Equal(t, "credentials of "+path, got.header.Get("Access-Control-Allow-Credentials"), "")
		project := s.send(t, "GET", strings.Replace(s.base, "localhost", "p-none.localhost", 1)+path, "")
		expect.Equal(t, "status of a project's "+path, project.status, http.StatusNotFound)
	}
	challenge := func(path, authorization string) string {
		header := []string{"Content-Type", "application/json"}
		if authorization != "" {
			header = append(header, "Authorization", authorization)
		}
		got := s.send(t, "POST", path, `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, header...)
		if got.status == http.StatusOK {
			return ""
		}
		expect.Equal(t, "status of "+path, got.status, http.StatusUnauthorized)
		return got.header.Get("WWW-Authenticate")
	}
	metadata := `resource_metadata="` + s.base + `/.well-known/oauth-protected-resource/mcp/account"`
	expect.Equal(t, "the challenge without a token", challenge("/mcp/account", ""), "Bearer "+metadata+`, scope="account"`)
	for _, wrong := range []string{"Bearer slo_" + strings.Repeat("a", 36), "Bearer nobody"} {
		got := challenge("/mcp/account", wrong)
		expect.Contains(t, "the challenge", got, metadata)
		expect.Contains(t, "the challenge", got, `error="invalid_token"`)
	}
	expect.Equal(t, "the challenge of the open address", challenge("/mcp", ""), "")

	// Pages of others may call the addresses of programs, and may not read the pages of a browser.
	for _, path := range []string{tokenPath, devicePath, registerPath, revokePath} {
		got := s.send(t, "OPTIONS", path, "", "Origin", "https://inspector.example", "Access-Control-Request-Method", "POST")
		expect.Equal(t, "status of OPTIONS "+path, got.status, http.StatusNoContent)
		expect.Equal(t, "the origins of "+path, got.header.Get("Access-Control-Allow-Origin"), "*")
		expect.Equal(t, "credentials of "+path, got.header.Get("Access-Control-Allow-Credentials"), "")
	}
	for _, path := range []string{authorizePath, "/connect"} {
		for _, method := range []string{"GET", "OPTIONS"} {
			got := s.send(t, method, path, "", "Origin", "https://inspector.example", "Access-Control-Request-Method", "POST")
			expect.Equal(t, "the origins of "+path, got.header.Get("Access-Control-Allow-Origin"), "")
		}
	}
}
