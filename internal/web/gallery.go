package web

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"sandlot/internal/admission"
	"sandlot/internal/gallery"
	"sandlot/internal/publish"
)

// galleries is what the lists that everybody sees ask of the domain. What is no
// cursor is publish.ErrNotFound.
type galleries interface {
	Browse(ctx context.Context, by publish.Caller, order gallery.Sort, cursor string) (gallery.Page, error)
	Search(ctx context.Context, by publish.Caller, text, cursor string) (gallery.Page, error)
	// Profile returns the handle that the account has now, and no projects if it is another one.
	Profile(ctx context.Context, by publish.Caller, handle, cursor string) (current string, page gallery.Page, err error)
}

// profilePath is how the paths of profiles begin.
const profilePath = "/@"

func (p *Pages) galleryRoutes() []route {
	return []route{
		{"GET", "/{$}", anyone, admission.Look, p.home},
		{"GET", "/{profile}", anyone, admission.Look, p.profile},
	}
}

// A shelf is a list of projects as a template sees it.
type shelf struct {
	gallery.Page
	Query string // what was searched for
	Sort  gallery.Sort
	After bool // whether it is a later page
}

// AllWaiting reports whether all projects that were looked at wait to be listed: there
// may be more.
func (s shelf) AllWaiting() bool { return s.Waiting >= gallery.MostWaiting }

// home says what this is, and shows the gallery.
func (p *Pages) home(v *visit) error {
	query := v.r.URL.Query()
	after := query.Get("after")
	s := shelf{Query: wanted(query.Get("q")), Sort: gallery.Sort(query.Get("sort")), After: after != ""}
	if s.Sort == "" {
		s.Sort = gallery.SortNewest
	}
	if s.Query == "" && !s.After && v.me == nil && v.said == "" {
		return p.front(v, s)
	}
	var err error
	title := "Sandlot"
	if s.Query != "" {
		title = v.T("gallery.found", "q", isolated(s.Query))
		if err := v.grant.Also(admission.Search); err != nil {
			return err
		}
		s.Page, err = p.Gallery.Search(v.r.Context(), v.by, s.Query, after)
	} else {
		s.Page, err = p.Gallery.Browse(v.r.Context(), v.by, s.Sort, after)
	}
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "home.html", title, s)
}

// front shows the beginning of the gallery to whoever has no login. To all of them
// it is the same, so it is rendered now and then, however many ask.
func (p *Pages) front(v *visit, s shelf) error {
	key := frontKey{v.lang, s.Sort}
	now := p.Now()
	body, ok := p.fronts.get(key, now)
	if !ok {
		var err error
		if s.Page, err = p.Gallery.Browse(v.r.Context(), v.by, s.Sort, ""); err != nil {
			return err
		}
		var page bytes.Buffer
		if err = v.render(&page, "home.html", "Sandlot", s); err != nil {
			return err
		}
		body = page.Bytes()
		p.fronts.put(key, body, now)
	}
	v.answer(http.StatusOK, body)
	return nil
}

// maxQuery is how many bytes of a search are taken: the service looks at no more.
const maxQuery = 200

func wanted(query string) string {
	return strings.TrimSpace(strings.ToValidUTF8(query[:min(len(query), maxQuery)], ""))
}
