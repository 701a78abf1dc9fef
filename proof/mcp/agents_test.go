package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// limit is many times the length of a conversation.
const limit = 2 * time.Minute

// An agent is an official client without a handler for OAuth. Its methods end the test when the client throws, but for throws.
type agent interface {
	// connect begins a conversation, with a key in the header unless it is empty, and returns the negotiated version.
	connect(t *testing.T, key string) (version string)
	tools(t *testing.T) []tool
	call(t *testing.T, name string, arguments any) result
	// throws makes a call that the client itself must report as failed, and returns its words.
	throws(t *testing.T, name string, arguments any) string
	read(t *testing.T, uri string) (text string)
}

type tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema map[string]any `json:"inputSchema"`
}

// A result is the answer to a call of a tool, as the client hands it to a program.
type result struct {
	IsError bool           `json:"isError"`
	Content []block        `json:"content"`
	Data    map[string]any `json:"structuredContent"`
	Meta    map[string]any `json:"_meta"`
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// A kind is an official client in one of its modes.
type kind struct {
	name, version string // the version that it must negotiate
	start         func(t *testing.T, address string) agent
}

// kinds returns them all, the first three of which differ most.
func kinds() []kind {
	node := func(mode string) func(*testing.T, string) agent {
		return func(t *testing.T, address string) agent { return startNode(t, address, mode) }
	}
	return []kind{
		{"go", "2026-07-28", func(_ *testing.T, address string) agent { return &goAgent{address: address} }},
		{"typescript legacy", "2025-11-25", node("legacy")},
		{"typescript auto", "2026-07-28", node("auto")},
		{"typescript pinned", "2026-07-28", node("pinned")},
		{"typescript first", "2025-11-25", node("first")},
		{"go before", "2025-11-25", func(_ *testing.T, address string) agent { return &goAgent{address: address, version: "2025-11-25"} }},
	}
}

// A goAgent is the client of the go-sdk.
type goAgent struct {
	address, version string
	http             *http.Client // http.DefaultClient if nil
	session          *sdk.ClientSession
}

// keyed sends a key with every request.
type keyed struct {
	key  string
	next http.RoundTripper
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return k.next.RoundTrip(r)
}

func (a *goAgent) connect(t *testing.T, key string) string {
	t.Helper()
	transport := http.DefaultTransport
	if a.http != nil {
		transport = a.http.Transport
	}
	if key != "" {
		transport = keyed{key, transport}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	over := &sdk.StreamableClientTransport{Endpoint: a.address, HTTPClient: &http.Client{Transport: transport, Timeout: limit}, MaxRetries: -1}
	session, err := client.Connect(t.Context(), over, &sdk.ClientSessionOptions{ProtocolVersion: a.version})
	expect.OK(t, err, "connect")
	a.session = session
	t.Cleanup(func() { _ = session.Close() })
	return session.InitializeResult().ProtocolVersion
}

func (a *goAgent) tools(t *testing.T) []tool {
	t.Helper()
	list, err := a.session.ListTools(t.Context(), nil)
	expect.OK(t, err, "tools")
	return again[[]tool](t, list.Tools)
}

func (a *goAgent) call(t *testing.T, name string, arguments any) result {
	t.Helper()
	got, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	expect.OK(t, err, "call", name)
	return again[result](t, got)
}

func (a *goAgent) throws(t *testing.T, name string, arguments any) string {
	t.Helper()
	got, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err == nil {
		t.Fatalf("%s does not fail: %v", name, got)
	}
	return err.Error()
}

func (a *goAgent) read(t *testing.T, uri string) string {
	t.Helper()
	got, err := a.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
	expect.OK(t, err, "read", uri)
	expect.Equal(t, "contents of "+uri, len(got.Contents), 1)
	return got.Contents[0].Text
}

// again returns a value as its JSON is read.
func again[T any](t *testing.T, v any) (out T) {
	t.Helper()
	text, err := json.Marshal(v)
	expect.OK(t, err)
	expect.OK(t, json.Unmarshal(text, &out), string(text))
	return out
}

// A nodeAgent is a client of the TypeScript SDKs, in a process of its own.
type nodeAgent struct {
	in  *json.Encoder
	out *bufio.Scanner
}

func startNode(t *testing.T, address, mode string) agent {
	t.Helper()
	packages := testenv.NodePackages(t)
	dir := t.TempDir()
	script, err := os.ReadFile("agent.mjs")
	expect.OK(t, err)
	expect.OK(t, os.WriteFile(filepath.Join(dir, "agent.mjs"), script, 0o600))
	expect.OK(t, os.Symlink(packages, filepath.Join(dir, "node_modules")))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	c := exec.CommandContext(ctx, "node", "agent.mjs", address, mode)
	c.Dir, c.Stderr = dir, os.Stderr
	in, err := c.StdinPipe()
	expect.OK(t, err)
	out, err := c.StdoutPipe()
	expect.OK(t, err)
	expect.OK(t, c.Start())
	t.Cleanup(func() { cancel(); _ = c.Wait() })
	a := &nodeAgent{json.NewEncoder(in), bufio.NewScanner(out)}
	a.out.Buffer(nil, 8<<20)
	return a
}

// do has the process make a call, which must not throw, and reads its answer.
func (a *nodeAgent) do(t *testing.T, call map[string]any, into any) {
	t.Helper()
	answer, thrown := a.try(t, call)
	if thrown != "" {
		t.Fatalf("%v: the client throws %s", call, thrown)
	}
	expect.OK(t, json.Unmarshal(answer, into), string(answer))
}

// try has the process make a call, and returns its answer or its exception.
func (a *nodeAgent) try(t *testing.T, call map[string]any) (answer json.RawMessage, thrown string) {
	t.Helper()
	expect.OK(t, a.in.Encode(call))
	if !a.out.Scan() {
		t.Fatal("the client has ended")
	}
	var got struct {
		Answer json.RawMessage `json:"answer"`
		Thrown string          `json:"thrown"`
	}
	expect.OK(t, json.Unmarshal(a.out.Bytes(), &got))
	return got.Answer, got.Thrown
}

func (a *nodeAgent) connect(t *testing.T, key string) string {
	t.Helper()
	var got struct{ Version string }
	a.do(t, map[string]any{"verb": "connect", "key": key}, &got)
	return got.Version
}

func (a *nodeAgent) tools(t *testing.T) []tool {
	t.Helper()
	var got struct{ Tools []tool }
	a.do(t, map[string]any{"verb": "tools"}, &got)
	return got.Tools
}

func (a *nodeAgent) call(t *testing.T, name string, arguments any) (got result) {
	t.Helper()
	a.do(t, map[string]any{"verb": "call", "name": name, "arguments": arguments}, &got)
	return got
}

func (a *nodeAgent) throws(t *testing.T, name string, arguments any) string {
	t.Helper()
	answer, thrown := a.try(t, map[string]any{"verb": "call", "name": name, "arguments": arguments})
	if thrown == "" {
		t.Fatalf("%s does not fail: %s", name, answer)
	}
	return thrown
}

func (a *nodeAgent) read(t *testing.T, uri string) string {
	t.Helper()
	var got struct {
		Contents []block `json:"contents"`
	}
	a.do(t, map[string]any{"verb": "read", "uri": uri}, &got)
	expect.Equal(t, "contents of "+uri, len(got.Contents), 1)
	return got.Contents[0].Text
}
