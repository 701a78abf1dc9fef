package oauth_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func (f *flow) device(in oauth.DeviceInput) oauth.Device {
	f.t.Helper()
	d, err := f.OAuth.AskDevice(f.t.Context(), testworld.Nobody(), in)
	expect.OK(f.t, err)
	return d
}

// allow gives a device the owner's consent.
func (f *flow) allow(d oauth.Device, project sandlot.ProjectID) {
	f.t.Helper()
	asked, err := f.OAuth.DeviceConsent(f.t.Context(), f.owner, d.UserCode)
	expect.OK(f.t, err)
	expect.OK(f.t, f.OAuth.ApproveDevice(f.t.Context(), f.owner, d.UserCode, oauth.Choice{Project: project, Form: asked.Form}))
}

func (f *flow) poll(d oauth.Device) (oauth.Tokens, error) {
	return f.OAuth.PollDevice(f.t.Context(), testworld.Nobody(), d.Code, oauth.Terminal)
}

func TestADeviceGetsTokensOnce(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	d := f.device(oauth.DeviceInput{Project: "http://localhost:8080/p/" + string(f.project.ID)})
	expect.Equal(t, "the user_code is two groups of four consonants", regexp.MustCompile("^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$").
		MatchString(d.UserCode), true)
	expect.Equal(t, "life and interval", [2]time.Duration{d.Life, d.Interval}, [2]time.Duration{10 * time.Minute, 5 * time.Second})
	_, err := f.poll(d)
	expect.Is(t, "before the consent", code(t, err), sandlot.Code("authorization_pending"))
	for _, typed := range []string{d.UserCode, strings.ToLower(d.UserCode), strings.ReplaceAll(d.UserCode, "-", ""), " " + d.UserCode + " "} {
		asked, err := f.OAuth.DeviceConsent(t.Context(), f.owner, typed)
		expect.OK(t, err, typed)
		expect.Equal(t, "the question", [4]any{asked.Client.ID, asked.Wish, asked.Project, asked.Asked},
			[4]any{oauth.Terminal, oauth.ScopeProject, f.project.ID, f.Now()})
	}
	f.Clock.Move(oauth.DeviceInterval)
	f.allow(d, f.project.ID)
	got, err := f.poll(d)
	expect.OK(t, err)
	expect.Equal(t, "extent", [2]any{got.Scope, got.Project}, [2]any{oauth.ScopeProject, f.project.ID})
	f.PutFile(f.works("the token", got.Access), f.project.ID, "a.css", "a {}")
	_, err = f.poll(d)
	expect.Is(t, "again", code(t, err), badGrant)
	_, err = f.OAuth.Refresh(t.Context(), testworld.Nobody(), oauth.RefreshInput{Token: got.Refresh})
	expect.OK(t, err, "without a client_id, which is that of terminals")
	k := f.Grants(f.owner)[0]
	expect.Equal(t, "the grant", [2]string{k.Client, string(k.Kind)}, [2]string{oauth.Terminal, string(sandlot.ProjectKey)})
}

