package mcp

import (
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
)

// TestARefusalOfALargeBodyHasTheIDThatCameBefore: the client of the go-sdk would end the conversation without it.
func TestARefusalOfALargeBodyHasTheIDThatCameBefore(t *testing.T) {
	w := newWorld(t)
	params := `"params":"` + strings.Repeat("a", 5<<20) + `"`
	w.post("/mcp", `{"jsonrpc":"2.0","id":7,"method":"tools/call",`+params+`}`).wants(413).says(`"id":7`).says("upload")
	w.post("/mcp", `{"jsonrpc":"2.0",`+params+`,"id":7}`).wants(413).says(`"id":null`)
}

// TestANotificationIsChargedAsALook though it names a tool: it makes no call of the API.
func TestANotificationIsChargedAsALook(t *testing.T) {
	w := newWorld(t, func(c *admission.Config, _ *publish.Config) {
		c.Work = admission.Rate{Count: 60, Per: time.Hour, Burst: 60}
		c.Public = true
	})
	w.addr = "203.0.113.1:4711"
	for range 20 {
		if w.post("/mcp", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"check","arguments":{}}}`).status == 429 {
			return
		}
	}
	t.Error("twenty notifications were never too many")
}
