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
func (p *Pages) askEmail(v *visit) error {
	return v.askMove(false, func(m account.EmailMove) movePage {
		return movePage{Action: "/account/email", Question: v.T("email.question", "email", m.Email, "handle", m.Handle), Yes: v.T("email.yes"), No: v.T("email.no")}
	}, v.T("email.title"))
}

// takeEmail uses the link up: the address is the account's.
func (p *Pages) takeEmail(v *visit) error {
	a, err := v.Account.TakeEmail(v.r.Context(), v.by, v.token())
	if err != nil {
		return v.linkUsedUp(err)
	}
	return v.show(http.StatusOK, "email_move.html", v.T("email.done-title"), movePage{Done: v.T("email.done", "email", a.Email, "handle", a.Handle)})
}

// askUndo shows what the link to the address before would do, and does nothing.
func (p *Pages) askUndo(v *visit) error {
	return v.askMove(true, func(m account.EmailMove) movePage {
		return movePage{Action: "/account/undo", Question: v.T("undo.question", "email", m.Email, "handle", m.Handle), Yes: v.T("undo.yes"), No: v.T("undo.no")}
	}, v.T("undo.title"))
}

// undoEmail uses the link up: the address before is the account's again, and no
// browser is logged in to it any more, not even this one.
func (p *Pages) undoEmail(v *visit) error {
	a, err := v.Account.TakeEmailBack(v.r.Context(), v.by, v.token())
	if err != nil {
		return v.linkUsedUp(err)
	}
	if v.me != nil && v.me.Account.ID == a.ID {
		v.me = nil
		v.setCookie(cookieName, "", -1)
	}
	return v.show(http.StatusOK, "email_move.html", v.T("undo.done-title"), movePage{Done: v.T("undo.done", "email", a.Email, "handle", a.Handle)})
}

func (v *visit) askMove(undo bool, page func(account.EmailMove) movePage, title string) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	token := v.r.URL.Query().Get("token")
	m, err := v.Account.EmailLink(v.r.Context(), v.by, token, undo)
	if err != nil {
		return v.linkUsedUp(err)
	}
	data := page(m)
	data.Token = token
	return v.show(http.StatusOK, "email_move.html", title, data)
}

// token is that of a form which a link led to.
func (v *visit) token() string {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	return v.r.PostForm.Get("token")
}
