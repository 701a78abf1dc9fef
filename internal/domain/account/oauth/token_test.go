package oauth_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestACodeGivesTokensOnce(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	for extent, project := range map[string]sandlot.ProjectID{oauth.ScopeAccount: "", oauth.ScopeProject: f.project.ID} {
		r := f.request()
		r.Resource = oauth.Resource(f.Config.Places) // bound to the one there is, named or not
		got, err := f.exchange(f.approved(r, project))
		expect.OK(t, err)
		expect.Equal(t, "extent", got.Scope, extent)
		expect.Equal(t, "project", got.Project, project)
		expect.Equal(t, "life", got.Life, time.Hour)
		k := f.works(extent, got.Access).Key()
		expect.Equal(t, "the key", [3]any{k.Account, k.Project, k.Name}, [3]any{f.account.ID, project, "Editor"})
		expect.Equal(t, "its client", k.Client, f.client.ID)
	}
	expect.Equal(t, "grants", len(f.Grants(f.owner)), 2)
}

func TestACodeIsGoodFor60Seconds(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	first, second := f.approved(f.request(), ""), f.approved(f.request(), "")
	f.Clock.Move(oauth.CodeLife - time.Microsecond)
	_, err := f.exchange(first)
	expect.OK(t, err)
	f.Clock.Move(time.Microsecond)
	_, err = f.exchange(second)
	expect.Is(t, "after 60 s", code(t, err), badGrant)
	expect.Equal(t, "grants", len(f.Grants(f.owner)), 1)
}

func TestACodeIsBoundToClientRedirectAndChallenge(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	made := f.approved(f.request(), "")
	other, err := f.OAuth.Register(t.Context(), testworld.Nobody(), oauth.Registration{RedirectURIs: []string{back}})
	expect.OK(t, err)
	for name, change := range map[string]func(*oauth.CodeInput){
		"another client":    func(in *oauth.CodeInput) { in.ClientID = other.ID },
		"no client":         func(in *oauth.CodeInput) { in.ClientID = "" },
		"another port":      func(in *oauth.CodeInput) { in.RedirectURI = "http://127.0.0.1:4322/back?tab=1" },
		"no redirect":       func(in *oauth.CodeInput) { in.RedirectURI = "" },
		"another verifier":  func(in *oauth.CodeInput) { in.Verifier += "x" },
		"no verifier":       func(in *oauth.CodeInput) { in.Verifier = "" },
		"the challenge":     func(in *oauth.CodeInput) { in.Verifier = challengeOf(verifier) },
		"a changed code":    func(in *oauth.CodeInput) { in.Code = changed(in.Code) },
		"a cut code":        func(in *oauth.CodeInput) { in.Code = in.Code[:10] },
		"no code":           func(in *oauth.CodeInput) { in.Code = "" },
		"no base64":         func(in *oauth.CodeInput) { in.Code = "%" + in.Code },
		"the client's seal": func(in *oauth.CodeInput) { in.Code = f.client.ID },
	} {
		in := f.input(made)
		change(&in)
		_, err := f.OAuth.Exchange(t.Context(), testworld.Nobody(), in)
		expect.Is(t, name, code(t, err), badGrant)
	}
	in := f.input(made)
	in.Resource = "http://localhost:8080/mcp"
	_, err = f.OAuth.Exchange(t.Context(), testworld.Nobody(), in)
	expect.Is(t, "another resource", code(t, err), badTarget)
	_, err = f.exchange(made)
	expect.OK(t, err, "who may use it, after all these")
}

// changed returns a code with another first letter.
func changed(code string) string {
	if code[0] == 'A' {
		return "B" + code[1:]
	}
	return "A" + code[1:]
}

func TestACodeThatIsUsedTwiceEndsWhatItGave(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	for name, again := range map[string]func(*oauth.CodeInput){
		"the same":                    func(*oauth.CodeInput) {},
		"by a thief without verifier": func(in *oauth.CodeInput) { in.Verifier = "" },
		"for another client":          func(in *oauth.CodeInput) { in.ClientID = oauth.Terminal },
		"with a line break in it":     func(in *oauth.CodeInput) { in.Code = in.Code[:5] + "\n" + in.Code[5:] },
		"after its minute":            func(*oauth.CodeInput) { f.Clock.Move(10 * time.Minute) },
	} {
		made := f.approved(f.request(), "")
		got, err := f.exchange(made)
		expect.OK(t, err)
		got2, err := f.refresh(got.Refresh)
		expect.OK(t, err)
		in := f.input(made)
		again(&in)
		_, err = f.OAuth.Exchange(t.Context(), testworld.Nobody(), in)
		expect.Is(t, name, code(t, err), badGrant)
		f.fails(name, got.Access)
		f.fails(name, got2.Access)
		_, err = f.refresh(got2.Refresh)
		expect.Is(t, name+": the refresh token", code(t, err), badGrant)
		_, err = f.exchange(made)
		expect.Is(t, name+": a third time", code(t, err), badGrant)
	}
	expect.Equal(t, "grants", len(f.Grants(f.owner)), 0)
}

