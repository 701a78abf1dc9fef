package web

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/web/stencil"
)

// maxMine bounds the form that asks for cards, in bytes: an id has at most 80.
const maxMine = gallery.MostCards*80 + maxForm

// strolls serves the personal ways through the projects: by chance, and by the browser's memory.
type strolls struct{ gallery *gallery.Service }

func (s strolls) routes() []route {
	return []route{
		{"GET", "/random", stranger, admission.Look, s.random},
		{"GET", "/mine", anyone, admission.Look, s.mine},
		{"POST", "/mine/cards", anyone, admission.Search, form(maxMine, s.cards, "ids")},
	}
}

// mine shows the page of the projects that the browser remembers as liked or played. The service has no record of them.
func (strolls) mine(v *visit) error {
	return v.show(http.StatusOK, "mine.html", v.T("mine.title"), v.lost.cards(v))
}

// cards returns the cards of the projects that a browser remembers, and stores nothing of the request. The ids come in
// a form and not in the address, so that no log has them.
func (s strolls) cards(v *visit) error {
	var ids []sandlot.ProjectID
	for id := range strings.FieldsSeq(v.r.PostForm.Get("ids")) {
		ids = append(ids, sandlot.ProjectID(id))
	}
	list, err := s.gallery.CardsOf(v.r.Context(), v.by, ids)
	if err != nil {
		return err
	}
	return v.send("text/html; charset=utf-8", []byte(cards(v.Voice, "", list)))
}

// random redirects to a listed project, another one than the visitor comes from.
func (s strolls) random(v *visit) error {
	id, err := s.gallery.Random(v.r.Context(), v.by, sandlot.ProjectID(v.query("not")))
	if errors.Is(err, sandlot.ErrNotFound) {
		return v.redirect("/")
	}
	if err != nil {
		return err
	}
	return v.redirect("/p/" + string(id))
}

// The limits of the cards on an error page.
const (
	lostCards = 4                      // a row on a desktop
	lostWait  = 200 * time.Millisecond // for the list: a lost visitor does not wait for a slow database
)

// A mishap is an error for a template.
type mishap struct {
	Text, RequestID string
	Appeal          string        // where the owner of a project that is down or held objects; may be empty
	Contact         string        // of the operator, a URI, beside Appeal; may be empty
	Lost            bool          // whether the page just does not exist: then it offers the search
	Cards           template.HTML // of other projects; may be empty
}

// consolation caches popular projects for visitors who found nothing: one list for each language. It queries the
// gallery as seldom as the front page is rendered, however many addresses somebody tries.
type consolation struct {
	gallery *gallery.Service
	kept    *fronts // by language
}

// cards returns cards for a page that has nothing else to show.
func (c consolation) cards(v *visit) template.HTML {
	ctx, cancel := context.WithTimeout(v.r.Context(), lostWait)
	defer cancel()
	list, err := c.kept.page(ctx, v.Lang, func() (stencil.Stencil, error) {
		// An empty list is cached, too: a failing database is not queried for each visitor.
		return stencil.Text([]byte(c.find(ctx, v))), nil
	})
	if err != nil {
		return ""
	}
	var html bytes.Buffer
	list.Write(&html, nil)
	return template.HTML(html.String())
}

// find returns cards of the projects played most this week, or of the newest if none was played.
func (c consolation) find(ctx context.Context, v *visit) template.HTML {
	for _, order := range []gallery.Sort{gallery.SortPlayed, gallery.SortNewest} {
		page, err := c.gallery.Browse(ctx, sandlot.Caller{From: v.by.From}, order, "")
		if err != nil {
			return ""
		}
		if len(page.Cards) > 0 {
			return cards(v.Voice, "", page.Cards[:min(len(page.Cards), lostCards)])
		}
	}
	return ""
}

// newMishap returns the data of an error page.
func newMishap(v *visit, status int, name string) mishap {
	m := mishap{Text: v.T(name + ".text"), RequestID: v.requestID(v.r.Context()), Appeal: v.appeal}
	if m.Appeal != "" {
		m.Contact = v.contact
	}
	if status == http.StatusNotFound || status == http.StatusUnavailableForLegalReasons {
		m.Lost, m.Cards = true, v.lost.cards(v)
	}
	return m
}
