package gallery

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
)

func TestCachedIsFoundByOneWhileOthersGetTheOldValue(t *testing.T) {
	t.Parallel()
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

// TestCachedGivesNobodyWhatIsTooOld: a feed went on with what was suspended, as long as the value before could not be replaced or nobody had
// asked for it.
func TestCachedGivesNobodyWhatIsTooOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, now, broken := newCached[int](time.Second), time.Now(), errors.New("broken")
		_, err := c.get(t.Context(), now, func() (int, error) { return 1, nil })
		expect.OK(t, err)
		for _, c2 := range []struct {
			after time.Duration
			err   error
		}{{2*time.Second - 1, nil}, {2 * time.Second, broken}, {time.Hour, broken}} {
			then, finish, errs, tries := now.Add(c2.after), make(chan struct{}), make(chan error), 0
			go func() {
				_, err := c.get(t.Context(), then, func() (int, error) { tries++; <-finish; return 0, broken })
				errs <- err
			}()
			synctest.Wait()
			go func() {
				v, err := c.get(t.Context(), then, func() (int, error) { tries++; return 0, broken })
				if err == nil && v != 1 {
					t.Errorf("after %s another gets %d", c2.after, v)
				}
				errs <- err
			}()
			synctest.Wait()
			if c2.err == nil {
				expect.OK(t, <-errs)
			}
			close(finish)
			expect.Is(t, "who asks first", <-errs, broken)
			if c2.err != nil {
				expect.Is(t, "who waits", <-errs, broken)
			}
			expect.Equal(t, "tries", tries, 1)
		}
	})
}

func TestCachedKeepsNoErrorAndWaitsForTheFirstValueWithinItsContext(t *testing.T) {
	t.Parallel()
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
