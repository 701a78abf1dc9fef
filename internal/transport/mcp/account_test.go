package mcp

import (
	"testing"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// consents returns the tokens of a grant of the account, for one of its projects if of names it.
func (w *world) consents(of sandlot.ProjectID) oauth.Tokens {
	w.t.Helper()
	by, err := w.Callers.Identify(w.t.Context(), sandlot.Presented{Key: sandlot.Secret(w.account)}, sandlot.Sender{})
	expect.OK(w.t, err)
	owner, ctx := w.OwnerOf(by.Account()), w.t.Context()
	d, err := w.OAuth.AskDevice(ctx, testworld.Nobody(), oauth.DeviceInput{})
	expect.OK(w.t, err)
	asked, err := w.OAuth.DeviceConsent(ctx, owner, d.UserCode)
	expect.OK(w.t, err)
	expect.OK(w.t, w.OAuth.ApproveDevice(ctx, owner, d.UserCode, oauth.Choice{Project: of, Form: asked.Form}))
	got, err := w.OAuth.PollDevice(ctx, testworld.Nobody(), d.Code, "")
	expect.OK(w.t, err)
	return got
}

// TestAnAccessTokenWorksOnBothAddresses: that of a project for it alone.
func TestAnAccessTokenWorksOnBothAddresses(t *testing.T) {
	w := settled(t)
	all, one := w.consents(""), w.consents(sandlot.ProjectID(w.id))
	list := rpc("tools/call", map[string]any{"name": "list_projects", "arguments": map[string]any{}})
	for _, path := range []string{"/mcp", "/mcp/account"} {
		for _, token := range []sandlot.Secret{all.Access, one.Access} {
			got := w.post(path, list, "Authorization", "Bearer "+token.Reveal()).wants(200).tool().done()
			expect.Equal(t, "projects on "+path, len(got.data["projects"].([]any)), 1)
		}
		for name, token := range map[string]sandlot.Secret{"a refresh token": all.Refresh, "one cut": all.Access[:20]} {
			got := w.post(path, list, "Authorization", "Bearer "+token.Reveal()).wants(401)
			expect.Contains(t, name, got.header.Get("WWW-Authenticate"), `error="invalid_token"`)
		}
	}
	w.call(all.Access.Reveal(), "publish", `{"html":`+q(page)+`}`).done()
	w.call(one.Access.Reveal(), "publish", `{"html":`+q(page)+`}`).refused("account_key_required")
	expect.OK(t, w.OAuth.Revoke(t.Context(), testworld.Nobody(), all.Access, ""))
	w.post("/mcp", list, "Authorization", "Bearer "+all.Access.Reveal()).wants(401)
}

// TestATokenIsRefusedLikeAKeyOfItsAccount: where publishing is closed, after a take-down, and while the account is suspended.
func TestATokenIsRefusedLikeAKeyOfItsAccount(t *testing.T) {
	w := settled(t)
	token := w.consents("").Access.Reveal()
	both := func(name, arguments, code string) {
		t.Helper()
		for _, key := range []string{w.account, token} {
			w.call(key, name, arguments).refused(code)
		}
	}
	change := `{"project":` + q(w.id) + `,"files":[{"filename":"a.js","text":"1"}]}`
	w.Publish.Opening = sandlot.Closed
	both("publish", `{"html":`+q(page)+`}`, "publish_closed")
	_, err := w.Operate.Suspend(t.Context(), sandlot.AsOperator(""), w.id, "spam")
	expect.OK(t, err)
	both("update", change, "taken_down")
	by, err := w.Callers.Identify(t.Context(), sandlot.Presented{Key: sandlot.Secret(w.account)}, sandlot.Sender{})
	expect.OK(t, err)
	account, err := w.DB.Account().Account(t.Context(), by.Account())
	expect.OK(t, err)
	_, err = w.Operate.Suspend(t.Context(), sandlot.AsOperator(""), "@"+account.Handle, "spam")
	expect.OK(t, err)
	both("update", change, "account_suspended")
}
