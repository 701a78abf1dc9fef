package web

import (
	"bytes"
	"context"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/web/stencil"
	"sandlot/internal/transport/web/texts"
)

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
