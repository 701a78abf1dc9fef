package web

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/web/stencil"
	"sandlot/internal/transport/web/texts"
)

// cookieName has a prefix with which browsers accept the cookie only from this host itself, over TLS or on loopback: no
// project can set or widen it.
const cookieName = "__Host-session"

// freshFor is the time after a proof of the address in which a login may change keys or the address, or delete.
const freshFor = 15 * time.Minute

// recognise identifies the login of the browser. Two cookies of our name mean an attack by a sibling domain, or damage:
// then there is no login.
func (v *visit) recognise() error {
	token := v.cookie(cookieName)
	if token == "" {
		return nil
	}
	by, err := v.sessions.Identify(v.r.Context(), sandlot.Presented{Session: token}, v.from())
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

// setCookie sets a cookie for maxAge seconds; a negative maxAge deletes it.
func (v *visit) setCookie(name, value string, maxAge int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// visitorCookie has its prefix for the same reason as cookieName.
const visitorCookie = "__Host-visitor"

// visitorLife is the longest life that browsers grant a cookie, 400 days, in seconds.
const visitorLife = 400 * 24 * 60 * 60

// visitors identifies visitors without a login by the cookie of their browser.
type visitors struct {
	tokens *gallery.Service
	id     func(r *http.Request, token string) gallery.PlayerID
}

// token returns the visitor token in a request; empty if it has none of ours, or two cookies of that name.
func (s visitors) token(r *http.Request) string {
	token := onlyCookie(r, visitorCookie)
	if !s.tokens.KnowsPlayerToken(r.Context(), sandlot.Caller{}, token) {
		return ""
	}
	return token
}

// welcome is token for a visitor whose action is stored: a browser without a token gets the one in its form, so that a
// form sent twice belongs to one visitor.
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

// today returns the visitor as a player, identified by the token, or else by the request for the rest of the day.
func (s visitors) today(v *visit) gallery.Player {
	return gallery.Player{ID: s.id(v.r, s.token(v.r)), From: v.origin().Addr}
}

// A visitor's choices at the foot of a page stay in the browser for a year, with a login or without. The language is
// also stored in the account, as in the settings.
const (
	langCookie    = "__Host-lang"
	themeCookie   = "__Host-theme"
	choiceSeconds = 365 * 24 * 60 * 60
	choicesPlace  = "#choices" // the place of the choices in the foot
)

// themes lists the themes to choose from beside the system's own, which is the empty one.
var themes = []string{"light", "dark"}

// choices serves the forms at the foot of every page.
type choices struct {
	account *account.Service
	opens   func(path string) bool // reports whether a path is that of a page
}

func (c choices) routes() []route {
	return []route{{"POST", "/choices", anyone, admission.Look, form(2*maxForm, c.choose, "theme?", "lang?")}}
}

// recall reads the visitor's choices from the browser's cookies.
func (v *visit) recall() {
	if theme := v.cookie(themeCookie); slices.Contains(themes, theme) {
		v.theme = theme
	}
	if lang := v.cookie(langCookie); slices.Contains(texts.Open().Langs, lang) {
		v.Lang, v.chosen = lang, true
	}
}

// choose stores a theme or a language, and redirects to the page of the form. A value that no page offers changes
// nothing.
func (c choices) choose(v *visit) error {
	switch theme := v.r.PostForm.Get("theme"); {
	case slices.Contains(themes, theme):
		v.setCookie(themeCookie, theme, choiceSeconds)
	case theme == "system":
		v.setCookie(themeCookie, "", -1)
	}
	if lang := v.r.PostForm.Get("lang"); slices.Contains(texts.Open().Langs, lang) {
		if v.me != nil {
			if err := c.account.SetLang(v.r.Context(), v.by, lang); err != nil {
				return err
			}
		}
		prefer(v, lang)
	}
	return v.redirect(c.cameFrom(v) + choicesPlace)
}

// prefer stores a language in the browser; "" restores the browser's own.
func prefer(v *visit, lang string) {
	if lang == "" {
		v.setCookie(langCookie, "", -1)
		return
	}
	v.setCookie(langCookie, lang, choiceSeconds)
}

// cameFrom returns the page of the form, or the front page if that is unknown or cannot be opened again.
func (c choices) cameFrom(v *visit) string {
	from, err := url.Parse(v.r.Referer())
	if err != nil || from.Host != v.places.Base.Host || strings.HasPrefix(from.Path, "//") ||
		len(from.RequestURI()) > maxPath || !c.opens(from.Path) {
		return "/"
	}
	return from.RequestURI()
}

// The names of the holes of every page.
const (
	themeHole = "theme" // within <html>
	whoHole   = "who"
)

// Theme returns the attribute of a chosen theme.
func (v view) Theme() template.HTMLAttr {
	switch {
	case v.anybody:
		return template.HTMLAttr(stencil.Hole(themeHole))
	case v.theme == "":
		return ""
	}
	return template.HTMLAttr(` data-theme="` + v.theme + `"`)
}

// holeOf returns the marker of a hole for templates.
func holeOf(name string) template.HTML { return template.HTML(stencil.Hole(name)) }
