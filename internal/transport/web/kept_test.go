package web

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/web/card"
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
