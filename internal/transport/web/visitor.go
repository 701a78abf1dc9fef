package web

import (
	"context"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

// playerTokens is what the pages ask of the domain about people without a login.
type playerTokens interface {
	MintPlayerToken(ctx context.Context, by sandlot.Caller) (string, error)
	KnowsPlayerToken(ctx context.Context, by sandlot.Caller, token string) bool
}

// visitorCookie has its prefix for the same reason as cookieName.
const visitorCookie = "__Host-visitor"

// visitorLife is the longest that browsers keep a cookie, 400 days, in seconds.
const visitorLife = 400 * 24 * 60 * 60

// visitors knows people without a login by the cookie of their browser.
type visitors struct {
	tokens playerTokens
	id     func(r *http.Request, token string) gallery.PlayerID
}

// token returns the token of the browser that sent a request; empty for one that has none of ours yet, or two of that name.
func (s visitors) token(r *http.Request) string {
	cookies := r.CookiesNamed(visitorCookie)
	if len(cookies) != 1 || !s.tokens.KnowsPlayerToken(r.Context(), sandlot.Caller{}, cookies[0].Value) {
		return ""
	}
	return cookies[0].Value
}

// welcome is token for somebody who does something that is remembered: a browser
// without a token gets the one that its form has, so that a form sent twice is one
// visitor's.
func (s visitors) welcome(v *visit) (string, error) {
	if token := s.token(v.r); token != "" {
		return token, nil
	}
	token, err := v.r.PostForm.Get("visitor"), error(nil)
	if !s.tokens.KnowsPlayerToken(v.r.Context(), v.by, token) {
		token, err = s.tokens.MintPlayerToken(v.r.Context(), v.by)
	}
	if err == nil {
		v.setCookie(visitorCookie, token, visitorLife)
	}
	return token, err
}

// today is the visitor, known by the token or else by the request for the rest of the day.
func (s visitors) today(v *visit) gallery.Player {
	return gallery.Player{ID: s.id(v.r, s.token(v.r)), From: v.origin().Addr}
}