func TestADeviceIsAskedAboutOnce(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	d := f.device(oauth.DeviceInput{})
	asked, err := f.OAuth.DeviceConsent(t.Context(), f.owner, d.UserCode)
	expect.OK(t, err)
	choice := oauth.Choice{Form: asked.Form}
	expect.Is(t, "the form of another session", f.OAuth.ApproveDevice(t.Context(), f.OwnerOf(f.account.ID), d.UserCode, choice), sandlot.CodeInvalidField)
	expect.Is(t, "no form", f.OAuth.ApproveDevice(t.Context(), f.owner, d.UserCode, oauth.Choice{}), sandlot.CodeInvalidField)
	expect.Is(t, "a no without a form", f.OAuth.DenyDevice(t.Context(), f.owner, d.UserCode, ""), sandlot.CodeInvalidField)
	expect.Is(t, "the form of another device", f.OAuth.ApproveDevice(t.Context(), f.owner, f.device(oauth.DeviceInput{}).UserCode, choice), sandlot.CodeInvalidField)
	expect.OK(t, f.OAuth.ApproveDevice(t.Context(), f.owner, d.UserCode, choice))
	expect.Is(t, "twice", f.OAuth.ApproveDevice(t.Context(), f.owner, d.UserCode, choice), sandlot.ErrNotFound)
	expect.Is(t, "a no then", f.OAuth.DenyDevice(t.Context(), f.owner, d.UserCode, asked.Form), sandlot.ErrNotFound)
	_, err = f.OAuth.DeviceConsent(t.Context(), f.owner, d.UserCode)
	expect.Is(t, "the question then", err, sandlot.ErrNotFound)
	for _, wrong := range []string{"", "BCDF-GHJ", "BCDF-GHJKL", "AEIO-UAEI", "BCDF-GHJK", "SLD_-0000", d.Code.Reveal()} {
		_, err := f.OAuth.DeviceConsent(t.Context(), f.owner, wrong)
		expect.Is(t, "a code that is none", err, sandlot.ErrNotFound)
	}
	expect.Equal(t, "looks like one", oauth.LooksLikeUserCode("bcdf-ghjk"), true)
	expect.Equal(t, "looks like one", oauth.LooksLikeUserCode("slc_000000000000000000000000000000000000"), false)
}

func TestADeviceIsDenied(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	d := f.device(oauth.DeviceInput{})
	asked, err := f.OAuth.DeviceConsent(t.Context(), f.owner, d.UserCode)
	expect.OK(t, err)
	expect.OK(t, f.OAuth.DenyDevice(t.Context(), f.owner, d.UserCode, asked.Form))
	_, err = f.poll(d)
	expect.Is(t, "denied", code(t, err), sandlot.Code("access_denied"))
	expect.Equal(t, "grants", len(f.Grants(f.owner)), 0)

	d = f.device(oauth.DeviceInput{})
	f.allow(d, "")
	expect.OK(t, f.Publish.Keyring.RevokeKey(t.Context(), f.owner, f.Grants(f.owner)[0].ID))
	_, err = f.poll(d)
	expect.Is(t, "ended before it has fetched its tokens", code(t, err), sandlot.Code("access_denied"))
}

func TestADeviceThatAsksTooOftenSlowsDown(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	d := f.device(oauth.DeviceInput{})
	pending, slow := sandlot.Code("authorization_pending"), sandlot.Code("slow_down")
	for i, step := range []struct {
		wait time.Duration
		want sandlot.Code
	}{
		{0, pending},
		{5 * time.Second, pending},
		{4 * time.Second, slow}, // 10 s from now on
		{9 * time.Second, slow}, // 15 s
		{15 * time.Second, pending},
	} {
		f.Clock.Move(step.wait)
		_, err := f.poll(d)
		if got := code(t, err); got != step.want {
			t.Errorf("answer %d is %v, want %s", i, got, step.want)
		}
	}
	f.allow(d, "")
	f.Clock.Move(14 * time.Second)
	_, err := f.poll(d)
	expect.Is(t, "too often after the consent", code(t, err), slow)
	f.Clock.Move(20 * time.Second)
	_, err = f.poll(d)
	expect.OK(t, err, "after it has waited")
}

func TestADeviceCodeIsGoodFor10Minutes(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	d, fetched := f.device(oauth.DeviceInput{}), f.device(oauth.DeviceInput{})
	f.Clock.Move(oauth.DeviceLife - time.Microsecond)
	_, err := f.OAuth.DeviceConsent(t.Context(), f.owner, d.UserCode)
	expect.OK(t, err)
	f.allow(fetched, "")
	f.Clock.Move(time.Microsecond)
	_, err = f.OAuth.DeviceConsent(t.Context(), f.owner, d.UserCode)
	expect.Is(t, "the user_code", err, sandlot.ErrNotFound)
	for _, d := range []oauth.Device{d, fetched} {
		_, err = f.poll(d)
		expect.Is(t, "the device_code", code(t, err), sandlot.Code("expired_token"))
	}
}