func TestTwoExchangesAtOnceLeaveNoGrant(t *testing.T) {
	t.Parallel()
	for set, on := range testworld.Sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			f := newFlow(t, on)
			made := f.approved(f.request(), "")
			f.oneGets(t, func(node *oauth.Service) error {
				_, err := node.Exchange(t.Context(), testworld.Nobody(), f.input(made))
				return err
			})
			expect.Equal(t, "grants that live", len(f.Grants(f.owner)), 0)
		})
	}
}

func TestAConsentEndsWithTheAccount(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	first, second := f.approved(f.request(), f.project.ID), f.approved(f.request(), "")
	_, err := f.Operate.Delete(t.Context(), sandlot.AsOperator(""), string(f.project.ID), "spam")
	expect.OK(t, err)
	_, err = f.exchange(first)
	expect.Is(t, "for a project that was deleted meanwhile", code(t, err), badGrant)
	_, err = f.Operate.Suspend(t.Context(), sandlot.AsOperator(""), "@"+f.account.Handle, "spam")
	expect.OK(t, err)
	_, err = f.exchange(second)
	expect.Is(t, "for an account that was suspended meanwhile", code(t, err), badGrant)
	_, err = f.Operate.Delete(t.Context(), sandlot.AsOperator(""), "@"+f.account.Handle, "spam")
	expect.OK(t, err)
	_, err = f.exchange(second)
	expect.Is(t, "for an account that was deleted meanwhile", code(t, err), badGrant)
}

func TestARefreshTokenIsReplacedWithAMinuteOfGrace(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	first := f.granted(f.project.ID)
	_, err := f.OAuth.Refresh(t.Context(), testworld.Nobody(), oauth.RefreshInput{Token: first.Refresh})
	expect.Is(t, "of another client", code(t, err), badGrant)
	_, err = f.OAuth.Refresh(t.Context(), testworld.Nobody(), oauth.RefreshInput{Token: first.Refresh, ClientID: f.client.ID, Resource: "x"})
	expect.Is(t, "for another resource", code(t, err), badTarget)
	for _, wrong := range []sandlot.Secret{"", "x", first.Access, first.Refresh[:39], first.Refresh + "x"} {
		_, err := f.refresh(wrong)
		expect.Is(t, "one that is none", code(t, err), badGrant)
	}
	second, err := f.refresh(first.Refresh)
	expect.OK(t, err)
	expect.Equal(t, "extent", [2]any{second.Scope, second.Project}, [2]any{oauth.ScopeProject, f.project.ID})
	f.Clock.Move(oauth.RefreshGrace - time.Microsecond)
	third, err := f.refresh(first.Refresh)
	expect.OK(t, err, "again within the minute")
	for _, got := range []oauth.Tokens{first, second, third} {
		f.works("an access token", got.Access)
	}
	f.Clock.Move(time.Hour)
	_, err = f.refresh(second.Refresh)
	expect.OK(t, err, "the second")
	_, err = f.refresh(third.Refresh)
	expect.OK(t, err, "the third")
	expect.Equal(t, "grants", len(f.Grants(f.owner)), 1)
}

func TestARefreshTokenThatWasReplacedEndsTheGrantAfterTheMinute(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	for name, steps := range map[string]int{"the last but one": 1, "an old one": 3} {
		first := f.granted("")
		last, err := first, error(nil)
		for range steps {
			f.Clock.Move(oauth.RefreshGrace)
			last, err = f.refresh(last.Refresh)
			expect.OK(t, err)
		}
		f.Clock.Move(oauth.RefreshGrace)
		f.works(name, last.Access)
		_, err = f.refresh(first.Refresh)
		expect.Is(t, name, code(t, err), badGrant)
		f.fails(name, last.Access)
		_, err = f.refresh(last.Refresh)
		expect.Is(t, name+": the newest", code(t, err), badGrant)
	}
	expect.Equal(t, "grants", len(f.Grants(f.owner)), 0)
}

