package check_test

import (
	"os"
	"strings"
	"testing"

	"sandlot/internal/format/check"
	"sandlot/internal/testkit/expect"
)

func TestEachCodeIsInTheDocuments(t *testing.T) {
	text, err := os.ReadFile("../../../docs/api.md")
	expect.OK(t, err)
	openapi, err := os.ReadFile("../../transport/api/openapi.yaml")
	expect.OK(t, err)
	_, table, _ := strings.Cut(string(text), "## What the check says")
	table, _, _ = strings.Cut(table, "\n## ")
	for _, code := range check.Codes() {
		if !strings.Contains(table, "\n| `"+string(code)+"` | ") || !strings.Contains(string(openapi), string(code)) {
			t.Errorf("%s is missing", code)
		}
	}
	// Two more are of publish itself: a key of another service, and a page that shrank.
	if rows := strings.Count(table, "\n| `"); rows != len(check.Codes())+2 || !strings.Contains(table, "\n| `secret` | ") {
		t.Errorf("the table has %d rows, and there are %d codes beside secret and shrunk", rows, len(check.Codes()))
	}
}
