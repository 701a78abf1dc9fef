package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// What a client proves, and where it is sent back.
const (
	verifier = "a-verifier-of-43-characters-0123456789-abcd"
	back     = "http://127.0.0.1:4321/back?tab=1"
)

// A flow is a world with an account, its project, and a client that has registered.
type flow struct {
	*testworld.World
	t       *testing.T
	account sandlot.Account
	project sandlot.Project
	owner   sandlot.Caller // in a session
	client  oauth.Client
}

func newFlow(t *testing.T, options ...testworld.Option) *flow {
	t.Helper()
	f := &flow{World: testworld.New(t, options...), t: t}
	f.account, _, f.project = f.Owned("kim@mail.internal", "<!doctype html>")
	f.owner = f.OwnerOf(f.account.ID)
	var err error
	f.client, err = f.OAuth.Register(t.Context(), testworld.Nobody(), oauth.Registration{
		Name: "Editor", RedirectURIs: []string{"http://127.0.0.1/back?tab=1", "cursor://sandlot/back"},
		GrantTypes: []string{"authorization_code", "urn:ietf:params:oauth:grant-type:device_code"},
	})
	expect.OK(t, err)
	return f
}

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func (f *flow) request() oauth.Request {
	return oauth.Request{
		ClientID: f.client.ID, RedirectURI: back, ResponseType: "code", Challenge: challengeOf(verifier), ChallengeMethod: "S256", State: "a b&c",
	}
}

// approved returns the code that the owner's consent brings.
func (f *flow) approved(r oauth.Request, project sandlot.ProjectID) string {
	f.t.Helper()
	asked, err := f.OAuth.Ask(f.t.Context(), f.owner, r)
	expect.OK(f.t, err)
	to, err := f.OAuth.Approve(f.t.Context(), f.owner, r, oauth.Choice{Project: project, Form: asked.Form})
	expect.OK(f.t, err)
	return f.sent(to).Get("code")
}

// sent returns the parameters of the address to which the browser is sent, which has the right state and iss.
func (f *flow) sent(to string) url.Values {
	f.t.Helper()
	expect.Equal(f.t, "the address begins as redirect_uri", strings.HasPrefix(to, back+"&"), true)
	u, err := url.Parse(to)
	expect.OK(f.t, err)
	q := u.Query()
	expect.Equal(f.t, "state", q.Get("state"), "a b&c")
	expect.Equal(f.t, "iss", q.Get("iss"), "http://localhost:8080/oauth")
	return q
}

func (f *flow) exchange(code string) (oauth.Tokens, error) {
	return f.OAuth.Exchange(f.t.Context(), testworld.Nobody(), f.input(code))
}

func (f *flow) input(code string) oauth.CodeInput {
	return oauth.CodeInput{Code: code, ClientID: f.client.ID, RedirectURI: back, Verifier: verifier}
}

// granted returns the tokens of a grant of the client.
func (f *flow) granted(project sandlot.ProjectID) oauth.Tokens {
	f.t.Helper()
	got, err := f.exchange(f.approved(f.request(), project))
	expect.OK(f.t, err)
	return got
}

func (f *flow) refresh(token sandlot.Secret) (oauth.Tokens, error) {
	return f.OAuth.Refresh(f.t.Context(), testworld.Nobody(), oauth.RefreshInput{Token: token, ClientID: f.client.ID})
}

// identify returns the caller with an access token.
func (f *flow) identify(token sandlot.Secret) (sandlot.Caller, error) {
	return f.Callers.Identify(f.t.Context(), sandlot.Presented{Key: token}, sandlot.Sender{Network: testworld.Network})
}

func (f *flow) works(what string, token sandlot.Secret) sandlot.Caller {
	f.t.Helper()
	by, err := f.identify(token)
	expect.OK(f.t, err, what)
	return by
}

// fails checks that an access token is refused.
func (f *flow) fails(what string, token sandlot.Secret) {
	f.t.Helper()
	_, err := f.identify(token)
	expect.Is(f.t, what, err, sandlot.CodeInvalidKey)
}

// oneGets makes four calls at once, each of two nodes in turn, and fails unless one succeeds and the others get badGrant.
func (f *flow) oneGets(t *testing.T, call func(node *oauth.Service) error) {
	t.Helper()
	nodes, errs := []*oauth.Service{f.OAuth, f.Node(t).OAuth}, make([]error, 4)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { errs[i] = call(nodes[i%2]) })
	}
	wait.Wait()
	good := 0
	for _, err := range errs {
		if err == nil {
			good++
		} else {
			expect.Is(t, "the others", code(t, err), badGrant)
		}
	}
	expect.Equal(t, "how many got tokens", good, 1)
}

// code returns the code of a refusal of OAuth, or the error itself. A description is ASCII without a key.
func code(t *testing.T, err error) error {
	t.Helper()
	var r *oauth.Refusal
	if !errors.As(err, &r) {
		return err
	}
	if strings.ContainsFunc(r.Description, func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }) ||
		sandlot.KeyPattern.MatchString(r.Description) || r.Description == "" {
		t.Errorf("the description is empty, has a key, or characters that none may have: %q", r.Description)
	}
	return sandlot.Code(r.Code)
}

// The codes of OAuth.
const (
	badGrant   sandlot.Code = "invalid_grant"
	badTarget  sandlot.Code = "invalid_target"
	badRequest sandlot.Code = "invalid_request"
)

func (f *flow) page(by sandlot.Caller, idempotency string) (publish.Published, error) {
	out, _, err := f.Publish.Publish(f.t.Context(), by, publish.PublishInput{Content: f.Stage("<!doctype html><title>two"), Idempotency: idempotency})
	return out, err
}
