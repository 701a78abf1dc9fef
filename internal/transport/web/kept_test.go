package web

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/web/card"
	"sandlot/internal/transport/web/stencil"
)

func TestAValueIsMadeOnceAndItsFailureIsSharedUnlessItIsPersonal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		tries int
	}{
		"a value": {nil, 1}, "a fault": {fmt.Errorf("list: %w", sandlot.ErrUnavailable), 1}, "a handle of nobody": {sandlot.ErrNotFound, 20},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kept, tries, errs := newCache(1<<20, func(int) int { return 1 }), 0, make(chan error)
				get := func(ctx context.Context) {
					_, err := kept.get(ctx, "key", func(int) bool { return true }, sandlot.Gone, func(int) (int, error) {
						tries++
						testenv.Pass(5 * time.Second)
						return 1, c.err
					})
					errs <- err
				}
				for range 20 {
					go get(t.Context())
				}
				synctest.Wait()
				ended, end := context.WithCancel(t.Context())
				end()
				go get(ended)
				left := 0
				for range 21 {
					if err := <-errs; err == context.Canceled {
						left++
					} else {
						expect.Is(t, "the error", err, c.err)
					}
				}
				expect.Equal(t, "tries", tries, c.tries)
				expect.Equal(t, "visitors who left", left, 1)
			})
		})
	}
}

func TestAPainterHasABoundedQueue(t *testing.T) {
	t.Parallel()
	p := newShares(home(t).cfg).press
	end, err := p.load.Heaviest(t.Context())
	expect.OK(t, err)
	p.waiting.Add(maxWaiting)
	_, err = p.draw(t.Context(), card.Card{Handle: "@kim"})
	expect.Is(t, "one more", err, sandlot.ErrUnavailable)
	p.waiting.Add(-maxWaiting)
	end()
	_, err = p.draw(t.Context(), card.Card{Handle: "@kim"})
	expect.OK(t, err)
}

// TestACardWhoseCoverIsGoneShowsTheTile: it was just replaced, or is damaged.
func TestACardWhoseCoverIsGoneShowsTheTile(t *testing.T) {
	t.Parallel()
	s, v := newShares(home(t).cfg), &visit{r: httptest.NewRequest("GET", "/", nil)}
	p := sandlot.Project{ID: gameID, Title: "Chess", Handle: "kim"}
	tile := must(s.cardOf(v, p))(t)
	p.Cover = "pabc234"
	expect.Same(t, "the card", must(s.cardOf(v, p))(t), tile)
}

// pageOf returns the game's page for a request with these headers.
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
	s, page := newSheets(), stencil.New([]byte(strings.Repeat("x", 1<<20)))
	for i := range 40 {
		s.values.Set(fmt.Sprint(i), sheet{page: page})
	}
	s.values.CleanUp()
	if n := s.values.WeightedSize(); n > maxSheets || n < maxSheets/2 {
		t.Errorf("they take %d bytes", n)
	}
}

// TestAKeptPageIsTheSamePacked for every visitor, and its length reveals nothing about their own data.
func TestAKeptPageIsTheSamePacked(t *testing.T) {
	t.Parallel()
	h := board(t, chess)
	visitor := "; " + visitorCookie + "=" + h.visitor()
	for _, path := range []string{"/", "/?sort=newest", "/@kim", "/p/game-abc123"} {
		for _, cookie := range []string{"a=b", themeCookie + "=dark", cookieName + "=kim"} {
			plain := text(t, request(h, "GET", path, "", "Cookie", cookie+visitor))
			resp := request(h, "GET", path, "", "Cookie", cookie+visitor, "Accept-Encoding", "gzip, deflate, br")
			sent := text(t, resp)
			if resp.Header.Get("Content-Encoding") == "" && cookie == cookieName+"=kim" {
				continue // a page of one's own is not kept
			}
			unpacked := must(io.ReadAll(must(gzip.NewReader(strings.NewReader(sent)))(t)))(t)
			if string(unpacked) != plain || len(sent)*2 > len(plain) {
				t.Errorf("%s with %s has %d bytes, and %d plain", path, cookie, len(sent), len(plain))
			}
			if is := strings.Contains(plain, `<html data-theme="dark"`); is != (cookie == themeCookie+"=dark") || strings.Contains(plain, "\x00") {
				t.Errorf("%s with %s begins with %.50s", path, cookie, plain)
			}
		}
	}
}

// TestRegressionM26ANetworkHasAShareOfTheCardsThatAreDrawn: beyond it that network's fresh cards are 429, those that are kept go on, and another
// network's are drawn.
func TestRegressionM26ANetworkHasAShareOfTheCardsThatAreDrawn(t *testing.T) {
	t.Parallel()
	h := home(t)
	ids := h.fill(4, "Pong")
	h.limits = admission.New(admission.Config{Public: true, Work: admission.Rate{Count: 1, Per: time.Hour, Burst: 3000}}) // a draw costs 2,000
	ask := func(addr string, id sandlot.ProjectID) int {
		r := httptest.NewRequest("GET", "https://example.com/p/"+string(id)+"/card.jpg", nil)
		r.RemoteAddr = addr + ":1234"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	const one, other = "203.0.113.1", "203.0.113.2"
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		if got := ask(one, ids[i]); got != want {
			t.Errorf("card %d of one network: %d, want %d", i, got, want)
		}
	}
	if got := ask(other, ids[0]); got != http.StatusOK {
		t.Errorf("a kept card, for another network: %d", got)
	}
	if got := ask(other, ids[3]); got != http.StatusOK {
		t.Errorf("a fresh card, for another network: %d", got)
	}
}

// TestANetworkHasFewPicturesThatWaitToBeDrawn, so that those of others have a place.
func TestANetworkHasFewPicturesThatWaitToBeDrawn(t *testing.T) {
	t.Parallel()
	w := home(t)
	s := newShares(w.cfg)
	for range maxOfOne {
		_, err := s.drawers.Lock(t.Context(), "one")
		expect.OK(t, err)
	}
	draw := func(network string) error {
		v := &visit{r: httptest.NewRequest("GET", "/", nil), site: &site{limits: w.cfg.Admission}, by: sandlot.Caller{From: sandlot.Sender{Network: network}}}
		_, err := s.charged(v, func() ([]byte, error) { return nil, nil })()
		return err
	}
	if err := draw("one"); !isRefusal(err) {
		t.Errorf("one more: %v", err)
	}
	expect.OK(t, draw("other"))
}
