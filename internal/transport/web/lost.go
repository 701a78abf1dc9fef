package web

import (
	"context"
	"html/template"
	"net/http"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

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
	mu      sync.Mutex
	kept    map[string]keptCards // by language
}

type keptCards struct {
	cards template.HTML
	at    time.Time
}

func newConsolation(in galleries) *consolation {
	return &consolation{gallery: in, kept: map[string]keptCards{}}
}

// cards are those for a page that has nothing else to show.
func (c *consolation) cards(v *visit) template.HTML {
	now := v.now()
	c.mu.Lock()
	kept, ok := c.kept[v.Lang]
	c.mu.Unlock()
	if ok && now.Sub(kept.at).Abs() < frontFor {
		return kept.cards
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), lostWait)
	defer cancel()
	cards := c.find(ctx, v)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[v.Lang] = keptCards{cards, now} // also where there is none: a database that fails is not asked by each
	return cards
}

// find returns those of what is played most this week, or of what is new where nothing is.
func (c *consolation) find(ctx context.Context, v *visit) template.HTML {
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

// mishap is what the page of an error shows.
func (v *visit) mishap(status int, name string) mishap {
	m := mishap{Text: v.T(name + ".text"), RequestID: v.requestID(v.r.Context())}
	if status == http.StatusNotFound || status == http.StatusUnavailableForLegalReasons {
		m.Lost, m.Cards = true, v.lost.cards(v)
	}
	return m
}
