package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
)

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
	s := newShares(home(t).cfg)
	for range maxOfOne {
		_, err := s.drawers.Lock(t.Context(), "one")
		expect.OK(t, err)
	}
	draw := func(network string) error {
		v := &visit{r: httptest.NewRequest("GET", "/", nil), by: sandlot.Caller{From: sandlot.Sender{Network: network}}}
		_, err := s.charged(v, func() ([]byte, error) { return nil, nil })()
		return err
	}
	if err := draw("one"); !isRefusal(err) {
		t.Errorf("one more: %v", err)
	}
	expect.OK(t, draw("other"))
}
