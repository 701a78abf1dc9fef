package mcp

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestHeadersThatDisagreeWithTheBodyAreMended: real clients send each of these, and the SDK alone refuses them all.
func TestHeadersThatDisagreeWithTheBodyAreMended(t *testing.T) {
	t.Parallel()
	metrics := testenv.Port(t)
	service := testenv.Start(t, testenv.Binary(t), "--metrics-listen", metrics)
	const now, before = "2026-07-28", "2025-11-25"
	list, call := modern("tools/list", "", now), modern("tools/call", `"name":"check","arguments":{"project":"p-none"}`, now)
	old := `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
	version, method, name := "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"
	for _, c := range []struct {
		about, body string
		header      []string
	}{
		{"the version before in the header of a list", list, []string{version, before, method, "tools/list"}},
		{"the version before in the header of a call", call, []string{version, before, method, "tools/call", name, "check"}},
		{"no version in the header of a list", list, []string{method, "tools/list"}},
		{"no version in the header of a call", call, []string{method, "tools/call", name, "check"}},
		{"no method in the header", list, []string{version, now}},
		{"neither method nor name in the header", call, []string{version, now}},
		{"another method in the header", list, []string{version, now, method, "tools/call"}},
		{"another name in the header", call, []string{version, now, method, "tools/call", name, "publish"}},
		{"no header of the protocol at all", call, nil},
		{"the new version in the header of an old list", old, []string{version, now}},
		{"the new version in the header of an old call", calling("check", `{}`), []string{version, now, method, "tools/call", name, "check"}},
		{"a later version in the header", old, []string{version, "2027-03-01"}},
		{"a later version in the header of a new list", list, []string{version, "2027-03-01", method, "tools/list"}},
		{"no version that there is in the header", old, []string{version, "latest"}},
		{"a session that nobody began", old, []string{version, before, "Mcp-Session-Id", "none"}},
		{"what is to be a text", old, []string{"Content-Type", "text/plain", "Accept", "text/html"}},
	} {
		header := append([]string{"Content-Type", "application/json"}, c.header...)
		got := send(t, service.Client(), "POST", service.URL()+"/mcp", c.body, header...)
		if m := got.message(t); got.status != http.StatusOK || m.Error != nil {
			t.Errorf("%s: %d %s", c.about, got.status, got.text)
		}
	}
	counted := send(t, http.DefaultClient, "GET", "http://"+metrics+"/metrics", "").text
	for _, what := range []string{"version", "method", "name", "accept", "content_type"} {
		found := regexp.MustCompile(`(?m)^sandlot_mcp_mended_total\{[^}]*"` + what + `"[^}]*\} [1-9]`).MatchString(counted)
		expect.Equal(t, "that mended headers are counted: "+what, found, true)
	}
}

// TestAVersionThatNobodyKnowsIsNamed with those that are known, so that the client takes one of them.
func TestAVersionThatNobodyKnowsIsNamed(t *testing.T) {
	t.Parallel()
	service := testenv.Start(t, testenv.Binary(t))
	const later = "2031-01-01"
	got := send(t, service.Client(), "POST", service.URL()+"/mcp", modern("server/discover", "", later), "Mcp-Protocol-Version", later)
	if m := got.message(t); m.Error != nil && (m.Error.Code != -32022 || !strings.Contains(got.text, "2026-07-28")) {
		t.Errorf("%d %s", got.status, got.text)
	}
	for _, known := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + known +
			`","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`
		got := send(t, service.Client(), "POST", service.URL()+"/mcp", body)
		expect.Contains(t, "the answer to "+known, got.text, `"protocolVersion":"`+known+`"`)
	}
}
