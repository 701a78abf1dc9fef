package gallery

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestCachedIsFoundByOneWhileOthersGetTheOldValue(t *testing.T) {
	c, now := newCached[int](time.Second), time.Now()
	get := func(now time.Time, find func() (int, error)) int {
		v, err := c.get(t.Context(), now, find)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	value := func(v int) func() (int, error) { return func() (int, error) { return v, nil } }
	if got := get(now, value(1)); got != 1 {
		t.Errorf("at first %d", got)
	}
	if got := get(now.Add(time.Second-1), value(2)); got != 1 {
		t.Errorf("while it is fresh %d", got)
	}
	later := now.Add(time.Second)
	got := get(later, func() (int, error) {
		if old := get(later, value(4)); old != 1 {
			t.Errorf("while another finds it %d", old)
		}
		return 3, nil
	})
	if got != 3 || get(later, value(5)) != 3 {
		t.Errorf("found anew %d", got)
	}
	if got := get(now.Add(-time.Hour), value(6)); got != 6 {
		t.Errorf("after the clock was set back %d", got)
	}
}

func TestCachedKeepsNoErrorAndWaitsForTheFirstValueWithinItsContext(t *testing.T) {
	c, now := newCached[int](time.Second), time.Now()
	broken := errors.New("broken")
	if _, err := c.get(t.Context(), now, func() (int, error) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.get(ctx, now, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("who waits gets %v", err)
		}
		return 0, broken
	}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if v, err := c.get(t.Context(), now, func() (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Errorf("then %d, %v", v, err)
	}
}
