package web

import (
	"context"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/account"
)

// recoveries is what the links in mails about an address ask of the domain. Each
// returns sandlot.ErrNotFound for a token that is unknown, used, expired or replaced.
type recoveries interface {
	EmailLink(ctx context.Context, by sandlot.Caller, token string, undo bool) (account.EmailMove, error)
	TakeEmail(ctx context.Context, by sandlot.Caller, token string) (sandlot.Account, error)
	TakeEmailBack(ctx context.Context, by sandlot.Caller, token string) (sandlot.Account, error)
}

// movePage is what a link of a mail shows. Done: the account has the address.
type movePage struct {
	Token, Action           string
	Question, Yes, No, Done string
}

// askEmail shows what the link to a new address would do, and does nothing.
func (m mailLinks) askEmail(v *visit) error {
	return m.askMove(v, false, func(of account.EmailMove) movePage {
		return movePage{Action: "/account/email", Question: v.T("email.question", "email", of.Email, "handle", of.Handle), Yes: v.T("email.yes"), No: v.T("email.no")}
	}, v.T("email.title"))
}

// takeEmail uses the link up: the address is the account's.
func (m mailLinks) takeEmail(v *visit) error {
	a, err := m.account.TakeEmail(v.r.Context(), v.by, linkToken(v))
	if err != nil {
		return linkUsedUp(v, err)
	}
	return v.show(http.StatusOK, "email_move.html", v.T("email.done-title"), movePage{Done: v.T("email.done", "email", a.Email, "handle", a.Handle)})
}

// askUndo shows what the link to the address before would do, and does nothing.
func (m mailLinks) askUndo(v *visit) error {
	return m.askMove(v, true, func(of account.EmailMove) movePage {
		return movePage{Action: "/account/undo", Question: v.T("undo.question", "email", of.Email, "handle", of.Handle), Yes: v.T("undo.yes"), No: v.T("undo.no")}
	}, v.T("undo.title"))
}

// undoEmail uses the link up: the address before is the account's again, and no
// browser is logged in to it any more, not even this one.
func (m mailLinks) undoEmail(v *visit) error {
	a, err := m.account.TakeEmailBack(v.r.Context(), v.by, linkToken(v))
	if err != nil {
		return linkUsedUp(v, err)
	}
	if v.me != nil && v.me.Account.ID == a.ID {
		v.me = nil
		v.setCookie(cookieName, "", -1)
	}
	return v.show(http.StatusOK, "email_move.html", v.T("undo.done-title"), movePage{Done: v.T("undo.done", "email", a.Email, "handle", a.Handle)})
}

func (m mailLinks) askMove(v *visit, undo bool, page func(account.EmailMove) movePage, title string) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	token := v.r.URL.Query().Get("token")
	of, err := m.account.EmailLink(v.r.Context(), v.by, token, undo)
	if err != nil {
		return linkUsedUp(v, err)
	}
	data := page(of)
	data.Token = token
	return v.show(http.StatusOK, "email_move.html", title, data)
}

// linkToken is that of a form which a link led to.
func linkToken(v *visit) string {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	return v.r.PostForm.Get("token")
}
