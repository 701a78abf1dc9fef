package mcp

import (
	"net/http"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestHostileMessagesAreRefusedInJSONRPC, each alone: the service goes on.
func TestHostileMessagesAreRefusedInJSONRPC(t *testing.T) {
	t.Parallel()
	service := testenv.Start(t, testenv.Binary(t))
	at := service.URL() + "/mcp"
	list := `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
	large := calling("publish", `{"html":"`+strings.Repeat("a", 5<<20)+`"}`)
	for _, c := range []struct {
		about, body string
		status      int
		part        string // of the answer
	}{
		{"a batch", "[" + list + "," + list + "]", http.StatusBadRequest, "atch"},
		{"an empty batch", "[]", http.StatusBadRequest, "atch"},
		{"5 MB", large, http.StatusRequestEntityTooLarge, "upload"},
		{"5,000 levels of arguments", calling("publish", `{"html":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+"}"), 0, "nest"},
		{"5,000 levels of objects", strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000), 0, "error"},
		{"200,000 levels that do not end", strings.Repeat("[", 200_000), http.StatusBadRequest, "error"},
		{"no JSON", "publish this", http.StatusBadRequest, "JSON"},
		{"nothing", "", http.StatusBadRequest, "JSON"},
		{"a number", "7", http.StatusBadRequest, "JSON"},
		{"two messages", list + list, http.StatusBadRequest, "JSON"},
		{"no version of JSON-RPC", `{"id":7,"method":"tools/list"}`, 0, "error"},
		{"a method that there is not", `{"jsonrpc":"2.0","id":7,"method":"tools/delete"}`, 0, "-32601"},
		{"a method that is a number", `{"jsonrpc":"2.0","id":7,"method":7}`, 0, "error"},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, 0, "error"},
		{"params that are a list", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":["publish"]}`, 0, "error"},
		{"a tool that there is not", calling("delete_project", "{}"), 0, "error"},
		{"a tool without a name", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`, 0, "error"},
		{"a file as a resource", `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, 0, "error"},
		{"bytes that are no UTF-8", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + "\xff\xfe" + `"}}`, 0, "error"},
	} {
		got := send(t, service.Client(), "POST", at, c.body)
		m := got.message(t)
		wrong := c.status != 0 && got.status != c.status || got.status >= http.StatusInternalServerError
		if wrong || m.Error == nil || !strings.Contains(got.text, c.part) {
			t.Errorf("%s: %d %s", c.about, got.status, got.text)
		}
	}
	for _, method := range []string{"GET", "DELETE", "PUT", "HEAD", "PATCH"} {
		got := send(t, service.Client(), method, at, "")
		expect.Equal(t, method, got.status, http.StatusMethodNotAllowed)
		expect.Equal(t, "Allow of "+method, got.header.Get("Allow"), "POST")
	}
	foreign := send(t, service.Client(), "POST", at, list, "Origin", "https://evil.example")
	expect.Equal(t, "status for a foreign origin", foreign.status, http.StatusForbidden)
	for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"} {
		expect.Equal(t, name, foreign.header.Get(name), "")
		expect.Equal(t, name, send(t, service.Client(), "OPTIONS", at, "", "Origin", "https://evil.example").header.Get(name), "")
	}
	expect.Equal(t, "status afterwards", send(t, service.Client(), "POST", at, list).status, http.StatusOK)
}

