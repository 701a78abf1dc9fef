package web

import (
	"html/template"

	"sandlot/internal/transport/web/texts"
)

// A view is what a template sees: the visit's language and login, and the page's
// own data.
type view struct {
	*visit
	Title string
	Data  any
}

// Me is the visitor's login; nil without one.
func (v view) Me() *login { return v.me }

// Base is the address of the website.
func (v view) Base() string { return v.places.Base.String() }

// Path is the path of the page.
func (v view) Path() string { return v.r.URL.Path }

// A graph is what a page tells of itself where somebody shares it.
type graph struct{ Title, About, Page, Picture string }

// newGraph is that of a page at an address, with its picture there.
func newGraph(title, about, page, picture string) graph {
	return graph{title, about, page, picture}
}

// isolated keeps the direction of a text that somebody has written from what stands around it, where no element can.
func isolated(text string) string { return "\u2068" + text + "\u2069" }

// Foot is the end of every page.
func (v view) Foot() template.HTML { return v.feet[v.Lang]() }

// Langs are the languages that pages are in.
func (v view) Langs() []string { return texts.Open().Langs }
