package gallery

import (
	"context"
	"errors"
	"testing"
	"time"

	"sandlot/internal/expect"
)

func TestCachedIsFoundByOneWhileOthersGetTheOldValue(t *testing.T) {
	c, now := newCached[int](time.Second), time.Now()
	get := func(now time.Time, find func() (int, error)) int {
		v, err := c.get(t.Context(), now, find)
		expect.OK(t, err)
		return v
	}
	value := func(v int) func() (int, error) { return func() (int, error) { return v, nil } }
	expect.Equal(t, "at first", get(now, value(1)), 1)
	expect.Equal(t, "while it is fresh", get(now.Add(time.Second-1), value(2)), 1)
	later := now.Add(time.Second)
	got := get(later, func() (int, error) {
		expect.Equal(t, "while another finds it", get(later, value(4)), 1)
		return 3, nil
	})
	if got != 3 || get(later, value(5)) != 3 {
		t.Errorf("found anew %d", got)
	}
	expect.Equal(t, "after the clock was set back", get(now.Add(-time.Hour), value(6)), 6)
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