func TestTwoRefreshesAtOnceBothGetTokens(t *testing.T) {
	t.Parallel()
	for set, on := range testworld.Sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			f := newFlow(t, on)
			nodes, first := []*oauth.Service{f.OAuth, f.Node(t).OAuth}, f.granted("")
			got, errs := make([]oauth.Tokens, 2), make([]error, 2)
			var wait sync.WaitGroup
			for i := range got {
				wait.Go(func() {
					got[i], errs[i] = nodes[i].Refresh(t.Context(), testworld.Nobody(), oauth.RefreshInput{Token: first.Refresh, ClientID: f.client.ID})
				})
			}
			wait.Wait()
			for i := range got {
				expect.OK(t, errs[i])
				f.works("each", got[i].Access)
			}
		})
	}
}

func TestTokensEnd(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	got := f.granted("")
	f.Clock.Move(oauth.AccessLife - time.Microsecond)
	f.works("within the hour", got.Access)
	f.Clock.Move(time.Microsecond)
	f.fails("after an hour", got.Access)
	f.Clock.Move(oauth.RefreshLife - oauth.AccessLife - time.Microsecond)
	next, err := f.refresh(got.Refresh)
	expect.OK(t, err, "within 30 days")
	f.Clock.Move(oauth.RefreshLife)
	_, err = f.refresh(next.Refresh)
	expect.Is(t, "after 30 days without use", code(t, err), badGrant)
}

func TestAGrantIsListedByItsClientAndEndedThere(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	got := f.granted(f.project.ID)
	f.Clock.Move(time.Minute)
	f.works("once", got.Access)
	expect.OK(t, f.KeyUses.Flush(t.Context()))
	k := f.Grants(f.owner)[0]
	expect.Equal(t, "the grant", [4]any{k.Name, k.Client, k.Kind, k.Project}, [4]any{"Editor", f.client.ID, sandlot.ProjectKey, f.project.ID})
	expect.Equal(t, "its last use", k.LastUsedAt, f.Now())
	other := f.granted("")
	expect.OK(t, f.Publish.Keyring.RevokeKey(t.Context(), f.owner, k.ID))
	f.fails("ended", got.Access)
	_, err := f.refresh(got.Refresh)
	expect.Is(t, "its refresh token", code(t, err), badGrant)
	f.works("another grant of the client", other.Access)
	form, err := f.Publish.Keyring.FormToken(t.Context(), f.owner)
	expect.OK(t, err)
	_, err = f.Publish.Keyring.RotateKey(t.Context(), f.owner, form)
	expect.OK(t, err)
	f.works("a grant when the account key is replaced", other.Access)
}

func TestAGrantMayWhatAKeyMay(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	all, one := f.works("all", f.granted("").Access), f.works("one", f.granted(f.project.ID).Access)
	out, err := f.page(all, "")
	expect.OK(t, err, "publish for the account")
	expect.Equal(t, "the owner", out.Project.Account, f.account.ID)
	expect.Equal(t, "keys, which would outlive the grant", out.Keys, publish.Minted{})
	keys, _, err := f.Publish.Keyring.Keys(t.Context(), f.owner, 0)
	expect.OK(t, err)
	expect.Equal(t, "keys of the new project", slices.ContainsFunc(keys, func(k sandlot.Key) bool { return k.Project == out.Project.ID }), false)
	_, err = f.page(one, "")
	expect.Is(t, "publish for one project", err, sandlot.CodeAccountKeyRequired)
	f.PutFile(one, f.project.ID, "a.css", "a {}")
	f.PutFile(all, f.project.ID, "b.css", "a {}")
	_, _, err = f.Publish.Update(t.Context(), one, publish.UpdateInput{Project: string(out.Project.ID), Filename: "a.css", Content: f.Stage("")})
	expect.Is(t, "another project", err, sandlot.CodeWrongProject)
	for _, by := range []sandlot.Caller{all, one} {
		_, err := f.Publish.Keyring.MintKey(t.Context(), by, publish.NewKey{Project: f.project.ID, Name: "x", Form: "x"})
		expect.Is(t, "what is done only in the browser", err, sandlot.ErrLoginNeeded)
		_, err = f.OAuth.Ask(t.Context(), by, f.request())
		expect.Is(t, "another consent", err, sandlot.ErrLoginNeeded)
	}
}

