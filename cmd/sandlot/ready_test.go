package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

func TestReadinessNamesThePartThatIsMissing(t *testing.T) {
	works := func(context.Context) error { return nil }
	full := func(context.Context) error { return fmt.Errorf("probe blobs: %w", sandlot.ErrFull) }
	fails := func(context.Context) error { return errors.New("dial postgres://ada:secret@db: refused") }
	hangs := func(context.Context) error { testenv.Pass(2 * readyLimit); return nil }
	for name, c := range map[string]struct {
		needs  []need
		status int
		text   string
	}{
		"none":                        {[]need{{"database", works, false, nil}, {"blobs", works, false, nil}}, 200, "ok\n"},
		"the database":                {[]need{{"database", fails, false, nil}, {"blobs", works, false, nil}}, 503, "not ready\nmissing: database\n"},
		"the blobs":                   {[]need{{"database", works, false, nil}, {"blobs", fails, false, nil}}, 503, "not ready\nmissing: blobs\n"},
		"both, and what it can spare": {[]need{{"database", fails, false, nil}, {"blobs", fails, false, nil}, {"redis", fails, true, nil}}, 503, "not ready\nmissing: database, blobs\nwithout: redis\n"},
		"only what it can spare":      {[]need{{"database", works, false, nil}, {"redis", fails, true, nil}}, 200, "ok\nwithout: redis\n"},
		"one that is full":            {[]need{{"database", works, false, nil}, {"blobs", full, false, nil}}, 200, "ok\nfull: blobs\n"},
		"one that is full, and one":   {[]need{{"database", fails, false, nil}, {"blobs", full, false, nil}}, 503, "not ready\nmissing: database\nfull: blobs\n"},
		"one that all nodes share":    {[]need{{"database", fails, false, &common{}}, {"blobs", fails, false, &common{}}}, 200, "ok\nwithout: database, blobs\n"},
		"one that does not answer":    {[]need{{"database", hangs, false, nil}, {"blobs", fails, false, nil}, {"cache", works, false, nil}}, 503, "not ready\nmissing: database, blobs\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var logs strings.Builder
			s := &router{log: slog.New(slog.NewTextHandler(&logs, nil)), needs: c.needs}
			w := httptest.NewRecorder()
			ask := func() {
				begun := time.Now()
				s.readiness(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
				if took := time.Since(begun); took > readyLimit {
					t.Errorf("it took %s", took)
				}
			}
			if name == "one that does not answer" {
				slowly(t, ask)
			} else {
				ask()
			}
			expect.Equal(t, "status", w.Code, c.status)
			expect.Equal(t, "text", w.Body.String(), c.text)
			for _, part := range []string{"database", "blobs"} {
				if told := strings.Contains(logs.String(), "part="+part); told != strings.Contains(c.text, part) {
					t.Errorf("the log says %s", logs.String())
				}
			}
		})
	}
}

func TestReadinessFailsWhenTheDatabaseIsClosed(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	needs := (&app{stores: w.Stores()}).needs()
	expect.Equal(t, "parts that are missing", len(lacks(t.Context(), needs, w.Log).missing), 0)
	expect.OK(t, w.DB.Close())
	expect.Same(t, "parts that are missing", lacks(t.Context(), needs, w.Log).missing, []string{"database"})
}

// slowly runs what waits, on a clock that does not.
func slowly(t *testing.T, do func()) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		do()
		testenv.Pass(2 * readyLimit) // until nobody is left who hangs
	})
}
