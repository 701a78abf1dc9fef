package account_test

import (
	"fmt"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

// year is by how much this test sets the clock.
const year = 365 * 24 * time.Hour

func TestRegression38NothingStaysStuckAfterAClockWasAhead(t *testing.T) {
	t.Parallel()
	// ahead does something while the clock is a year ahead, and sets it right.
	ahead := func(w *world, do func()) {
		w.clock.move(year)
		do()
		w.clock.move(-year)
	}
	t.Run("a message waits no longer than messages wait", func(t *testing.T) {
		w := newWorld(t)
		ahead(w, func() { w.publish(nobody(), page) })
		expect.Equal(t, "messages", len(w.mail()), 1)
	})
	t.Run("a mailbox that had enough gets mail again", func(t *testing.T) {
		w := newWorld(t)
		ahead(w, func() {
			for range 10 {
				w.publish(nobody(), page)
				w.mail()
			}
		})
		w.publish(nobody(), page)
		expect.Equal(t, "messages", len(w.mail()), 1)
	})
	t.Run("an account that was renamed often can be renamed", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		rename := func(handle string) error {
			_, err := w.Rename(t.Context(), w.owner(by.Account()), handle)
			return err
		}
		ahead(w, func() {
			n := 0
			for ; n < 50 && rename(fmt.Sprint("ada-", n)) == nil; n++ {
			}
			if n == 0 || n == 50 {
				t.Errorf("it was renamed %d times in a day", n)
			}
		})
		expect.OK(t, rename("ada-again"))
	})
}
