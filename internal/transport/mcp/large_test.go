package mcp

import (
	"strings"
	"testing"
)

// TestARefusalOfALargeBodyHasTheIDThatCameBefore: the client of the go-sdk would end the conversation without it.
func TestARefusalOfALargeBodyHasTheIDThatCameBefore(t *testing.T) {
	w := newWorld(t)
	params := `"params":"` + strings.Repeat("a", 5<<20) + `"`
	w.post("/mcp", `{"jsonrpc":"2.0","id":7,"method":"tools/call",`+params+`}`).wants(413).says(`"id":7`).says("upload")
	w.post("/mcp", `{"jsonrpc":"2.0",`+params+`,"id":7}`).wants(413).says(`"id":null`)
}
