package web

import (
	"context"
	"errors"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
)

const undoPath = "/account/undo"

// mailLinks serves the pages that links in messages lead to. A link changes nothing: the form of its page does.
type mailLinks struct {
	account *account.Service
	login   *logins
}

func (m mailLinks) routes() []route {
	return []route{
		{"GET", "/verify", anyone, admission.Look, m.askVerify},
		{"POST", "/verify", anyone, admission.Look, form(maxForm, m.verify, "token")},
		{"POST", "/verify/no", anyone, admission.Look, form(maxForm, m.refuseClaim, "token")},
		{"GET", "/not-me", anyone, admission.Look, m.notMe(m.account.NotMe, false)},
		{"POST", "/not-me", anyone, admission.Look, form(maxForm, m.notMe(m.account.StopMail, false), "token")},
		{"POST", "/not-me/undo", anyone, admission.Look, form(maxForm, m.notMe(m.account.AllowMail, true), "token")},
		{"GET", "/account/email", anyone, admission.Look, m.askMove},
		{"POST", "/account/email", anyone, admission.Look, form(maxForm, m.takeEmail, "token")},
		{"GET", undoPath, anyone, admission.Look, m.askMove},
		{"POST", undoPath, anyone, admission.Look, form(maxForm, m.undoEmail, "token")},
	}
}

// claimPage holds the data of a link's page: the claim that a yes confirms.
type claimPage struct {
	Token string
	account.Claim
}

// Shown returns the number of projects on the page.
func (p claimPage) Shown() int { return len(p.Projects) }

// askVerify describes the effect of a link without causing it: programs that open links in messages before people do
// must not use them up.
func (m mailLinks) askVerify(v *visit) error {
	token := linkToken(v)
	found, err := m.account.Claim(v.r.Context(), v.by, token)
	if err != nil {
		return linkUsedUp(v, err)
	}
	return v.show(http.StatusOK, "verify.html", v.T("verify.title"), claimPage{token, found})
}

// refuseClaim uses the link up: the account loses the address.
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

// verifiedPage holds the data of the page after the link, with the next steps.
type verifiedPage struct {
	sandlot.Account
	Projects []sandlot.Project // some projects of the account
	Here     bool              // whether this browser is logged in to it
}

// maxOnward is the number of projects that the page after a link leads to.
const maxOnward = 5

// verify uses the link up, logs the browser in, and shows the next steps.
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

// useVerification verifies the address, and creates a session if the browser can keep one and has none.
func (m mailLinks) useVerification(v *visit, token string) (a sandlot.Account, session string, err error) {
	if keepsLogins(v.places.Base) {
		return m.account.VerifyHere(v.r.Context(), v.by, token, v.r.UserAgent())
	}
	a, err = m.account.Verify(v.r.Context(), v.by, token)
	return a, "", err
}

// linkUsedUp shows the way to another link, or that none is needed.
func linkUsedUp(v *visit, err error) error {
	if !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	return v.show(http.StatusGone, "used_up.html", v.T("used-up.title"), v.r.URL.Path == "/account/email")
}

// movePage holds the data of such a link's page. Done is set once the account has the address.
type movePage struct {
	Token, Action           string
	Question, Yes, No, Done string
}

// askMove describes the effect of the link to a new address, or to the previous one, without causing it.
func (m mailLinks) askMove(v *visit) error {
	token, undo := linkToken(v), v.r.URL.Path == undoPath
	of, err := m.account.EmailLink(v.r.Context(), v.by, token, undo)
	if err != nil {
		return linkUsedUp(v, err)
	}
	page := movePage{Token: token, Action: v.r.URL.Path, Yes: v.T("email.yes"), No: v.T("email.no")}
	title := v.T("email.title")
	page.Question = v.T("email.question", "email", of.Email, "handle", of.Handle)
	if undo {
		title, page.Yes, page.No = v.T("undo.title"), v.T("undo.yes"), v.T("undo.no")
		page.Question = v.T("undo.question", "email", of.Email, "handle", of.Handle)
	}
	return v.show(http.StatusOK, "email_move.html", title, page)
}

// takeEmail uses the link up: the account gets the address.
func (m mailLinks) takeEmail(v *visit) error {
	a, err := m.account.TakeEmail(v.r.Context(), v.by, linkToken(v))
	if err != nil {
		return linkUsedUp(v, err)
	}
	done := v.T("email.done", "email", a.Email, "handle", a.Handle)
	return v.show(http.StatusOK, "email_move.html", v.T("email.done-title"), movePage{Done: done})
}

// undoEmail uses the link up: the account gets its previous address back, and all its browsers are logged out, even
// this one.
func (m mailLinks) undoEmail(v *visit) error {
	a, err := m.account.TakeEmailBack(v.r.Context(), v.by, linkToken(v))
	if err != nil {
		return linkUsedUp(v, err)
	}
	if v.me != nil && v.me.Account.ID == a.ID {
		v.me = nil
		v.setCookie(cookieName, "", -1)
	}
	done := v.T("undo.done", "email", a.Email, "handle", a.Handle)
	return v.show(http.StatusOK, "email_move.html", v.T("undo.done-title"), movePage{Done: done})
}

// linkToken returns the token of a link, or of the form on its page.
func linkToken(v *visit) string {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	if v.r.Method == http.MethodPost {
		return v.r.PostForm.Get("token")
	}
	return v.r.URL.Query().Get("token")
}

// notMePage holds the data of such a link's page. Notice: the message reports that an address was replaced; Allowed: a
// stop has just been undone.
type notMePage struct {
	Token string
	account.NotMe
	Notice, Allowed bool
}

// notMe takes a step about a link, and shows the state after it. The step of GET only reads: see askVerify. A form sent
// again shows the same.
func (mailLinks) notMe(
	step func(context.Context, sandlot.Caller, string) (account.NotMe, error), allowed bool,
) func(*visit) error {
	return func(v *visit) error {
		token := linkToken(v)
		n, err := step(v.r.Context(), v.by, token)
		if errors.Is(err, sandlot.ErrNotFound) {
			return v.problem(http.StatusGone, "error.not-me")
		}
		if err != nil {
			return err
		}
		page := notMePage{token, n, n.Mail == account.MailEmailNotice, allowed}
		return v.show(http.StatusOK, "not_me.html", page.title(v), page)
	}
}

func (p notMePage) title(v *visit) string {
	switch {
	case p.Allowed && p.Logins():
		return v.T("not-me.logins-allowed-title")
	case p.Allowed:
		return v.T("not-me.claims-allowed-title")
	case p.Stop.Kind != "" && p.Logins():
		return v.T("not-me.logins-stopped-title")
	case p.Stop.Kind != "":
		return v.T("not-me.claims-stopped-title")
	}
	return v.T("not-me.title")
}
