package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/api"
	"sandlot/internal/transport/guide"
	"sandlot/internal/transport/intake"
)

// A world is the Front over the real API of a testworld, behind an HTTP server.
type world struct {
	*testworld.World
	t      *testing.T
	api    http.Handler
	rest   http.Handler // the same API, for calls that are not of tools
	front  *Front
	server *httptest.Server
	addr   string // of the client, if not the real one

	account, project, id string // keys of the first account and its project, and its id
}

const page = "<!doctype html><title>Sky Hopper</title><h1>Hi</h1>\n<script>let speed = 1</script>"

func newWorld(t *testing.T, change ...func(*admission.Config, *publish.Config)) *world {
	t.Helper()
	limits := admission.Config{}
	cfg := publish.Config{Places: testworld.Places(), MailFolder: "mail"}
	for _, c := range change {
		c(&limits, &cfg)
	}
	w := &world{t: t, World: testworld.New(t, testworld.RealTime(), testworld.With(func(c *publish.Config) { *c = cfg }))}
	limits.Keys = w.Callers
	admitted := admission.New(limits)
	documents := guide.New(guide.Config{OpenAPI: api.Document(), Places: cfg.Places})
	calls := api.New(api.Config{
		Version: "1.2.3", Index: documents.Index, Service: w.Publish, Reader: w.Publish.Reader,
		Intake:  intake.New(intake.Intake{Contents: w.Publish.Contents, Places: cfg.Places}),
		Gallery: w.Gallery, Figures: w.Figures, Tickets: w.Tickets, Trials: trial.New(w.DB.Trials(), w.Publish.Reader, &trial.Status{Off: true}), Covers: w.Covers,
		Requests: &trial.Requests{Projects: w.Publish.Reader, Status: &trial.Status{}},
		Transfer: transfer.New(transfer.Config{Projects: w.Publish, Contents: w.Publish.Contents, Pictures: w.Covers, Temporary: t.TempDir()}),
		Places:   cfg.Places, Log: w.Log, Admission: admitted,
	})
	w.rest = calls
	w.api = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if documents.Takes(r) {
			documents.ServeHTTP(rw, r)
			return
		}
		calls.ServeHTTP(rw, r.WithContext(api.WithTools(r.Context())))
	})
	tools := New(Config{API: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.api.ServeHTTP(rw, r) }), Places: cfg.Places, Version: "1.2.3", Log: w.Log})
	w.front = NewFront(tools, admitted)
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = cmp.Or(w.addr, r.RemoteAddr)
		r = r.WithContext(api.WithRequestID(r.Context(), "the-request"))
		if r.URL.Path == "/mcp/account" {
			w.front.Account.ServeHTTP(rw, r)
			return
		}
		w.front.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.server.Close)
	return w
}

