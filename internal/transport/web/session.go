package web

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/web/stencil"
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

// token returns the token of the browser that sent a request; empty for one that has none of ours yet, or two of that
// name.
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

// What a visitor chooses at the foot of a page stays with the browser for a year, with a login
// or without. The language is also the account's, as in the settings.
const (
	langCookie    = "__Host-lang"
	themeCookie   = "__Host-theme"
	choiceSeconds = 365 * 24 * 60 * 60
	choicesPlace  = "#choices" // where the foot has them
)

// themes are those that may be chosen beside the system's own, which is none.
var themes = []string{"light", "dark"}

// choices are the forms at the foot of every page.
type choices struct {
	account interface {
		SetLang(ctx context.Context, by sandlot.Caller, lang string) error
	}
	opens func(path string) bool // reports whether a path is that of a page
}

func (c choices) routes() []route {
	return []route{{"POST", "/choices", anyone, admission.Look, form(2*maxForm, c.choose, "theme?", "lang?")}}
}

// recall finds what the browser's visitor has chosen.
func (v *visit) recall() {
	if theme := v.cookie(themeCookie); slices.Contains(themes, theme) {
		v.theme = theme
	}
	if lang := v.cookie(langCookie); slices.Contains(texts.Open().Langs, lang) {
		v.Lang, v.chosen = lang, true
	}
}

// choose keeps a theme or a language, and leads back to where it was chosen. What no page offers changes nothing.
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

// prefer keeps a language in the browser; with "" it is the browser's own again.
func prefer(v *visit, lang string) {
	if lang == "" {
		v.setCookie(langCookie, "", -1)
		return
	}
	v.setCookie(langCookie, lang, choiceSeconds)
}

// cameFrom is the page that a form stood on, and the front page where that cannot be told or be opened again.
func (c choices) cameFrom(v *visit) string {
	from, err := url.Parse(v.r.Referer())
	if err != nil || from.Host != v.places.Base.Host || strings.HasPrefix(from.Path, "//") || len(from.RequestURI()) > maxPath || !c.opens(from.Path) {
		return "/"
	}
	return from.RequestURI()
}

// htmlTag is how the element begins that has the theme.
const htmlTag = "<html"

// themeAttribute says the theme that a visitor has chosen, if any.
func themeAttribute(theme string) string {
	if theme == "" {
		return ""
	}
	return ` data-theme="` + theme + `"`
}

// themed is a page in the theme that its visitor has chosen. Templates know nothing of it: it
// is put into the page on its way.
func themed(page []byte, theme string) []byte {
	before, after, ok := bytes.Cut(page, []byte(htmlTag))
	if theme == "" || !ok {
		return page
	}
	return slices.Concat(before, []byte(htmlTag+themeAttribute(theme)), after)
}

// The holes of every page.
const (
	themeHole = "theme" // within <html>
	whoHole   = "who"
)

// newStencil is the stencil of a rendered page.
func newStencil(body []byte) stencil.Stencil { return stencil.New(body, htmlTag, themeHole) }

// holeOf is a hole of a stencil for templates.
func holeOf(name string) template.HTML { return template.HTML(stencil.Hole(name)) }
