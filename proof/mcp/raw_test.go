package mcp

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// An answer is that to a request of HTTP.
type answer struct {
	status int
	header http.Header
	text   string
}

// A message is an answer of JSON-RPC.
type message struct {
	ID     any             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// send sends a request, with pairs of names and values for its header.
func send(t *testing.T, c *http.Client, method, address, body string, header ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	expect.OK(t, err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header[http.CanonicalHeaderKey(header[i])] = []string{header[i+1]}
	}
	resp, err := c.Do(r)
	expect.OK(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// message reads an answer that is JSON-RPC, as every answer to a POST must be.
func (a answer) message(t *testing.T) (m message) {
	t.Helper()
	if kind := a.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		t.Fatalf("an answer of the type %q: %d %s", kind, a.status, a.text)
	}
	expect.OK(t, json.Unmarshal([]byte(a.text), &m), a.text)
	if (m.Error == nil) == (m.Result == nil) {
		t.Fatalf("no answer of JSON-RPC: %d %s", a.status, a.text)
	}
	return m
}

// result reads the answer to a call of a tool, which must not have failed as a call.
func (a answer) result(t *testing.T) (r result) {
	t.Helper()
	m := a.message(t)
	if a.status != http.StatusOK || m.Error != nil {
		t.Fatalf("the call itself is refused: %d %s", a.status, a.text)
	}
	expect.OK(t, json.Unmarshal(m.Result, &r))
	return r
}

// calling is the body of a call of a tool, with these arguments.
func calling(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// modern is the body of a call in the version 2026-07-28, or in the one given.
func modern(method, params, version string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version +
		`","io.modelcontextprotocol/clientInfo":{"name":"agent","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
}
