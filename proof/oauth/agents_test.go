package oauth

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// An agent is an official client with a handler for OAuth. Its methods end the test when the client throws.
type agent interface {
	// connect begins a conversation; the browser opens the address and returns the query of the redirect.
	connect(t *testing.T, browser func(address string) (query string))
	call(t *testing.T, name string, arguments any) result
	// expire has the next call refresh the tokens.
	expire(t *testing.T)
	// access returns the access token in use.
	access(t *testing.T) string
}

// A result is the answer to a call of a tool, as the client hands it to a program.
type result struct {
	IsError bool `json:"isError"`
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Data object `json:"structuredContent"`
}

// startAgent starts the client of that name, which may have a metadata document.
func startAgent(t *testing.T, kind, address, callback string, document ...string) agent {
	t.Helper()
	if kind == "go" {
		return &goAgent{address: address, callback: callback, document: document}
	}
	return &nodeAgent{startNode(t, "client.mjs", append([]string{address, kind, callback}, document...)...)}
}

// A goAgent is the client of the go-sdk.
type goAgent struct {
	address, callback string
	document          []string // the address of its metadata document, if it has one
	session           *sdk.ClientSession

	mu      sync.Mutex
	config  *oauth2.Config
	current *oauth2.Token
}

// Token implements oauth2.TokenSource: it refreshes as oauth2 does, and keeps the token.
func (a *goAgent) Token() (*oauth2.Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next, err := a.config.TokenSource(context.Background(), a.current).Token()
	if err == nil {
		a.current = next
	}
	return next, err
}

func (a *goAgent) connect(t *testing.T, browser func(string) string) {
	t.Helper()
	config := &auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Client go", RedirectURIs: []string{a.callback}, TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
		RequestRefreshToken: true,
		AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			query, err := url.ParseQuery(browser(args.URL))
			return &auth.AuthorizationResult{Code: query.Get("code"), State: query.Get("state"), Iss: query.Get("iss")}, err
		},
		NewTokenSource: func(_ context.Context, config *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			a.config, a.current = config, token
			return a, nil
		},
	}
	if len(a.document) > 0 {
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: a.document[0]}
	}
	handler, err := auth.NewAuthorizationCodeHandler(config)
	expect.OK(t, err)
	over := &sdk.StreamableClientTransport{
		Endpoint: a.address, HTTPClient: &http.Client{Timeout: limit}, MaxRetries: -1, OAuthHandler: handler,
	}
	a.session, err = sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1.0.0"}, nil).Connect(t.Context(), over, nil)
	expect.OK(t, err, "connect")
	t.Cleanup(func() { _ = a.session.Close() })
}

func (a *goAgent) call(t *testing.T, name string, arguments any) (r result) {
	t.Helper()
	got, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	expect.OK(t, err, "call", name)
	text, err := json.Marshal(got)
	expect.OK(t, err)
	expect.OK(t, json.Unmarshal(text, &r), string(text))
	return r
}

func (a *goAgent) expire(*testing.T) {
	a.mu.Lock()
	defer a.mu.Unlock()
	past := *a.current
	past.Expiry = time.Now().Add(-time.Minute)
	a.current = &past
}

func (a *goAgent) access(*testing.T) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.current.AccessToken
}

// A nodeAgent is a client of the TypeScript SDKs, in a process of its own.
type nodeAgent struct{ *node }

func (a *nodeAgent) connect(t *testing.T, browser func(string) string) {
	t.Helper()
	var begun struct{ Authorize string }
	a.do(t, object{"verb": "begin"}, &begun)
	var tokens object
	a.do(t, object{"verb": "finish", "query": browser(begun.Authorize)}, &tokens)
}

func (a *nodeAgent) call(t *testing.T, name string, arguments any) (got result) {
	t.Helper()
	a.do(t, object{"verb": "call", "name": name, "arguments": arguments}, &got)
	return got
}

func (a *nodeAgent) expire(t *testing.T) {
	t.Helper()
	a.do(t, object{"verb": "expire"}, &object{})
}

func (a *nodeAgent) access(t *testing.T) string {
	t.Helper()
	var got object
	a.do(t, object{"verb": "tokens"}, &got)
	return text(got, "access_token")
}

// A node is a script that runs in Node and makes calls that come as lines of JSON.
type node struct {
	in  *json.Encoder
	out *bufio.Scanner
}

func startNode(t *testing.T, script string, args ...string) *node {
	t.Helper()
	packages := testenv.NodePackages(t)
	dir := t.TempDir()
	source, err := os.ReadFile(script)
	expect.OK(t, err)
	expect.OK(t, os.WriteFile(filepath.Join(dir, script), source, 0o600))
	expect.OK(t, os.Symlink(packages, filepath.Join(dir, "node_modules")))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	c := exec.CommandContext(ctx, "node", append([]string{script}, args...)...)
	c.Dir, c.Stderr = dir, os.Stderr
	in, err := c.StdinPipe()
	expect.OK(t, err)
	out, err := c.StdoutPipe()
	expect.OK(t, err)
	expect.OK(t, c.Start())
	t.Cleanup(func() { cancel(); _ = c.Wait() })
	n := &node{json.NewEncoder(in), bufio.NewScanner(out)}
	n.out.Buffer(nil, 8<<20)
	return n
}

// do has the script make a call, which must not throw, and reads its answer.
func (n *node) do(t *testing.T, call object, into any) {
	t.Helper()
	expect.OK(t, n.in.Encode(call))
	n.read(t, into)
}

// read reads the answer to a call that was sent.
func (n *node) read(t *testing.T, into any) {
	t.Helper()
	answer, thrown := n.next(t)
	if thrown != "" {
		t.Fatalf("the script throws %s", thrown)
	}
	expect.OK(t, json.Unmarshal(answer, into), string(answer))
}

// throws has the script make a call that must throw, and returns its words.
func (n *node) throws(t *testing.T, call object) string {
	t.Helper()
	expect.OK(t, n.in.Encode(call))
	answer, thrown := n.next(t)
	if thrown == "" {
		t.Fatalf("%v does not throw: %s", call, answer)
	}
	return thrown
}

func (n *node) next(t *testing.T) (answer json.RawMessage, thrown string) {
	t.Helper()
	if !n.out.Scan() {
		t.Fatal("the script has ended")
	}
	var got struct {
		Answer json.RawMessage `json:"answer"`
		Thrown string          `json:"thrown"`
	}
	expect.OK(t, json.Unmarshal(n.out.Bytes(), &got))
	return got.Answer, got.Thrown
}
