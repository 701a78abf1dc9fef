package mcp

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// sent sends bytes as the command of an upload does, or its page, and returns the answer.
func (w *world) sent(up got, body string) (answer map[string]any) {
	w.t.Helper()
	_, fragment, found := strings.Cut(up.str("page_url"), "/send#")
	id, ticket, dot := strings.Cut(fragment, ".")
	if !found || !dot || !strings.Contains(up.str("command"), ticket) || !strings.HasSuffix(up.str("command"), "/v1/uploads/"+id) {
		w.t.Fatalf("the ways are %v", up.data)
	}
	r := httptest.NewRequest("PUT", "/v1/uploads/"+url.PathEscape(id), strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+ticket)
	rec := httptest.NewRecorder()
	w.rest.ServeHTTP(rec, r)
	expect.OK(w.t, json.Unmarshal(rec.Body.Bytes(), &answer))
	if rec.Code >= 300 {
		w.t.Fatalf("the bytes get %s", rec.Body)
	}
	return answer
}

// TestUploadNamesTheNextRungAndTheOneHostToAllow beside the line for a shell.
func TestUploadNamesTheNextRungAndTheOneHostToAllow(t *testing.T) {
	t.Parallel()
	w := settled(t)
	got := w.call(w.account, "upload", `{"title":"Kites","archive":true}`).done()
	if !strings.HasPrefix(got.str("command"), "tar -czf - . | curl -T - -H 'Authorization: Bearer slt_") || !strings.Contains(got.text, got.str("command")) {
		t.Errorf("the line is %q, the text %q", got.str("command"), got.text)
	}
	expect.Equal(t, "host", got.str("allow_host"), testworld.Places().Base.Hostname())
	ways, _ := got.data["ways"].([]any)
	if len(ways) != 3 || !strings.Contains(ways[1].(string), "page_url") || !strings.Contains(ways[2].(string), "10,000 characters") {
		t.Errorf("the ways are %v", ways)
	}
	one := w.call(w.account, "upload", `{"project":`+q(w.id)+`,"filename":"a b.png","archive":false}`).done()
	if !strings.HasPrefix(one.str("command"), "curl -T 'a b.png' ") {
		t.Errorf("the line for a file is %q", one.str("command"))
	}
	w.call(w.account, "upload", `{"title":"Kites","html":"<p>"}`).refused("invalid_field")
	w.call("", "upload", `{"project":`+q(w.id)+`,"filename":"a.png"}`).refused("key_required")
}

// TestAnAnonymousConversationGoesOnAfterAnUpload: the bytes are answered with its edit_token, and with no key.
func TestAnAnonymousConversationGoesOnAfterAnUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.sent(w.call("", "upload", `{"title":"Kites"}`).done(), page)
	token, _ := made["edit_token"].(string)
	id, _ := made["project_id"].(string)
	if !strings.HasPrefix(token, editPrefix) || made["api_key"] != nil || made["project_api_key"] != nil || made["connect_url"] == nil {
		t.Fatalf("the bytes get %v", made)
	}
	next := w.call("", "upload", `{"project":`+q(id)+`,"filename":"a.png","edit_token":`+q(token)+`}`).done()
	again := w.sent(next, "png")
	if again["version"] != 2.0 || again["edit_token"] != nil {
		t.Errorf("an update gets %v", again)
	}
}
