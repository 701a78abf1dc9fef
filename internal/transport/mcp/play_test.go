package mcp

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestCheckPlaysWithInputs: they are sent as they came, and the words of the page are data.
func TestCheckPlaysWithInputs(t *testing.T) {
	w := newWorld(t)
	var asked, sent string
	long := strings.Repeat("x", 3000)
	probe := fmt.Sprintf(`{"probe":"state","before":%q,"after":%q,"error":null},`, long, long)
	texts := strings.TrimSuffix(strings.Repeat(q(long)+",", 6), ",")
	finding := `{"code":"script_error","message":` + q(long) + `,"hint":"H."}`
	w.api = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked, sent = r.Method+" "+r.URL.RequestURI(), string(body)
		_, _ = io.WriteString(rw, `{"version":2,"untrusted":true,"moved":true,"frames_per_second":59.9,"probes":[`+strings.Repeat(probe, 9)+
			`{"probe":"a","before":null,"after":null,"error":"ReferenceError: a"}],"errors":[`+texts+`],"console":[`+texts+`],"findings":[`+strings.Repeat(finding+",", 5)+finding+`],"after":{"content_type":"image/png","content":"iVBORw0KGgo="}}`)
	})
	got := w.call("", "check", `{"project":"a-1","inputs":[{"key":"a","ms":500}],"probe":"1"}`).done()
	expect.Equal(t, "the call", asked, "POST /v1/project/a-1/checks")
	expect.Equal(t, "its body", sent, `{"inputs":[{"key":"a","ms":500}],"probe":"1"}`)
	expect.Contains(t, "the words", got.text, "Version 2 was played in a browser. The picture is of the end.")
	expect.Equal(t, "that words of the page are in them", strings.Contains(got.text, "xxx"), false)
	expect.Equal(t, "the picture", len(got.whole.Content), 2)
	got.whole.Content = got.whole.Content[:1]
	if n := got.size(); n > 3000 {
		t.Errorf("the answer has %d characters without the picture", n)
	}
	w.fake(200, `{"version":2,"probes":[{"probe":"state","before":0,"after":`+q(long[:190])+`,"error":null}]}`)
	alone := w.call("", "check", `{"project":"a-1","probe":"state"}`).done()
	expect.Equal(t, "the words without a picture", alone.text, "Version 2 was played in a browser. See data for what the page said.")
	expect.Same(t, "the value of one probe", alone.data["data"].(map[string]any)["probes"], any([]any{"state: 0, then " + q(long[:190])}))
}

// TestInputsThatCannotBePlayedAreRefusedWithACallOfTheTool that works when it is made.
func TestInputsThatCannotBePlayedAreRefusedWithACallOfTheTool(t *testing.T) {
	w := settled(t)
	got := w.call(w.account, "check", `{"project":`+q(w.id)+`,"inputs":[{"key":"Hyper"}]}`).refused("invalid_field")
	call := got.data["fix"].(map[string]any)
	expect.Equal(t, "tool", call["tool"], any("check"))
	arguments := call["arguments"].(map[string]any)
	expect.Equal(t, "project", arguments["project"], any(w.id))
	expect.Equal(t, "how many inputs", len(arguments["inputs"].([]any)), 3)
	expect.Equal(t, "seconds, which the tool does not take", arguments["seconds"], nil)
}