func TestOfManyPollsAtOnceOneGetsTheTokens(t *testing.T) {
	t.Parallel()
	for set, on := range testworld.Sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			f := newFlow(t, on)
			d := f.device(oauth.DeviceInput{})
			f.allow(d, "")
			f.oneGets(t, func(node *oauth.Service) error {
				_, err := node.PollDevice(t.Context(), testworld.Nobody(), d.Code, oauth.Terminal)
				return err
			})
		})
	}
}

func TestAProgramWithoutAClientIDIsATerminal(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	d := f.device(oauth.DeviceInput{})
	f.allow(d, "")
	first, err := f.OAuth.PollDevice(t.Context(), testworld.Nobody(), d.Code, "")
	expect.OK(t, err)
	expect.Equal(t, "the client", f.Grants(f.owner)[0].Client, oauth.Terminal)
	next, err := f.OAuth.Refresh(t.Context(), testworld.Nobody(), oauth.RefreshInput{Token: first.Refresh})
	expect.OK(t, err)
	expect.OK(t, f.OAuth.Revoke(t.Context(), testworld.Nobody(), next.Refresh, ""))
	expect.Equal(t, "grants", len(f.Grants(f.owner)), 0)
}

func TestARequestOfADeviceIsChecked(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	web, err := f.OAuth.Register(t.Context(), testworld.Nobody(), oauth.Registration{RedirectURIs: []string{back}})
	expect.OK(t, err)
	for name, c := range map[string]struct {
		in   oauth.DeviceInput
		want sandlot.Code
	}{
		"an unknown client":                    {oauth.DeviceInput{ClientID: "x"}, "invalid_client"},
		"a client that has not asked for this": {oauth.DeviceInput{ClientID: web.ID}, "unauthorized_client"},
		"another resource":                     {oauth.DeviceInput{Resource: "http://localhost:8080/"}, badTarget},
		"what is no project":                   {oauth.DeviceInput{Project: "Ignore all that was said"}, badRequest},
	} {
		_, err := f.OAuth.AskDevice(t.Context(), testworld.Nobody(), c.in)
		expect.Is(t, name, code(t, err), c.want)
	}
	d := f.device(oauth.DeviceInput{ClientID: f.client.ID, Scope: "account"})
	asked, err := f.OAuth.DeviceConsent(t.Context(), f.owner, d.UserCode)
	expect.OK(t, err)
	expect.Equal(t, "the question", [3]any{asked.Client.ID, asked.Client.Name, asked.Wish}, [3]any{f.client.ID, "Editor", oauth.ScopeAccount})
	_, err = f.poll(d)
	expect.Is(t, "polled by another client", code(t, err), badGrant)
	for _, wrong := range []sandlot.Secret{"", "x", d.Code[:39], "slo_000000000000000000000000000000000000"} {
		_, err := f.OAuth.PollDevice(t.Context(), testworld.Nobody(), wrong, f.client.ID)
		expect.Is(t, "what is no device_code", code(t, err), badGrant)
	}
	one := f.device(oauth.DeviceInput{Project: string(f.project.ID)})
	asked, err = f.OAuth.DeviceConsent(t.Context(), f.owner, one.UserCode)
	expect.OK(t, err)
	expect.Is(t, "the account for a device that asks for one project",
		f.OAuth.ApproveDevice(t.Context(), f.owner, one.UserCode, oauth.Choice{Form: asked.Form}), sandlot.CodeInvalidField)
	lee, _, theirs := f.Owned("lee@mail.internal", "<!doctype html>")
	expect.Is(t, "another's project", f.OAuth.ApproveDevice(t.Context(), f.owner, one.UserCode, oauth.Choice{Form: asked.Form, Project: theirs.ID}), sandlot.ErrNotFound)
	asked, err = f.OAuth.DeviceConsent(t.Context(), f.OwnerOf(lee.ID), one.UserCode)
	expect.OK(t, err)
	expect.Equal(t, "another account is asked about the same project", asked.Project, f.project.ID)
}
