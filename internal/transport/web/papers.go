package web

import (
	"cmp"
	"net/http"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/web/paper"
)

// leaflets serves the papers of the operator.
type leaflets struct{}

func (l leaflets) routes() (all []route) {
	for _, name := range paper.Names {
		all = append(all, route{"GET", "/" + name, anyone, admission.Look, l.show(name)})
	}
	return all
}

func (l leaflets) show(name string) func(*visit) error {
	return func(v *visit) error {
		text, ok := v.papers.Find(name, v.Lang)
		if !ok {
			return sandlot.ErrNotFound
		}
		return v.show(http.StatusOK, "paper.html", cmp.Or(text.Title, v.T(paperTexts[name])), text)
	}
}

// paperTexts maps papers without a title to the texts of their names.
var paperTexts = map[string]string{"about": "foot.about", "terms": "foot.terms", "privacy": "foot.privacy"}

// maxLinked is the maximum number of characters of a paper's own title in a link at the foot.
const maxLinked = 40

// A link leads to a page of this site.
type link struct{ Path, Words string }

// PaperLinks returns links to the operator's papers. A link has the paper's title if that is in the language of the
// page.
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
