package mcp

import (
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot/internal/testkit/expect"
)

// TestAToolMakesOneCallOfTheAPI with the key of the outer call, and its answer is that of the API in short.
func TestAToolMakesOneCallOfTheAPI(t *testing.T) {
	w := settled(t)
	made := w.call(w.account, "publish", `{"html":`+q(page)+`,"title":"Moon Walk"}`).done()
	id := made.str("project")
	if id == "" || made.num("version") != 1 || !strings.Contains(made.text, id) || !strings.Contains(made.text, made.str("url")) {
		t.Errorf("publish: %s %v", made.text, made.data)
	}
	got := w.call(w.account, "get_project", `{"project":`+q(made.str("url"))+`}`).done()
	expect.Equal(t, "project", got.str("project"), id)
	expect.Same(t, "files", got.data["files"], any([]any{[]any{"index.html", float64(len(page))}}))
	read := w.call(w.account, "get_project", `{"project":`+q(id)+`,"file":"index.html"}`).done()
	expect.Equal(t, "text", read.str("text"), page)
	expect.Equal(t, "the text as a block", read.whole.Content[1].(*sdk.TextContent).Text, page)
	more := w.call(w.account, "update", `{"project":`+q(made.str("page_url"))+`,"files":[{"filename":"a.js","text":"let a = 1"},{"filename":"b.js","text":"let b"}]}`).done()
	expect.Equal(t, "version", more.num("version"), 2)
	expect.Same(t, "changed", more.data["changed"], any([]any{"a.js", "b.js"}))
	back := w.call(w.account, "restore", `{"project":`+q(id)+`,"version":1}`).done()
	expect.Equal(t, "restored", fmt.Sprint(back.num("version"), back.num("restored_from")), "3 1")
	list := w.call(w.account, "versions", `{"project":`+q(id)+`}`).done()
	expect.Equal(t, "versions", len(list.data["versions"].([]any)), 3)
	all := w.call(w.account, "list_projects", `{}`).done()
	expect.Equal(t, "projects", len(all.data["projects"].([]any)), 2)
	found := w.call(w.account, "list_projects", `{"query":"moon"}`).done()
	expect.Equal(t, "found", found.data["projects"].([]any)[0].(map[string]any)["project"], any(id))
	w.call(w.account, "stats", `{"project":`+q(id)+`}`).done()
	w.call(w.account, "stats", `{"project":`+q(id)+`,"by":"day"}`).done()
	w.call(w.account, "stats", `{"project":`+q(id)+`,"by":"version"}`).done()
	check := w.call(w.account, "check", `{"project":`+q(id)+`}`).done()
	expect.Equal(t, "state", check.str("state"), "off")
}
