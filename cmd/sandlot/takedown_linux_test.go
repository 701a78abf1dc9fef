package main

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// unconfirmed matches the count of queries for change numbers that failed, if there is one.
var unconfirmed = regexp.MustCompile(`sandlot_worker_failures_total\{worker="heads"\} ([1-9][0-9]*)`)

// failures is how many queries for change numbers failed.
func failures(t *testing.T, s *testenv.Server) int {
	t.Helper()
	_, text := open(t, s, s.URL()+"/metrics")
	m := unconfirmed.FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(string(m[1]))
	expect.OK(t, err)
	return n
}

// uses are what a project's address answered, asked again and again.
type uses struct {
	mu   sync.Mutex
	seen map[int]bool // the statuses; 0 is no answer
}

// use asks for a project until the end of the test, so that it is in use.
func use(t *testing.T, s *testenv.Server, url string) *uses {
	v := &uses{seen: map[int]bool{}}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		testenv.Poll(time.Hour, func() bool {
			status := 0
			if resp, err := s.Client().Get(url); err == nil {
				resp.Body.Close()
				status = resp.StatusCode
			}
			v.mu.Lock()
			defer v.mu.Unlock()
			v.seen[status] = true
			return ctx.Err() != nil
		})
	}()
	t.Cleanup(func() { stop(); <-done })
	return v
}

// take is what was answered since it was called last.
func (v *uses) take() []int {
	v.mu.Lock()
	defer v.mu.Unlock()
	seen := slices.Collect(maps.Keys(v.seen))
	clear(v.seen)
	return seen
}