// TestHostileArgumentsAreRefusedToTheModel, as an answer of the tool, in the words of the API.
func TestHostileArgumentsAreRefusedToTheModel(t *testing.T) {
	t.Parallel()
	service := testenv.Start(t, testenv.Binary(t))
	key := accountKey(t, service.URL())
	for _, c := range []struct{ about, name, arguments, code string }{
		{"a name twice", "publish", `{"html":"<p>a","html":"<p>b"}`, "invalid_json"},
		{"a name of a file's twice", "publish", `{"files":[{"filename":"index.html","text":"a","text":"b"}]}`, "invalid_json"},
		{"a project twice", "get_project", `{"project":"p-a","project":"p-b"}`, ""},
		{"null", "publish", "null", ""},
		{"a text", "publish", `"index.html"`, ""},
		{"a list", "publish", `["index.html"]`, ""},
		{"a text to read", "get_project", `"p-a"`, ""},
		{"a number for the page", "publish", `{"html":7}`, "invalid_field"},
		{"a key beside the page", "publish", `{"html":"<p>a","api_key":"` + key + `"}`, "key_not_in_header"},
		{"a key as edit_token", "update", `{"project":"p-a","title":"a","edit_token":"` + key + `"}`, "key_not_in_header"},
		{"a key as the project", "get_project", `{"project":"` + key + `"}`, "key_not_in_header"},
		{"a key as a name", "stats", `{"project":"p-a","` + key + `":1}`, "key_not_in_header"},
		{"a key in the query", "list_projects", `{"query":"` + key + `"}`, "key_not_in_header"},
		{"a key in the title", "publish", `{"html":"<p>a","title":"` + key + `"}`, ""},
		{"a key in the page", "publish", `{"html":"<p>` + key + `"}`, "key_in_content"},
		{"a way out of the project", "get_project", `{"project":"../../admin"}`, ""},
		{"a way out of the files", "get_project", `{"project":"p-a","file":"../../../etc/passwd"}`, ""},
		{"another address", "get_project", `{"project":"http://169.254.169.254/latest"}`, ""},
	} {
		got := send(t, service.Client(), "POST", service.URL()+"/mcp", calling(c.name, c.arguments))
		r := got.result(t)
		if !r.IsError || c.code != "" && text(r.Data, "error") != c.code {
			t.Errorf("%s: %d %s", c.about, got.status, got.text)
		}
		if strings.Contains(got.text, key) {
			t.Errorf("%s: the answer repeats the key: %s", c.about, got.text)
		}
		bounds(t, c.name, r)
	}
	if strings.Contains(service.Logs(), key) {
		t.Error("the log has the key")
	}
}

// TestWrongKeysAreTheOnly401 at the open address, and the other one answers nothing without a key.
func TestWrongKeysAreTheOnly401(t *testing.T) {
	t.Parallel()
	service := testenv.Start(t, testenv.Binary(t))
	list := `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
	for _, path := range []string{"/mcp", "/mcp/account"} {
		for _, key := range []string{"Bearer sla_" + strings.Repeat("a", 43), "Bearer nobody", "Bearer sle_" + strings.Repeat("a", 43)} {
			got := send(t, service.Client(), "POST", service.URL()+path, list, "Authorization", key)
			expect.Equal(t, path+" with "+key, got.status, http.StatusUnauthorized)
			expect.Contains(t, "the challenge", got.header.Get("WWW-Authenticate"), `error="invalid_token"`)
		}
		right := send(t, service.Client(), "POST", service.URL()+path, list, "Authorization", "Bearer "+accountKey(t, service.URL()))
		expect.Equal(t, path+" with a key", right.status, http.StatusOK)
	}
	for _, body := range []string{list, calling("list_projects", "{}"), calling("update", `{"project":"p-a"}`), "[]", "no JSON"} {
		if got := send(t, service.Client(), "POST", service.URL()+"/mcp", body); got.status == http.StatusUnauthorized {
			t.Errorf("%s without a key is 401", body)
		}
		got := send(t, service.Client(), "POST", service.URL()+"/mcp/account", body)
		expect.Equal(t, body+" to the address of accounts", got.status, http.StatusUnauthorized)
		expect.Contains(t, "the challenge", got.header.Get("WWW-Authenticate"), "Bearer")
		got.message(t)
	}
}

// TestAmbiguousMessagesMakeNoCall: a message that one reader takes for a call, and another for something else, publishes nothing.
func TestAmbiguousMessagesMakeNoCall(t *testing.T) {
	t.Parallel()
	service := testenv.Start(t, testenv.Binary(t))
	at, key := service.URL()+"/mcp", "Bearer "+accountKey(t, service.URL())
	params := `"params":{"name":"publish","arguments":{"html":"<p>a"}}`
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"tools/call",` + params + `}`,
		`{"jsonrpc":"2.0","id":null,"method":"tools/call",` + params + `}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call",` + params + `}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{},` + strings.Replace(params, "params", "PARAMS", 1) + `}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","Name":"publish","arguments":{"html":"<p>a"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish","arguments":{"html":"<p>a"},"arguments":{}}}`,
	} {
		got := send(t, service.Client(), "POST", at, body, "Authorization", key)
		if got.status >= http.StatusInternalServerError {
			t.Errorf("%s: %d %s", body, got.status, got.text)
		}
		list := send(t, service.Client(), "POST", at, calling("list_projects", "{}"), "Authorization", key)
		if projects, _ := list.result(t).Data["projects"].([]any); len(projects) != 0 {
			t.Fatalf("%s has published %v", body, projects)
		}
	}
}
