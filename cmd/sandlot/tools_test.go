package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestMCPAnswersOnEveryHostOfTheAPI and on no project's; its writes are counted.
func TestMCPAnswersOnEveryHostOfTheAPI(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--base-url", "https://sandlot.example", "--content-host", "play.example")
	send := func(host, path, body string) (status int, text string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL()+path, strings.NewReader(body))
		expect.OK(t, err)
		r.Host = host
		resp, err := s.Client().Do(r)
		expect.OK(t, err)
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		expect.OK(t, err)
		return resp.StatusCode, string(got)
	}
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, host := range []string{"sandlot.example", "play.example", "127.0.0.1", "other.example"} {
		status, text := send(host, "/mcp", list)
		expect.Equal(t, host, status, http.StatusOK)
		expect.Contains(t, host, text, `"name":"publish"`)
		status, _ = send(host, "/mcp/account", list)
		expect.Equal(t, "with an account on "+host, status, http.StatusUnauthorized)
	}
	if status, text := send("sky-hopper-7k2m9p.play.example", "/mcp", list); strings.Contains(text, "jsonrpc") {
		t.Errorf("a project's host answers MCP: %d %s", status, text)
	}
	_, text := send("sandlot.example", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish","arguments":{"html":"<!doctype html><h1>Hi</h1>"}}}`)
	expect.Contains(t, "publish", text, "edit_token")
	_, text = send("sandlot.example", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"sandlot://guide"}}`)
	expect.Contains(t, "the guide", text, "https://sandlot.example")
	resp, metrics := asks(t, s, "GET", "/metrics", "sandlot.example")
	expect.Equal(t, "metrics", resp.StatusCode, http.StatusOK)
	expect.Contains(t, "metrics", metrics, `sandlot_writes_total{op="publish",outcome="ok",way="mcp"} 1`)
	expect.Contains(t, "metrics", metrics, `sandlot_mcp_mended_total{what="name"} 0`)
	expect.Contains(t, "metrics", metrics, `area="mcp"`)
	_, index := asks(t, s, "GET", "/v1", "sandlot.example")
	expect.Contains(t, "GET /v1", index, `"with_account": "https://sandlot.example/mcp/account"`)
}
