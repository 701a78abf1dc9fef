package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestOddMessagesAreAnsweredInJSONRPC whatever stands where an object is expected, on every version.
func TestOddMessagesAreAnsweredInJSONRPC(t *testing.T) {
	w := newWorld(t)
	values := []string{
		`null`, `7`, `"x"`, `[]`, `[null]`, `{}`, `{"name":null}`, `{"name":7,"uri":7}`, `{"_meta":7}`, `{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}`,
		`{"name":"publish","arguments":null}`, `{"name":"check","arguments":[{}]}`, `{"name":"publish","arguments":{"files":{"a":null}}}`,
		`{"name":"publish","arguments":{"html":"<p>a</p>"},"inputResponses":7}`, `{"cursor":"\u0000"}`, `{"level":"loud"}`,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":7,"io.modelcontextprotocol/clientCapabilities":[]}}`,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"publish"}`,
	}
	methods := []string{
		"initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list",
		"resources/subscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "notifications/cancelled", "notifications/progress", "",
	}
	for _, version := range append(versions, "", "1") {
		for _, method := range methods {
			for _, params := range values {
				got := w.post("/mcp", `{"jsonrpc":"2.0","id":1,"method":`+q(method)+`,"params":`+params+`}`, "Mcp-Protocol-Version", version)
				if strings.Contains(got.text, "\n\n") || !json.Valid([]byte(got.text)) || got.status >= 500 {
					t.Errorf("%q %s %s: %d %s", version, method, params, got.status, got.text)
				}
			}
		}
	}
	expect.Equal(t, "an answer", w.post("/mcp", `{"jsonrpc":"2.0","id":1,"result":{}}`).status, 202)
}
