package web

import (
	"html/template"
	"strings"
	"sync"
)

// feet are the ends of pages, one for each language: they are the same on all pages, and rendered once.
type feet map[string]func() template.HTML

func newFeet(p *Pages) feet {
	all := feet{}
	for _, lang := range p.book.Langs {
		all[lang] = sync.OnceValue(func() template.HTML {
			var out strings.Builder
			if err := p.templates.ExecuteTemplate(&out, "foot", view{visit: &visit{Pages: p, lang: lang}}); err != nil {
				panic(err) // it asks for nothing that could fail
			}
			return template.HTML(out.String())
		})
	}
	return all
}

// Foot is the end of every page.
func (v view) Foot() template.HTML { return v.feet[v.lang]() }

// Languages are those that pages are in.
func Languages() []string { return openBook().Langs }

// Langs are the languages that pages are in.
func (v view) Langs() []string { return v.book.Langs }
