package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// pageOf is the game's page for whoever comes with these headers.
func (w *world) pageOf(headers ...string) string {
	w.t.Helper()
	return text(w.t, request(w, "GET", "/p/game-abc123", "", headers...))
}

// TestAPageThatIsKeptIsTheProjectAsItIs: a new title, description, version or handle is on the page at once, and so is the end of it.
func TestAPageThatIsKeptIsTheProjectAsItIs(t *testing.T) {
	t.Parallel()
	h := board(t, chess)
	expect.Contains(t, "at first it is", h.pageOf(), "It is &lt;i&gt;old")
	for _, d := range []publish.Details{{Title: "Reversi"}, {Title: "Reversi", Description: "Quite new"}} {
		expect.OK(t, h.service.Describe(t.Context(), h.owner("kim"), gameID, publish.DescribeInput{Details: d}))
		expect.Contains(t, "then it is", h.pageOf(), d.Title+"</h1>")
		expect.Contains(t, "then it is", h.pageOf(), d.Description)
	}
	must(h.account.Rename(t.Context(), h.owner("kim"), "kim2"))(t)
	expect.Contains(t, "under another handle it is", h.pageOf(), `href="/@kim2"`)
	h.suspend(gameID) // as a command beside the server does, which is seen when heads are confirmed
	expect.OK(t, h.in.Publish.Heads.Confirm(t.Context()))
	expect.Equal(t, "taken down it is", request(h, "GET", "/p/game-abc123", "").StatusCode, http.StatusUnavailableForLegalReasons)
}

// TestAPageThatIsKeptIsEachVisitorsOwn: what one likes is nobody else's, each new browser gets a token of its own, and nobody gets the page of an owner.
func TestAPageThatIsKeptIsEachVisitorsOwn(t *testing.T) {
	t.Parallel()
	h := board(t, chess)
	token := func(page string) string {
		_, rest, _ := strings.Cut(page, `name="visitor" value="`)
		value, _, _ := strings.Cut(rest, `"`)
		return value
	}
	first, second := h.pageOf(), h.pageOf()
	if token(first) == "" || token(first) == token(second) {
		t.Errorf("two browsers get the tokens %q and %q", token(first), token(second))
	}
	its := h.visitor()
	request(h, "POST", likePath, "like=1", "Cookie", visitorCookie+"="+its)
	liker := h.pageOf("Cookie", visitorCookie+"="+its)
	if strings.Count(liker, `class="tool" aria-pressed="true"`) != 2 || !strings.Contains(liker, "<b data-likes>57</b>") || token(liker) != "" {
		t.Error("whoever likes it does not see that")
	}
	if strings.Contains(h.pageOf(), `class="tool" aria-pressed="true"`) {
		t.Error("whoever does not like it sees that somebody does")
	}
	own := h.pageOf("Cookie", cookieName+"=kim")
	if !strings.Contains(own, `class="owner"`) || !strings.Contains(own, "/account/projects/game-abc123") {
		t.Error("the owner is not led to manage it")
	}
	if page := h.pageOf("Accept-Language", "fr"); strings.Contains(page, `class="owner"`) || strings.Contains(page, "/account/projects") {
		t.Error("others see the owner's page")
	}
}

// TestWhatWasTakenDownIsNotLedTo within a second: neither as what comes next nor as more of its creator.
func TestWhatWasTakenDownIsNotLedTo(t *testing.T) {
	t.Parallel()
	h := house(t)
	page := h.pageOf()
	expect.Contains(t, "its page", page, `href="/p/bare-abc123"`)
	if strings.Contains(page, "\x00") {
		t.Error("a hole is open")
	}
	h.suspend(bareID)
	h.later(time.Second)
	if strings.Contains(h.pageOf(), "bare-abc123") {
		t.Error("it still leads there")
	}
}

func TestAProjectCanBePlayedWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	h := house(t)
	expect.Contains(t, "at first it is", h.pageOf(), `class="cards"`)
	expect.OK(t, h.db.Close())
	h.later(time.Second)
	if page := h.pageOf(); !strings.Contains(page, `class="start"`) || strings.Contains(page, `class="cards"`) {
		t.Errorf("without its lists it is %s", page)
	}
}

func TestNoMorePagesAreKeptThanFit(t *testing.T) {
	t.Parallel()
	s, page := newSheets(), newStencil([]byte(strings.Repeat("x", 1<<20)))
	for i := range 40 {
		s.values.Set(fmt.Sprint(i), sheet{page: page})
	}
	s.values.CleanUp()
	if n := s.values.WeightedSize(); n > maxSheets || n < maxSheets/2 {
		t.Errorf("they take %d bytes", n)
	}
}
