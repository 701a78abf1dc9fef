package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
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
