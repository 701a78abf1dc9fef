package web

import (
	"net/http"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/web/paper"
)

// leaflets are the pages of what the operator has written.
type leaflets struct{}

func (l leaflets) routes() (all []route) {
	for _, name := range paper.Names {
		all = append(all, route{"GET", "/" + name, anyone, admission.Look, l.show(name)})
	}
	return all
}

// A leaflet is a paper as a template sees it.
type leaflet struct {
	paper.Text
	Headed bool // whether it has a heading of its own
}

func (l leaflets) show(name string) func(*visit) error {
	return func(v *visit) error {
		text, ok := v.papers.Find(name, v.Lang)
		if !ok {
			return sandlot.ErrNotFound
		}
		return v.show(http.StatusOK, "paper.html", titleOf(v, name, text), leaflet{text, text.Title != ""})
	}
}

// paperTexts are what papers without a title are called.
var paperTexts = map[string]string{"about": "foot.about", "terms": "foot.terms", "privacy": "foot.privacy"}

// maxLinked is how many characters of a paper's own title a link at the foot may have.
const maxLinked = 40

// A link is one to a page of this site.
type link struct{ Path, Words string }

// PaperLinks lead to what the operator has written. Each is called as its paper is, where that is in the language of the page.
func (v view) PaperLinks() (all []link) {
	for _, name := range paper.Names {
		text, ok := v.papers.Find(name, v.Lang)
		if !ok {
			continue
		}
		words := text.Title
		if words == "" || utf8.RuneCountInString(words) > maxLinked || text.Lang != "" && text.Lang != v.Lang {
			words = v.T(paperTexts[name])
		}
		all = append(all, link{"/" + name, words})
	}
	return all
}

// titleOf is what a paper is called where it is shown.
func titleOf(v *visit, name string, text paper.Text) string {
	if text.Title != "" {
		return text.Title
	}
	return v.T(paperTexts[name])
}