func TestTheNextAccessTokenGetsTheAnswerOfTheOneBefore(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	first := f.granted("")
	made, err := f.page(f.works("first", first.Access), "a-key")
	expect.OK(t, err)
	f.Clock.Move(oauth.AccessLife)
	second, err := f.refresh(first.Refresh)
	expect.OK(t, err)
	again, err := f.page(f.works("second", second.Access), "a-key")
	expect.OK(t, err)
	expect.Equal(t, "the project", again.Project.ID, made.Project.ID)
	other, err := f.page(f.works("another grant", f.granted("").Access), "a-key")
	expect.OK(t, err)
	expect.Equal(t, "another grant gets an answer of its own", other.Project.ID != made.Project.ID, true)
}

func TestASuspendedAccountKeepsItsGrantsWithoutTheRight(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	got := f.granted("")
	_, err := f.Operate.Suspend(t.Context(), sandlot.AsOperator(""), "@"+f.account.Handle, "spam")
	expect.OK(t, err)
	_, err = f.page(f.works("suspended", got.Access), "")
	expect.Is(t, "publish", err, sandlot.CodeAccountSuspended)
	_, err = f.refresh(got.Refresh)
	expect.OK(t, err, "refresh")
	_, err = f.OAuth.Ask(t.Context(), f.OwnerOf(f.account.ID), f.request())
	expect.Is(t, "another consent", err, sandlot.CodeAccountSuspended)
}

func TestTheProgramsOfADeletedAccountAreForgotten(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	got := f.granted("")
	_, err := f.Operate.Delete(t.Context(), sandlot.AsOperator(""), "@"+f.account.Handle, "spam")
	expect.OK(t, err)
	f.fails("its token", got.Access)
	_, _, err = f.DB.Upkeep().Sweep(t.Context(), f.Now(), f.Now(), 1000)
	expect.OK(t, err)
	expect.Same(t, "names and clients", f.Query("SELECT name || client FROM keys WHERE client IS NOT NULL"), []string{""})
	_, _, err = f.DB.Upkeep().Sweep(t.Context(), f.Now().Add(oauth.RefreshLife), f.Now(), 1000)
	expect.OK(t, err)
	expect.Same(t, "grants and tokens", f.Query("SELECT key FROM tokens UNION SELECT id FROM keys WHERE client IS NOT NULL"), nil)
}

func TestRevokeEndsTheGrantOfAToken(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	of := map[string]func(oauth.Tokens) sandlot.Secret{
		"access":  func(got oauth.Tokens) sandlot.Secret { return got.Access },
		"refresh": func(got oauth.Tokens) sandlot.Secret { return got.Refresh },
	}
	for name, token := range of {
		got := f.granted("")
		expect.OK(t, f.OAuth.Revoke(t.Context(), testworld.Nobody(), token(got), oauth.Terminal), "by another client")
		expect.OK(t, f.OAuth.Revoke(t.Context(), testworld.Nobody(), "slr_unknown", f.client.ID), "one that is unknown")
		f.works(name, got.Access)
		expect.OK(t, f.OAuth.Revoke(t.Context(), testworld.Nobody(), token(got), f.client.ID))
		f.fails(name, got.Access)
		_, err := f.refresh(got.Refresh)
		expect.Is(t, name, code(t, err), badGrant)
	}
}

func TestOnlyAccessTokensArePresented(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	got := f.granted("")
	device, err := f.OAuth.AskDevice(t.Context(), testworld.Nobody(), oauth.DeviceInput{})
	expect.OK(t, err)
	for token, says := range map[sandlot.Secret]string{
		got.Refresh: "at /oauth/token", device.Code: "at /oauth/token", got.Access[:39] + "_": "mistyped", got.Access[:20]: "mistyped",
		"slo_000000000000000000000000000000000000": "unknown here",
	} {
		_, err := f.identify(token)
		refused := testworld.Refused(t, err, sandlot.CodeInvalidKey)
		expect.Contains(t, "the sentence", refused.Message, says)
		expect.Contains(t, "the hint", refused.Fix.Note, "/oauth/token")
	}
}

func TestATicketEndsWithItsGrant(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	got := f.granted("")
	issued, err := f.Tickets.Issue(t.Context(), f.works("the token", got.Access), ticket.Told{})
	expect.OK(t, err)
	f.Clock.Move(time.Minute)
	bearer := f.works("the ticket", issued.Ticket)
	expect.OK(t, f.Publish.Keyring.RevokeKey(t.Context(), f.owner, f.Grants(f.owner)[0].ID))
	f.fails("the ticket then", issued.Ticket)
	_, err = f.page(bearer, "")
	expect.Is(t, "a call that has begun with it", err, sandlot.CodeInvalidKey)
}
