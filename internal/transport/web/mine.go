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

// maxMine bounds the form that asks for cards: an id has at most 80 bytes.
const maxMine = gallery.MostCards*80 + maxForm

// wanderings is what the pages of a visitor's own way ask of the domain.
type wanderings interface {
	// Random returns a project that is listed, another one than not; sandlot.ErrNotFound if there is none.
	Random(ctx context.Context, by sandlot.Caller, not sandlot.ProjectID) (sandlot.ProjectID, error)
	// CardsOf returns those of the projects that anybody may look at, in that order.
	CardsOf(ctx context.Context, by sandlot.Caller, ids []sandlot.ProjectID) ([]gallery.Card, error)
}

// strolls are ways through the projects that are a visitor's own: by chance, and by what the browser remembers.
type strolls struct{ gallery wanderings }

func (s strolls) routes() []route {
	return []route{
		{"GET", "/random", stranger, admission.Look, s.random},
		{"GET", "/mine", anyone, admission.Look, s.mine},
		{"POST", "/mine/cards", anyone, admission.Search, form(maxMine, s.cards, "ids")},
	}
}

// mine is the page of what a browser remembers: what its owner liked and played. The service knows nothing of it.
func (strolls) mine(v *visit) error {
	return v.show(http.StatusOK, "mine.html", v.T("mine.title"), v.lost.cards(v))
}

// cards writes the cards of the projects that a browser remembers, and keeps nothing of what it was asked. A form asks, and no address, so that
// no log has it.
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

// random leads to a project that is listed, another one than the visitor comes from.
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

// What a page of an error shows beside what is wrong.
const (
	lostCards = 4                      // a row on a desk
	lostWait  = 200 * time.Millisecond // for the list: who is lost does not wait for a database that is slow
)

// A mishap is an error as a template sees it.
type mishap struct {
	Text, RequestID string
	Lost            bool          // whether there is only nothing here: then one can search
	Cards           template.HTML // of other projects; may be none
}

// consolation is what is played much, for those who have found nothing: one list for each language. It is asked for
// as seldom as the front page is rendered, however many addresses somebody tries.
type consolation struct {
	gallery galleries
	kept    *fronts // by language
}

// cards are those for a page that has nothing else to show.
func (c consolation) cards(v *visit) template.HTML {
	ctx, cancel := context.WithTimeout(v.r.Context(), lostWait)
	defer cancel()
	list, err := c.kept.page(ctx, frontKey{lang: v.Lang}, func() (stencil.Stencil, error) {
		// Also where there is none: a database that fails is not asked by each.
		return stencil.Text([]byte(c.find(ctx, v))), nil
	})
	if err != nil {
		return ""
	}
	var html bytes.Buffer
	list.Write(&html, nil)
	return template.HTML(html.String())
}

// find returns those of what is played most this week, or of what is new where nothing is.
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

// newMishap is what the page of an error shows.
func newMishap(v *visit, status int, name string) mishap {
	m := mishap{Text: v.T(name + ".text"), RequestID: v.requestID(v.r.Context())}
	if status == http.StatusNotFound || status == http.StatusUnavailableForLegalReasons {
		m.Lost, m.Cards = true, v.lost.cards(v)
	}
	return m
}
