package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// endless is a body that brings a byte a minute, for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) { testenv.Pass(time.Minute); return 1, nil }

func TestRegression33ARequestLivesFarShorterThanWhatItHasStagedIsKept(t *testing.T) {
	if 4*requestLife > operate.Grace {
		t.Errorf("a request may live for %v, and what nothing names yet is deleted after %v", requestLife, operate.Grace)
	}
	t.Run("its body fails then, and its context ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			r, done := limitLife(httptest.NewRequest("POST", "/v1/publish", endless{}), io.NopCloser(endless{}))
			defer done()
			_, err := io.Copy(io.Discard, r.Body)
			if took := time.Since(begun); !errors.Is(err, os.ErrDeadlineExceeded) || took < requestLife || took > requestLife+time.Minute {
				t.Errorf("it was read for %v: %v", took, err)
			}
			expect.Equal(t, "its context", r.Context().Err(), context.DeadlineExceeded)
		})
	})
	t.Run("one without a body, as that of somebody who watches, has no such end", func(t *testing.T) {
		r, done := limitLife(httptest.NewRequest("GET", "/events", http.NoBody), http.NoBody)
		defer done()
		if _, limited := r.Context().Deadline(); limited {
			t.Error("it has one")
		}
	})
}

// TestRegression33EveryRequestWithABodyHasItsLimit: the program's outermost handler sets it, whatever the request is for.
func TestRegression33EveryRequestWithABodyHasItsLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		body io.Reader
		want bool
	}{{"with a body", endless{}, true}, {"without", http.NoBody, false}} {
		t.Run(tt.name, func(t *testing.T) {
			a := smallApp(t)
			s := a.router(newMetrics(false))
			var left time.Duration
			limited := false
			s.api = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				var end time.Time
				end, limited = r.Context().Deadline()
				left = time.Until(end)
				if _, mortal := r.Body.(mortalBody); mortal != tt.want {
					t.Errorf("its body is a %T", r.Body)
				}
			})
			s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/v1/publish", tt.body))
			if limited != tt.want || limited && (left > requestLife || left < requestLife-time.Minute) {
				t.Errorf("limited: %v, for %v", limited, left)
			}
		})
	}
}