// settled is a world with one account and its project.
func settled(t *testing.T, change ...func(*admission.Config, *publish.Config)) *world {
	t.Helper()
	w := newWorld(t, change...)
	var got struct {
		APIKey  string `json:"api_key"`
		Key     string `json:"project_api_key"`
		Project string `json:"project_id"`
	}
	body, err := json.Marshal(map[string]any{"email": "me@sandlot.dev", "title": "Sky Hopper", "html": page})
	expect.OK(t, err)
	// The API without the mark of tools, so that it answers keys.
	r := httptest.NewRequest("POST", "/v1/publish", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	w.rest.ServeHTTP(rec, r)
	expect.OK(t, json.Unmarshal(rec.Body.Bytes(), &got))
	if got.APIKey == "" {
		t.Fatalf("publish answered %s", rec.Body)
	}
	w.account, w.project, w.id = got.APIKey, got.Key, got.Project
	return w
}

// an answered is an answer of HTTP, read whole.
type answered struct {
	t      *testing.T
	status int
	header http.Header
	text   string
}

// post sends a body as it is.
func (w *world) post(path, body string, headers ...string) answered {
	w.t.Helper()
	r, err := http.NewRequest("POST", w.server.URL+path, strings.NewReader(body))
	expect.OK(w.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return w.do(r)
}

func (w *world) do(r *http.Request) answered {
	w.t.Helper()
	res, err := w.server.Client().Do(r)
	expect.OK(w.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	expect.OK(w.t, err)
	return answered{w.t, res.StatusCode, res.Header, string(text)}
}

// wants checks the status, and that the answer is one of JSON-RPC.
func (a answered) wants(status int) answered {
	a.t.Helper()
	var got struct {
		Version string `json:"jsonrpc"`
	}
	if err := json.Unmarshal([]byte(a.text), &got); a.status != status || err != nil || got.Version != "2.0" || a.header.Get("Content-Type") != "application/json" {
		a.t.Fatalf("%d %s: %.600s; want %d and JSON-RPC", a.status, a.header.Get("Content-Type"), a.text, status)
	}
	return a
}

// says checks that the answer has a text.
func (a answered) says(part string) answered {
	a.t.Helper()
	if !strings.Contains(a.text, part) {
		a.t.Errorf("the answer lacks %q: %.600s", part, a.text)
	}
	return a
}

// rpc returns a message of the protocol without _meta.
func rpc(method string, params any) string {
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	return string(text)
}

// A got is the result of a tool.
type got struct {
	t     *testing.T
	text  string
	data  map[string]any
	whole *sdk.CallToolResult
}

// call makes a call of a tool with arguments in JSON, with a key if that is not empty.
func (w *world) call(key, name, arguments string) got {
	w.t.Helper()
	headers := []string{}
	if key != "" {
		headers = append(headers, "Authorization", "Bearer "+key)
	}
	a := w.post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}`, headers...)
	return a.wants(200).tool()
}

// tool reads the answer of a tool.
func (a answered) tool() got {
	a.t.Helper()
	var in struct {
		Result *sdk.CallToolResult `json:"result"`
	}
	expect.OK(a.t, json.Unmarshal([]byte(a.text), &in), a.text)
	if in.Result == nil {
		a.t.Fatalf("no result: %s", a.text)
	}
	return read(a.t, in.Result)
}

func read(t *testing.T, r *sdk.CallToolResult) got {
	t.Helper()
	g := got{t: t, whole: r}
	if len(r.Content) > 0 {
		if first, ok := r.Content[0].(*sdk.TextContent); ok {
			g.text = first.Text
		}
	}
	g.data, _ = r.StructuredContent.(map[string]any)
	if g.text == "" || g.data == nil {
		t.Fatalf("an answer without text or data: %+v", r)
	}
	return g
}

// done checks that the call was made, within the bounds of an answer.
func (g got) done() got {
	g.t.Helper()
	if g.whole.IsError {
		g.t.Fatalf("refused: %s", g.text)
	}
	if n := utf8.RuneCountInString(g.text); n > maxText {
		g.t.Errorf("the text has %d characters: %s", n, g.text)
	}
	return g
}

// refused checks that the call was refused with a code, within the bounds of an error.
func (g got) refused(code string) got {
	g.t.Helper()
	if !g.whole.IsError || g.str("error") != code {
		g.t.Fatalf("want %s, got %s", code, g.text)
	}
	if n := utf8.RuneCountInString(g.text); n > maxErrorText {
		g.t.Errorf("the text has %d characters: %s", n, g.text)
	}
	if strings.Contains(g.text, "curl") || strings.Contains(g.text, "project_id") && !strings.HasPrefix(g.text, "project_id_required") {
		g.t.Errorf("the error is not in the language of tools: %s", g.text)
	}
	return g
}

func (g got) str(name string) string { s, _ := g.data[name].(string); return s }

func (g got) num(name string) int { n, _ := g.data[name].(float64); return int(n) }

// size is the number of characters of the whole answer, as a model gets it: without the escapes of markup.
func (g got) size() int {
	text, err := json.Marshal(g.whole)
	expect.OK(g.t, err)
	var plain any
	expect.OK(g.t, json.Unmarshal(text, &plain))
	text, err = encoded(plain)
	expect.OK(g.t, err)
	return utf8.RuneCount(text)
}

// q returns a text in JSON.
func q(text string) string {
	out, _ := encoded(text)
	return string(out)
}

// connect returns a session of the SDK's client.
func (w *world) connect(t *testing.T, path, key string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: w.server.URL + path, HTTPClient: &http.Client{Transport: keyed{key}}, DisableStandaloneSSE: true,
	}, nil)
	expect.OK(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// keyed sends a key with every request.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	if k.key != "" {
		r = r.Clone(context.WithoutCancel(r.Context()))
		r.Header.Set("Authorization", "Bearer "+k.key)
	}
	return http.DefaultTransport.RoundTrip(r)
}
