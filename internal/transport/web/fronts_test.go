package web

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/web/stencil"
)

// TestAPageThatCannotBeMadeFailsForAllWhoWait: and what is not there is looked for by each.
func TestAPageThatCannotBeMadeFailsForAllWhoWait(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		tries int
	}{
		"a store that is away": {fmt.Errorf("list: %w", sandlot.ErrUnavailable), 1},
		"a fault":              {fmt.Errorf("list: %w", sandlot.ErrCorrupt), 1},
		"a handle of nobody":   {sandlot.ErrNotFound, 20},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s, tries := newFronts(time.Now), newSheets(), 0
				fails := func() error {
					tries++
					testenv.Pass(5 * time.Second)
					return c.err
				}
				errs := make(chan error)
				for range 20 {
					go func() {
						_, err := f.page(t.Context(), frontKey{path: "/"}, func() (stencil.Stencil, error) { return nil, fails() })
						errs <- err
					}()
				}
				for range 20 {
					expect.Is(t, "a front page", <-errs, c.err)
				}
				expect.Equal(t, "tries of a front page", tries, c.tries)
				tries = 0
				for range 20 {
					go func() {
						_, err := s.page(t.Context(), sheetKey{id: gameID}, 1, func() (*sheet, error) { return nil, fails() })
						errs <- err
					}()
				}
				for range 20 {
					expect.Is(t, "the page of a project", <-errs, c.err)
				}
				expect.Equal(t, "tries of the page of a project", tries, c.tries)
			})
		})
	}
}
