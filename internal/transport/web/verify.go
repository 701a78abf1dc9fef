package web

import (
	"context"
	"errors"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
)

// claims is what the links that verify an address ask of the domain. Each returns
// sandlot.ErrNotFound for a token that is unknown, used or expired.
type claims interface {
	// Claim looks at a link and uses nothing up.
	Claim(ctx context.Context, by sandlot.Caller, token string) (account.Claim, error)
	Verify(ctx context.Context, by sandlot.Caller, token string) (sandlot.Account, error)
	// VerifyHere returns the token of a session, too, where the browser had none.
	VerifyHere(ctx context.Context, by sandlot.Caller, token, agent string) (a sandlot.Account, session string, err error)
	// RefuseClaim returns the account as it was, and the token of a page that refuses all such messages.
	RefuseClaim(ctx context.Context, by sandlot.Caller, token string) (a sandlot.Account, notMe string, err error)
}

// mailLinks are the pages that links in messages lead to. A link changes nothing: the form of its page does.
type mailLinks struct {
	account interface {
		claims
		recoveries
		notMes
	}
	login *logins
}

func (m mailLinks) routes() []route {
	return []route{
		{"GET", "/verify", anyone, admission.Look, m.askVerify},
		{"POST", "/verify", anyone, admission.Look, form(maxForm, m.verify, "token")},
		{"POST", "/verify/no", anyone, admission.Look, form(maxForm, m.refuseClaim, "token")},
		{"GET", "/not-me", anyone, admission.Look, m.askNotMe},
		{"POST", "/not-me", anyone, admission.Look, form(maxForm, m.stopMail, "token")},
		{"POST", "/not-me/undo", anyone, admission.Look, form(maxForm, m.allowMail, "token")},
		{"GET", "/account/email", anyone, admission.Look, m.askEmail},
		{"POST", "/account/email", anyone, admission.Look, form(maxForm, m.takeEmail, "token")},
		{"GET", "/account/undo", anyone, admission.Look, m.askUndo},
		{"POST", "/account/undo", anyone, admission.Look, form(maxForm, m.undoEmail, "token")},
	}
}

// claimPage is what the page of a link shows: what whoever says yes confirms.
type claimPage struct {
	Token string
	account.Claim
}

// Shown is how many projects the page shows.
func (p claimPage) Shown() int { return len(p.Projects) }

// askVerify shows what a link would do, and does nothing: programs that look at
// links in messages before people do must not use them up.
func (m mailLinks) askVerify(v *visit) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	token := v.r.URL.Query().Get("token")
	found, err := m.account.Claim(v.r.Context(), v.by, token)
	if err != nil {
		return linkUsedUp(v, err)
	}
	return v.show(http.StatusOK, "verify.html", v.T("verify.title"), claimPage{token, found})
}

// refuseClaim uses the link up: the address is taken away from the account.
func (m mailLinks) refuseClaim(v *visit) error {
	a, notMe, err := m.account.RefuseClaim(v.r.Context(), v.by, linkToken(v))
	if err != nil {
		return linkUsedUp(v, err)
	}
	return v.show(http.StatusOK, "refused.html", v.T("refused.title"), struct {
		sandlot.Account
		Token string
	}{a, notMe})
}

// verifiedPage is what comes after the link: the way on.
type verifiedPage struct {
	sandlot.Account
	Projects []sandlot.Project // some of the account
	Here     bool              // whether this browser is logged in to it
}

// maxOnward is how many projects the page after a link leads to.
const maxOnward = 5

// verify uses the link up, logs the browser in, and shows the way on.
func (m mailLinks) verify(v *visit) error {
	token := linkToken(v)
	claim, err := m.account.Claim(v.r.Context(), v.by, token)
	if err != nil {
		return linkUsedUp(v, err)
	}
	a, session, err := m.useVerification(v, token)
	if err != nil {
		return linkUsedUp(v, err)
	}
	if session != "" {
		if err := m.login.keep(v, session, a.Email); err != nil {
			return err
		}
	}
	return v.show(http.StatusOK, "verified.html", v.T("verified.title"), verifiedPage{
		a, claim.Projects[:min(len(claim.Projects), maxOnward)], session != "" || v.me != nil && v.me.Account.ID == a.ID,
	})
}

// useVerification verifies, and makes a session where the browser can keep one and has none.
func (m mailLinks) useVerification(v *visit, token string) (a sandlot.Account, session string, err error) {
	if keepsLogins(v.places.Base) {
		return m.account.VerifyHere(v.r.Context(), v.by, token, v.r.UserAgent())
	}
	a, err = m.account.Verify(v.r.Context(), v.by, token)
	return a, "", err
}

// linkUsedUp shows where another link is to be had, or that none is needed.
func linkUsedUp(v *visit, err error) error {
	if !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	return v.show(http.StatusGone, "used_up.html", v.T("used-up.title"), v.r.URL.Path == "/account/email")
}
