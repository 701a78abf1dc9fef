package web

import (
	"net/http"

	"sandlot/internal/publish"
)

// visitors is what the pages ask of the domain about people without a login.
type visitors interface {
	MintVisitor() (string, error)
	KnowsVisitor(token string) bool
}

// visitorCookie has the prefix for the reason that cookieName has it.
const visitorCookie = "__Host-visitor"

// visitorLife is the longest that browsers keep a cookie, 400 days, in seconds.
const visitorLife = 400 * 24 * 60 * 60

// visitor returns the token by which the browser is known; empty for one that has
// none of ours yet, or two of that name.
func (v *visit) visitor() string {
	cookies := v.r.CookiesNamed(visitorCookie)
	if len(cookies) != 1 || !v.Service.KnowsVisitor(cookies[0].Value) {
		return ""
	}
	return cookies[0].Value
}

// welcome is visitor for somebody who does something that is remembered: a browser
// without a token gets one.
func (v *visit) welcome() (string, error) {
	if token := v.visitor(); token != "" {
		return token, nil
	}
	token, err := v.Service.MintVisitor()
	if err == nil {
		http.SetCookie(v.w, &http.Cookie{
			Name: visitorCookie, Value: token, Path: "/", MaxAge: visitorLife,
			Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
	}
	return token, err
}

// today tells the visitor from others for the rest of the day, without a cookie.
func (v *visit) today() publish.PlayerID { return v.VisitorID(v.r) }
