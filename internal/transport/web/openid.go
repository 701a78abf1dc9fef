package web

import (
	"errors"
	"net/http"
	"net/url"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/web/texts"
)

// openIDPath begins a login with the provider, which sends the browser back to OpenIDBack.
const (
	openIDPath = "/openid"
	OpenIDBack = openIDPath + "/callback"
)

// openIDCookie keeps a login with the provider in the browser. Its life is longer than that of the login, so that the
// log can distinguish a late answer from an answer in another browser.
const (
	openIDCookie  = "__Host-openid"
	openIDSeconds = 3600
)

// openIDs serves the logins with an OpenID provider.
type openIDs struct {
	service *account.OpenID
	login   *logins
}

func (o openIDs) routes() []route {
	if o.service == nil {
		return nil
	}
	return []route{
		{"GET", openIDPath, anyone, admission.Look, overTLS(o.begin)},
		{"GET", OpenIDBack, anyone, admission.Look, overTLS(o.finish)},
	}
}

// begin redirects to the provider. It is no form, because a policy for forms would have to name the provider's hosts.
func (o openIDs) begin(v *visit) error {
	address, kept, err := o.service.BeginOpenID(v.r.Context(), v.by, localPath(v.r.URL.Query().Get("to")))
	if err != nil {
		return o.refused(v, err)
	}
	v.setCookie(openIDCookie, kept, openIDSeconds)
	http.Redirect(v.w, v.r, address, http.StatusSeeOther)
	return nil
}

// finish logs the browser in by the answer of the provider.
func (o openIDs) finish(v *visit) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	q := v.r.URL.Query()
	in := account.OpenIDAnswer{
		Kept: v.cookie(openIDCookie), State: q.Get("state"), Code: q.Get("code"), Agent: v.r.UserAgent(), Lang: v.Lang,
	}
	out, err := o.service.FinishOpenID(v.r.Context(), v.by, in)
	if err != nil {
		return o.refused(v, err)
	}
	v.setCookie(openIDCookie, "", -1)
	v.setCookie(cookieName, out.Session, cookieSeconds)
	if out.EmailVerified {
		if err := o.login.keep(v, out.Session, out.Email); err != nil {
			return err
		}
	}
	if out.Opened {
		to := "/account"
		if out.Back == connectPath || out.Back == authorizePath {
			to = out.Back
		}
		return v.done(to, "said.opened", "handle", out.Handle)
	}
	return v.redirect(localPath(out.Back))
}

// openIDPage holds the data of the page of a login that did not succeed.
type openIDPage struct {
	Provider, Text string
	Again          string // the address of another try
}

// refused shows the reason why a login with the provider failed, and the remedy.
func (o openIDs) refused(v *visit, err error) error {
	status, text, again := http.StatusForbidden, "", openIDPath
	switch {
	case errors.Is(err, account.ErrProviderAway):
		status, text = http.StatusServiceUnavailable, "openid.away"
	case errors.Is(err, sandlot.ErrNotFound):
		status, text = http.StatusGone, "openid.over"
	case errors.Is(err, account.ErrProviderRefused):
		text = "openid.refused"
	case errors.Is(err, account.ErrNotAdmitted):
		text = "openid.not-admitted"
	case errors.Is(err, account.ErrAddressTaken):
		text, again = "openid.taken", "/login?to="+url.QueryEscape(openIDPath)
	case errors.Is(err, sandlot.CodePublishClosed):
		text, again = "openid.closed", ""
	default:
		return err
	}
	v.log.Info("login with the OpenID provider refused", "request_id", v.requestID(v.r.Context()), "why", err)
	page := openIDPage{o.service.Name, v.T(text, "name", texts.Isolated(o.service.Name)), again}
	return v.show(status, "openid.html", v.T("openid.failed"), page)
}

// provider returns the name of the OpenID provider that the login page offers; empty for none.
func (l *logins) provider() string {
	if l.openID == nil {
		return ""
	}
	return l.openID.Name
}
