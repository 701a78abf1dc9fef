package web

import (
	"context"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

// visitors is what the pages ask of the domain about people without a login.
type visitors interface {
	MintPlayerToken(ctx context.Context, by sandlot.Caller) (string, error)
	KnowsPlayerToken(ctx context.Context, by sandlot.Caller, token string) bool
}

// visitorCookie has its prefix for the same reason as cookieName.
const visitorCookie = "__Host-visitor"

// visitorLife is the longest that browsers keep a cookie, 400 days, in seconds.
const visitorLife = 400 * 24 * 60 * 60

// visitor returns the token by which the browser is known; empty for one that has
// none of ours yet, or two of that name.
func (v *visit) visitor() string { return v.Visitor(v.r) }

// Visitor is the token of the browser that sent a request to the website's own origin.
func (p *Pages) Visitor(r *http.Request) string {
	cookies := r.CookiesNamed(visitorCookie)
	if len(cookies) != 1 || !p.Gallery.KnowsPlayerToken(r.Context(), sandlot.Caller{}, cookies[0].Value) {
		return ""
	}
	return cookies[0].Value
}

// welcome is visitor for somebody who does something that is remembered: a browser
// without a token gets the one that its form has, so that a form sent twice is one
// visitor's.
func (v *visit) welcome() (string, error) {
	if token := v.visitor(); token != "" {
		return token, nil
	}
	token, err := v.r.PostForm.Get("visitor"), error(nil)
	if !v.Gallery.KnowsPlayerToken(v.r.Context(), v.by, token) {
		token, err = v.Gallery.MintPlayerToken(v.r.Context(), v.by)
	}
	if err == nil {
		http.SetCookie(v.w, &http.Cookie{
			Name: visitorCookie, Value: token, Path: "/", MaxAge: visitorLife,
			Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
	}
	return token, err
}

// today is the visitor, known by the token or else by the request for the rest of the day.
func (v *visit) today() gallery.Player {
	return gallery.Player{ID: v.VisitorID(v.r, v.visitor()), From: v.origin().Addr}
}
