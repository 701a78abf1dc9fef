package web

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/web/stencil"
	"sandlot/internal/transport/web/texts"
)

// orders lists the orders of a list, as its page offers them. It never changes.
var orders = []gallery.Sort{gallery.SortTrending, gallery.SortLive, gallery.SortNewest, gallery.SortPlayed}

// A namedOrder is an order of a list, with its name in the visit's language.
type namedOrder struct {
	Sort gallery.Sort
	Name string
}

// Orders returns the orders that the list may have.
func (s shelf) Orders() (list []namedOrder) {
	for _, order := range orders {
		list = append(list, namedOrder{order, nameOf(s.of, order)})
	}
	return list
}

// orderText is the prefix of the names of the orders' texts.
const orderText = "gallery."

// nameOf returns the name of an order in the visit's language.
func nameOf(v *visit, order gallery.Sort) string { return v.T(orderText + string(order)) }

// Sought returns the search text of the page.
func (v view) Sought() string {
	if s, ok := v.Data.(shelf); ok {
		return s.Query
	}
	return ""
}

// lists serves the pages on which people find projects to play.
type lists struct {
	gallery *gallery.Service
	fronts  *fronts
	rooms   *playerRooms
}

// A frontPage is the home page for its template.
type frontPage struct {
	gallery.Home
	Beat challenges
}

// AllWaiting reports whether all projects examined wait to be listed: there may be more.
func (f frontPage) AllWaiting() bool { return f.Waiting >= gallery.MostWaiting }

// Empty reports whether no project is listed or waits to be.
func (f frontPage) Empty() bool { return f.Featured == nil && f.Waiting == 0 }

// home shows the home page, one of the whole lists, or the results of a search.
func (l lists) home(v *visit) error {
	query := v.r.URL.Query()
	after := query.Get("after")
	s := shelf{of: v, At: "/", Query: wanted(query.Get("q")), Sort: gallery.Sort(query.Get("sort")), After: after != ""}
	if s.Query == "" && !s.After {
		return l.front(v, s)
	}
	if s.Sort == "" {
		s.Sort = gallery.SortNewest
	}
	title, err := nameOf(v, s.Sort), error(nil)
	if s.Query == "" {
		s.Page, err = l.gallery.Browse(v.r.Context(), v.by, s.Sort, after)
	} else if err = v.grant.Also(admission.Search); err == nil {
		title = v.T("gallery.found", "q", texts.Isolated(s.Query))
		s.Page, err = l.gallery.Search(v.r.Context(), v.by, s.Query, after)
	}
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "list.html", title, s)
}

// tagPath is the prefix of the paths of tags.
const tagPath = "/tag/"

// tagged shows the projects with a tag. A tag in capitals, or in another spelling, redirects to the page of the stored
// form.
func (l lists) tagged(v *visit) error {
	query, tag := v.r.URL.Query(), v.r.PathValue("tag")
	after := query.Get("after")
	if kept, ok := names.Tag(tag); ok && kept != tag && after == "" {
		http.Redirect(v.w, v.r, tagPath+url.PathEscape(kept), http.StatusMovedPermanently)
		return nil
	}
	s := shelf{of: v, At: tagPath + tag, Tag: tag, Sort: gallery.Sort(query.Get("sort")), After: after != ""}
	var err error
	if s.Sort != "" || s.After {
		s.Sort = cmp.Or(s.Sort, gallery.SortNewest)
		s.Page, err = l.gallery.Tagged(v.r.Context(), v.by, tag, s.Sort, after)
	} else {
		s.Sort, s.Page, err = l.bestTagged(v, tag)
	}
	if err != nil {
		return err
	}
	if s.Tags, err = l.gallery.Tags(v.r.Context(), v.by); err != nil {
		return err
	}
	return v.show(http.StatusOK, "list.html", tagHeading(v, tag), s)
}

// bestTagged returns the projects on a page of a tag without a chosen order: those that trend or, if these are few, all
// of them, newest first.
func (l lists) bestTagged(v *visit, tag string) (gallery.Sort, gallery.Page, error) {
	page, err := l.gallery.Tagged(v.r.Context(), v.by, tag, gallery.SortTrending, "")
	if err != nil || len(page.Cards) >= fewFound {
		return gallery.SortTrending, page, err
	}
	page, err = l.gallery.Tagged(v.r.Context(), v.by, tag, gallery.SortNewest, "")
	return gallery.SortNewest, page, err
}

// front shows the home page, or the first page of a list. Except for the visitor's own name it is the same for all, so
// it is rendered at intervals, however many visitors come.
func (l lists) front(v *visit, s shelf) error {
	if v.said != "" {
		body, err := l.renderFront(v, s)
		if err == nil {
			v.answer(http.StatusOK, body)
		}
		return err
	}
	page, err := l.fronts.page(v.r.Context(), v.Lang+" /"+string(s.Sort), func() (stencil.Stencil, error) {
		body, err := l.renderFront(v.forAll(), s)
		return stencil.New(body), err
	})
	if err != nil {
		return err
	}
	steps, err := view{visit: v}.Steps()
	if err != nil {
		return err
	}
	return v.fillIn(page, func(to *bytes.Buffer, _ string) { to.WriteString(string(steps)) })
}

func (l lists) renderFront(v *visit, s shelf) ([]byte, error) {
	var page bytes.Buffer
	if s.Sort == "" {
		found, err := l.gallery.Home(v.r.Context(), v.by)
		if err != nil {
			return nil, err
		}
		err = v.render(&page, "home.html", v.brand.Called(), frontPage{found, l.challenges(v)})
		return page.Bytes(), err
	}
	var err error
	if s.Page, err = l.gallery.Browse(v.r.Context(), v.by, s.Sort, ""); err != nil {
		return nil, err
	}
	err = v.render(&page, "list.html", nameOf(v, s.Sort), s)
	return page.Bytes(), err
}

// forAll returns the visit for a page that is cached for all visitors.
func (v *visit) forAll() *visit {
	all := *v
	all.by, all.me, all.anybody = sandlot.Caller{From: v.from()}, nil, true
	return &all
}

// Who returns the part of a page's header that is the visitor's own.
func (v view) Who() (template.HTML, error) {
	if v.anybody {
		return holeOf(whoHole), nil
	}
	var out strings.Builder
	err := v.templates.ExecuteTemplate(&out, "who", v)
	return template.HTML(out.String()), err
}
