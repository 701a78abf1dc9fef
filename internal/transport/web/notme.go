package web

import (
	"context"
	"errors"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/account"
)

// notMes is what the links for those who did not ask for a message ask of the
// domain. Each returns sandlot.ErrNotFound for a token that is not ours, or too old.
type notMes interface {
	// NotMe looks at a link and changes nothing.
	NotMe(ctx context.Context, by sandlot.Caller, token string) (account.NotMe, error)
	StopMail(ctx context.Context, by sandlot.Caller, token string) (account.NotMe, error)
	AllowMail(ctx context.Context, by sandlot.Caller, token string) (account.NotMe, error)
}

// notMePage is what the page shows. Notice: the message tells of an address that
// was replaced; Allowed: a stop has just been taken back.
type notMePage struct {
	Token string
	account.NotMe
	Notice, Allowed bool
}

// askNotMe shows what a link would do, and does nothing: see askVerify.
func (m mailLinks) askNotMe(v *visit) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	token := v.r.URL.Query().Get("token")
	n, err := m.account.NotMe(v.r.Context(), v.by, token)
	return showNotMe(v, notMePage{Token: token, NotMe: n}, err)
}

// stopMail stops the messages. Pressed again it shows the same.
func (m mailLinks) stopMail(v *visit) error {
	token := linkToken(v)
	n, err := m.account.StopMail(v.r.Context(), v.by, token)
	return showNotMe(v, notMePage{Token: token, NotMe: n}, err)
}

func (m mailLinks) allowMail(v *visit) error {
	token := linkToken(v)
	n, err := m.account.AllowMail(v.r.Context(), v.by, token)
	return showNotMe(v, notMePage{Token: token, NotMe: n, Allowed: true}, err)
}

func showNotMe(v *visit, page notMePage, err error) error {
	if errors.Is(err, sandlot.ErrNotFound) {
		v.problem(http.StatusGone, "error.not-me")
		return nil
	}
	if err != nil {
		return err
	}
	page.Notice = page.Mail == account.MailEmailNotice
	title := v.T("not-me.title")
	switch {
	case page.Allowed && page.Logins():
		title = v.T("not-me.logins-allowed-title")
	case page.Allowed:
		title = v.T("not-me.claims-allowed-title")
	case page.Stop.Kind != "" && page.Logins():
		title = v.T("not-me.logins-stopped-title")
	case page.Stop.Kind != "":
		title = v.T("not-me.claims-stopped-title")
	}
	return v.show(http.StatusOK, "not_me.html", title, page)
}
