package account_test

import (
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

func TestVerification(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	id := out.Project.ID
	tokens := w.mail()
	if len(tokens) != 1 {
		t.Fatalf("%d links", len(tokens))
	}
	verified := func() bool {
		t.Helper()
		p, err := w.Current(t.Context(), nobody(), id)
		expect.OK(t, err)
		return p.Verified
	}
	if verified() {
		t.Error("verified without a link")
	}
	t.Run("opening the link verifies nothing, however often", func(t *testing.T) {
		for range 20 {
			if v, err := w.Claim(t.Context(), nobody(), tokens[0]); err != nil || v.Email != address {
				t.Fatalf("%+v, %v", v, err)
			}
		}
		if verified() {
			t.Error("it does")
		}
	})
	t.Run("another token is refused", func(t *testing.T) {
		for _, token := range []string{"", tokens[0] + "x", tokens[0][1:]} {
			if _, err := w.Verify(t.Context(), nobody(), token); !errors.Is(err, sandlot.ErrNotFound) {
				t.Errorf("%q: %v", token, err)
			}
		}
	})
	t.Run("the button verifies, and every reader of the project knows at once", func(t *testing.T) {
		if a, err := w.Verify(t.Context(), nobody(), tokens[0]); err != nil || !a.EmailVerified || !verified() {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("a link works once", func(t *testing.T) {
		if _, err := w.Verify(t.Context(), nobody(), tokens[0]); !errors.Is(err, sandlot.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("any number of accounts may hold the same unverified address", func(t *testing.T) {
		other := w.publish(nobody(), page)
		if other.Project.Account == out.Project.Account || other.Account.EmailVerified {
			t.Errorf("account %+v", other.Account)
		}
		if p, err := w.Current(t.Context(), nobody(), other.Project.ID); err != nil || p.Verified {
			t.Errorf("%+v, %v", p, err)
		}
	})
	t.Run("a link lives a day", func(t *testing.T) {
		tokens := w.mail()
		w.clock.move(24 * time.Hour)
		if _, err := w.Verify(t.Context(), nobody(), tokens[0]); !errors.Is(err, sandlot.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("another address ends the link to the one before", func(t *testing.T) {
		by := w.account()
		one := w.publishWith(by, "one@example.org")
		first := w.mail()
		w.publishWith(by, "two@example.org")
		_, err := w.Verify(t.Context(), nobody(), first[0])
		expect.Is(t, "the old link", err, sandlot.ErrNotFound)
		second := w.mail()
		if a, err := w.Verify(t.Context(), nobody(), second[0]); err != nil || a.Email != "two@example.org" || a.ID != one.Project.Account {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("the same address again leaves the links that were sent in force", func(t *testing.T) {
		// A client that sends its address with every call gets three messages a day, and the first must still work.
		by := w.account()
		var sent []string
		for i := range 6 {
			w.publishWith(by, "often@example.org")
			sent = append(sent, w.mail()...)
			if i < 3 && len(sent) != i+1 {
				t.Fatalf("%d mails after %d calls", len(sent), i+1)
			}
		}
		expect.Equal(t, "mails", len(sent), 3)
		if a, err := w.Verify(t.Context(), nobody(), sent[0]); err != nil || a.Email != "often@example.org" || !a.EmailVerified {
			t.Errorf("the first link: %+v, %v", a, err)
		}
		_, err := w.Verify(t.Context(), nobody(), sent[1])
		expect.Is(t, "the second link, after the first was used", err, sandlot.ErrNotFound)
	})
}
