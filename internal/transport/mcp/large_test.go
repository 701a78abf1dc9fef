package mcp

import (
	"strings"
	"testing"
)

// TestOnlyThePagesOfAMessageMayBeLarge: each of 700,000 small members would cost many times its size, here and in the SDK.
func TestOnlyThePagesOfAMessageMayBeLarge(t *testing.T) {
	w := newWorld(t)
	many := strings.Repeat(`"a":1,`, 2000)
	long := strings.Repeat("a", smallBody)
	for about, body := range map[string]string{
		"members of arguments to read":  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"check","arguments":{` + many + `"z":1}}}`,
		"members of arguments to write": `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"publish","arguments":{` + many + `"z":1}}}`,
		"members of a message":          `{` + many + `"jsonrpc":"2.0","id":7,"method":"tools/list"}`,
		"a long _meta":                  `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"a":"` + long + `"}}}`,
		"a long list of capabilities":   `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"capabilities":{"a":"` + long + `"}}}`,
	} {
		if got := w.post("/mcp", body); got.status != 400 && got.status != 413 {
			t.Errorf("%s: %d %.300s", about, got.status, got.text)
		}
	}
	w.post("/mcp", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"publish","arguments":{"dry_run":true,"html":"`+long+`"}}}`).wants(200)
}
