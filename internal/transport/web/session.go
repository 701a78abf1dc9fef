package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sandlot"
	"sandlot/internal/transport/web/texts"
)

// sessions finds out whose browser asks; *publish.Authenticator does.
type sessions interface {
	// Identify returns the caller of a cookie's token, sandlot.ErrNotFound for a session that is unknown or over.
	Identify(ctx context.Context, presented sandlot.Presented, from sandlot.Sender) (sandlot.Caller, error)
}

// cookieName has a prefix by which browsers take the cookie only from this host
// itself, over TLS or on loopback: no project can set or widen it.
const cookieName = "__Host-session"

// freshFor is how long after a proof of the address a login may change keys, the
// address, or delete.
const freshFor = 15 * time.Minute

// recognise finds out whose browser this is. Two cookies of our name are an attack
// by a sibling, or damage: then it is nobody's.
func (v *visit) recognise() error {
	cookies := v.r.CookiesNamed(cookieName)
	if len(cookies) != 1 || cookies[0].Value == "" {
		return nil
	}
	by, err := v.sessions.Identify(v.r.Context(), sandlot.Presented{Session: cookies[0].Value}, v.from())
	if errors.Is(err, sandlot.ErrNotFound) {
		v.setCookie(cookieName, "", -1)
		return nil
	}
	if err != nil {
		return err
	}
	s, a, _ := by.Login()
	v.by, v.me = by, &login{s, a}
	if found, ok := texts.Open().Nearest(a.Lang); ok && a.Lang != "" {
		v.Lang = found
	}
	return nil
}

// setCookie gives the browser a cookie for maxAge seconds; below 0 takes it away.
func (v *visit) setCookie(name, value string, maxAge int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
