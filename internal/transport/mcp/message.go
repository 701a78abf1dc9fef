package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
)

// Codes of errors of JSON-RPC.
const (
	codeParse    = -32700
	codeRequest  = -32600
	codeMethod   = -32601
	codeInternal = -32603
)

// versions are those of the protocol that are spoken here, newest first. They never change.
var versions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// fallback serves clients of a version that is not known, and those that do not keep to the newest.
const fallback = "2025-11-25"

const methodsHint = "The methods are: initialize, ping, server/discover, tools/list, tools/call, resources/list, resources/read."

// A message is one of JSON-RPC, as far as its headers repeat it.
type message struct {
	id      json.RawMessage // nil: a notification, or an answer
	method  string
	name    string // of the tool, or the address of the resource
	version string // of _meta
	size    int    // bytes
}

// A problem is the reason why a message is refused.
type problem struct {
	status, code  int
	message, hint string
}

// deepest is the most levels of a message; the API takes 32 in arguments.
const deepest = 64

// readMessage reads a message. Of equal names it takes the last, as the SDK does.
func readMessage(body []byte) (message, *problem) {
	m := message{size: len(body)}
	trimmed := bytes.TrimLeft(body, "\ufeff \t\r\n")
	if bytes.HasPrefix(trimmed, []byte("[")) {
		return m, &problem{http.StatusBadRequest, codeRequest, "Batches are not taken.", "Send each message alone."}
	}
	malformed := &problem{http.StatusBadRequest, codeParse, "The body is not one object in JSON.", "Send one message of JSON-RPC 2.0."}
	list, err := members(body)
	if err != nil {
		return m, malformed
	}
	id, method := last(list, "id").value, last(list, "method")
	var isText bool
	m.method, isText = method.text()
	if wrong := len(id) > 0 && !bytes.ContainsRune([]byte(`"-0123456789n`), rune(id[0])); wrong || method.value != nil && !isText ||
		string(last(list, "jsonrpc").value) != `"2.0"` {
		return m, malformed
	}
	if string(id) != "null" {
		m.id = id
	}
	if m.method == "subscriptions/listen" {
		return m, &problem{http.StatusOK, codeMethod, "Nothing is pushed here.", methodsHint}
	}
	if depth(body) > deepest {
		return m, &problem{http.StatusBadRequest, codeRequest, "The message is nested too deeply.", "Send at most " + strconv.Itoa(deepest) + " levels."}
	}
	params, _ := membersOf(last(list, "params").value) // none: there are no names in it
	switch m.method {
	case "tools/call", "prompts/get":
		m.name, _ = last(params, "name").text()
	case "resources/read":
		m.name, _ = last(params, "uri").text()
	}
	meta, _ := membersOf(last(params, "_meta").value)
	m.version, _ = last(meta, "io.modelcontextprotocol/protocolVersion").text()
	return m, nil
}

// depth returns the number of levels of a text in JSON.
func depth(text []byte) (most int) {
	level, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			level++
			most = max(most, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return most
}

// calls reports whether the message makes a call of the API, which charges it. Tools that read charge a small one alone:
// none of their calls is large.
func (m message) calls() bool {
	return m.method == "tools/call" && slices.ContainsFunc(tools(), func(t tool) bool {
		return t.name == m.name && (!t.reads || m.size < smallBody)
	})
}

// rightVersion returns the version for a header that says said; empty: it may stay away. The newest version has _meta in
// every message, so that a message without it is of an older one, whatever the header says.
func (m message) rightVersion(said string) string {
	switch {
	case m.version != "":
		return m.version
	case said == "" || slices.Contains(versions[1:], said):
		return said
	}
	return fallback
}

// withOuter returns the context of a request with the request itself, for the calls that its message makes.
func withOuter(r *http.Request) context.Context { return context.WithValue(r.Context(), outerKey{}, r) }

// refuse answers with an error of JSON-RPC. A nil id is null.
func refuse(w http.ResponseWriter, status int, id json.RawMessage, code int, text, hint string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	type failure struct {
		Code    int               `json:"code"`
		Message string            `json:"message"`
		Data    map[string]string `json:"data"`
	}
	body, _ := encoded(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   failure         `json:"error"`
	}{"2.0", id, failure{code, text + " " + hint, map[string]string{"hint": hint}}}) // texts always encode
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
