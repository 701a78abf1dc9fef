package web

import (
	"context"
	"html/template"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
)

// galleries is what the lists that everybody sees ask of the domain. What is no
// cursor is sandlot.ErrNotFound.
type galleries interface {
	Browse(ctx context.Context, by sandlot.Caller, order gallery.Sort, cursor string) (gallery.Page, error)
	Home(ctx context.Context, by sandlot.Caller) (gallery.Home, error)
	Tagged(ctx context.Context, by sandlot.Caller, tag string, order gallery.Sort, cursor string) (gallery.Page, error)
	Tags(ctx context.Context, by sandlot.Caller) ([]string, error)
	Search(ctx context.Context, by sandlot.Caller, text, cursor string) (gallery.Page, error)
	Suggest(ctx context.Context, by sandlot.Caller, text string) ([]gallery.Card, error)
	// Profile returns the handle that the account has now, and no projects if it is another one.
	Profile(ctx context.Context, by sandlot.Caller, handle string, order gallery.Sort, cursor string) (current string, page gallery.Page, err error)
}

// profilePath is how the paths of profiles begin.
const profilePath = "/@"

func (l lists) routes() []route {
	return []route{
		{"GET", "/{$}", anyone, admission.Look, l.home},
		{"GET", "/tag/{tag}", anyone, admission.Look, l.tagged},
		{"GET", "/search", anyone, admission.Search, l.suggest},
		{"GET", "/feed.xml", stranger, admission.Look, l.feed},
		{"GET", "/tag/{tag}/feed.xml", stranger, admission.Look, l.feed},
	}
}

// A shelf is a list of projects as a template sees it.
type shelf struct {
	gallery.Page
	of    *visit
	At    string   // the path of the list
	Tag   string   // that all of them have
	Tags  []string // to go on to, on the page of a tag
	Query string   // what was searched for
	Sort  gallery.Sort
	After bool // whether it is a later page
}

// AllWaiting reports whether all projects that were looked at wait to be listed: there
// may be more.
func (s shelf) AllWaiting() bool { return s.Waiting >= gallery.MostWaiting }

// fewFound is how many results of a search leave most of a page empty.
const fewFound = 8

// Popular are cards for whoever has found little or nothing.
func (s shelf) Popular() template.HTML {
	few := len(s.Cards) == 0 || s.Query != "" && len(s.Cards) < fewFound
	if !few || s.After || s.Next != "" {
		return ""
	}
	return s.of.lost.cards(s.of)
}

// maxQuery is how many bytes of a search are taken: the service looks at no more.
const maxQuery = 200

func wanted(query string) string {
	return strings.TrimSpace(strings.ToValidUTF8(query[:min(len(query), maxQuery)], ""))
}
