package oauth_test

import (
	"errors"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestTheQuestionShowsClientPlaceAndWish(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	for scope, want := range map[string]string{
		"": oauth.ScopeAccount, "account": oauth.ScopeAccount, "project": oauth.ScopeProject, "account project": oauth.ScopeAccount,
		"openid offline_access": oauth.ScopeAccount, "openid project": oauth.ScopeProject,
	} {
		r := f.request()
		r.Scope = scope
		expect.OK(t, f.OAuth.Check(t.Context(), testworld.Nobody(), r))
		asked, err := f.OAuth.Ask(t.Context(), f.owner, r)
		expect.OK(t, err)
		expect.Equal(t, "the wish of "+scope, asked.Wish, want)
		expect.Equal(t, "the client", asked.Client.Name, "Editor")
		expect.Equal(t, "the place", asked.Place, oauth.Place{Machine: true})
	}
}

func TestABadRequestIsRefusedAtTheClientIfThatIsKnown(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	for name, c := range map[string]struct {
		change func(*oauth.Request)
		want   sandlot.Code
		shown  bool // as a page
	}{
		"an unknown client":                {func(r *oauth.Request) { r.ClientID = "x" }, "invalid_client", true},
		"another redirect":                 {func(r *oauth.Request) { r.RedirectURI += "&x=1" }, badRequest, true},
		"no redirect":                      {func(r *oauth.Request) { r.RedirectURI = "" }, badRequest, true},
		"a client without redirects":       {func(r *oauth.Request) { r.ClientID, r.RedirectURI = oauth.Terminal, "" }, badRequest, true},
		"the implicit grant":               {func(r *oauth.Request) { r.ResponseType = "token" }, "unsupported_response_type", false},
		"no response_type":                 {func(r *oauth.Request) { r.ResponseType = "" }, badRequest, false},
		"no challenge":                     {func(r *oauth.Request) { r.Challenge = "" }, badRequest, false},
		"a plain challenge":                {func(r *oauth.Request) { r.ChallengeMethod, r.Challenge = "plain", verifier }, badRequest, false},
		"no method, which is plain":        {func(r *oauth.Request) { r.ChallengeMethod = "" }, badRequest, false},
		"a challenge of another length":    {func(r *oauth.Request) { r.Challenge = r.Challenge[:42] }, badRequest, false},
		"another resource":                 {func(r *oauth.Request) { r.Resource = "http://localhost:8080/mcp" }, badTarget, false},
		"a resource with a slash too many": {func(r *oauth.Request) { r.Resource = "http://localhost:8080/mcp/account/" }, badTarget, false},
	} {
		r := f.request()
		c.change(&r)
		for who, err := range map[string]error{
			"nobody": f.OAuth.Check(t.Context(), testworld.Nobody(), r), "the owner": second(f.OAuth.Ask(t.Context(), f.owner, r)),
			"who denies":   second(f.OAuth.Deny(t.Context(), f.owner, r)),
			"who approves": second(f.OAuth.Approve(t.Context(), f.owner, r, oauth.Choice{})),
		} {
			expect.Is(t, name+" for "+who, code(t, err), c.want)
			var refused *oauth.Refusal
			errors.As(err, &refused)
			expect.Equal(t, name+": whether it is shown as a page", refused.Redirect == "", c.shown)
			if !c.shown {
				q := f.sent(refused.Redirect)
				expect.Equal(t, name, q.Get("error"), string(c.want))
				expect.Equal(t, name, q.Get("error_description"), refused.Description)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestANoSendsTheBrowserBack(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	to, err := f.OAuth.Deny(t.Context(), f.owner, f.request())
	expect.OK(t, err)
	expect.Equal(t, "error", f.sent(to).Get("error"), "access_denied")
	r := f.request()
	r.RedirectURI, r.State = "cursor://sandlot/back", ""
	to, err = f.OAuth.Deny(t.Context(), f.owner, r)
	expect.OK(t, err)
	expect.Equal(t, "the address without a state", to,
		"cursor://sandlot/back?error=access_denied&error_description=The+owner+of+the+account+said+no.&iss=http%3A%2F%2Flocalhost%3A8080%2Foauth")
}

func TestAConsentIsOfThisSessionAndThisRequest(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	r := f.request()
	asked, err := f.OAuth.Ask(t.Context(), f.owner, r)
	expect.OK(t, err)
	try := func(by sandlot.Caller, r oauth.Request, c oauth.Choice) error {
		return second(f.OAuth.Approve(t.Context(), by, r, c))
	}
	good := oauth.Choice{Form: asked.Form}
	for name, change := range map[string]func(*oauth.Request){
		"another state":     func(r *oauth.Request) { r.State = "x" },
		"another challenge": func(r *oauth.Request) { r.Challenge = challengeOf("x") },
		"another redirect":  func(r *oauth.Request) { r.RedirectURI = "http://127.0.0.1:1/back?tab=1" },
		"another scope":     func(r *oauth.Request) { r.Scope = "project" },
	} {
		other := r
		change(&other)
		expect.Is(t, name, try(f.owner, other, good), sandlot.CodeInvalidField)
	}
	expect.Is(t, "another session of the account", try(f.OwnerOf(f.account.ID), r, good), sandlot.CodeInvalidField)
	expect.Is(t, "no form", try(f.owner, r, oauth.Choice{}), sandlot.CodeInvalidField)
	expect.OK(t, try(f.owner, r, good))

	_, _, theirs := f.Owned("lee@mail.internal", "<!doctype html>")
	expect.Is(t, "another's project", try(f.owner, r, oauth.Choice{Form: asked.Form, Project: theirs.ID}), sandlot.ErrNotFound)
	expect.Is(t, "no project", try(f.owner, r, oauth.Choice{Form: asked.Form, Project: "none-000000"}), sandlot.ErrNotFound)
	r.Scope = "project"
	asked, err = f.OAuth.Ask(t.Context(), f.owner, r)
	expect.OK(t, err)
	expect.Is(t, "the account for a program that asks for one project", try(f.owner, r, oauth.Choice{Form: asked.Form}), sandlot.CodeInvalidField)
	expect.Equal(t, "grants", len(f.Grants(f.owner)), 0)
}
