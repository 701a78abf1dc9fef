package api

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// tool makes a call as a tool does: in this process, and marked.
func (w *world) tool(method, path, key string, body obj) answer {
	w.t.Helper()
	text, err := json.Marshal(body)
	expect.OK(w.t, err)
	r := httptest.NewRequestWithContext(WithTools(w.t.Context()), method, path, bytes.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	a := answer{t: w.t, status: rec.Code, header: rec.Header(), text: rec.Body.String()}
	expect.OK(w.t, json.Unmarshal(rec.Body.Bytes(), &a.body), a.text)
	return a
}

// published makes a project by a tool without a key, and returns its id and its edit_token.
func (w *world) published() (id, token string) {
	w.t.Helper()
	got := w.tool("POST", "/v1/publish", "", obj{"text": page}).wants(201)
	return got.str("project_id"), got.str("edit_token")
}

func TestAToolGetsAnEditTokenAndNoKey(t *testing.T) {
	t.Parallel()
	for set, on := range testworld.Sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *settings) { s.set = on })
			got := w.tool("POST", "/v1/publish", "", obj{"text": page}).wants(201)
			if !inspect.LooksLikeEditToken(got.str("edit_token")) || strings.Contains(got.text, "api_key") || strings.Contains(got.text, "sla_") {
				t.Errorf("a publish without a key and an address answers %s", got.text)
			}
			code, ok := strings.CutPrefix(got.str("connect_url"), testworld.Places().Base.String()+"/connect#")
			if !ok || !inspect.LooksLikeConnectCode(code) {
				t.Errorf("connect_url is %q", got.str("connect_url"))
			}
			at := w.tool("POST", "/v1/uploads", "", obj{}).wants(201)
			sent := w.bytes(at, page).wants(201)
			if sent.str("edit_token") == "" || sent.str("connect_url") == "" || strings.Contains(sent.text, "api_key") {
				t.Errorf("bytes of a ticket that a tool requested get %s", sent.text)
			}
			keyed := w.tool("POST", "/v1/publish", w.post("/v1/signup", "", obj{}).wants(201).str("api_key"), obj{"text": page}).wants(201)
			if strings.Contains(keyed.text, "api_key") || strings.Contains(keyed.text, "edit_token") || strings.Contains(keyed.text, "connect_url") {
				t.Errorf("a publish with a key answers %s", keyed.text)
			}
		})
	}
}

func TestAnEditTokenChangesAndReadsItsProjectAlone(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id, token := w.published()
	w.tool("POST", "/v1/update", token, obj{"project_id": id, "filename": "a.txt", "text": "hello"}).wants(200)
	w.tool("POST", "/v1/delete-file", token, obj{"project_id": id, "filename": "a.txt"}).wants(200)
	w.tool("POST", "/v1/restore", token, obj{"project_id": id, "version": 2}).wants(200)
	for _, path := range []string{"", "/versions", "/checks", "/stats?by=day"} {
		w.tool("GET", "/v1/project/"+id+path, token, nil).wants(200)
	}
	w.bytes(w.tool("POST", "/v1/uploads", token, obj{"project_id": id, "filename": "b.txt"}).wants(201), "bytes").wants(200)
	w.unchanged(func() {
		w.tool("POST", "/v1/update", token, obj{"project_id": w.projectID, "filename": "a.txt", "text": "x"}).refused(403, sandlot.CodeWrongProject)
		w.tool("POST", "/v1/publish", token, obj{"text": page}).refused(403, sandlot.CodeAccountKeyRequired)
		w.tool("PATCH", "/v1/project/"+id, token, obj{"listed": false}).refused(403, sandlot.CodeAccountKeyRequired)
		w.tool("DELETE", "/v1/project/"+id, token, obj{"confirm": id}).refused(403, sandlot.CodeAccountKeyRequired)
		w.tool("GET", "/v1/whoami", token, nil).refused(403, sandlot.CodeAccountKeyRequired)
		w.tool("GET", "/v1/export", token, nil).refused(403, sandlot.CodeAccountKeyRequired)
	})
}

func TestRESTRefusesAnEditToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, token := w.published()
	w.unchanged(func() {
		got := w.post("/v1/update", token, obj{"project_id": id, "filename": "a.txt", "text": "x"}).refused(401, sandlot.CodeInvalidKey)
		if !strings.Contains(got.str("message"), "the tools of /mcp") || !strings.Contains(got.str("hint"), "/account/keys") {
			t.Errorf("it is refused with %s", got.text)
		}
		w.get("/v1/project/"+id, token).refused(401, sandlot.CodeInvalidKey)
		w.post("/v1/publish", "", obj{"email": someone, "text": page, "title": token}).refused(400, sandlot.CodeKeyNotInHeader)
		w.get("/v1/project/"+id+"?edit_token="+token, "").refused(400, sandlot.CodeKeyNotInHeader)
	})
}

func TestAnEditTokenEndsWithoutUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, token := w.published()
	var later time.Duration
	w.Callers.Now = func() time.Time { return time.Now().Add(later) }
	for range 3 {
		later += sandlot.EditTokenIdle - time.Hour
		w.tool("GET", "/v1/project/"+id, token, nil).wants(200)
		expect.OK(t, w.Callers.Uses.Flush(t.Context()))
	}
	later += sandlot.EditTokenIdle + time.Hour
	w.tool("GET", "/v1/project/"+id, token, nil).refused(401, sandlot.CodeInvalidKey)
}
