package mcp

import (
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestATitleAloneIsRefusedWithAWayOn: the call of REST that changes it is no tool.
func TestATitleAloneIsRefusedWithAWayOn(t *testing.T) {
	w := settled(t)
	got := w.call(w.account, "update", `{"project":`+q(w.id)+`,"title":"Kites"}`).refused("missing_field")
	expect.Contains(t, "the error", got.text, "Send it beside files, edits or delete")
}
