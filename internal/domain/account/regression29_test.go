package account_test

import (
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// TestRegression29TheHandleThatItWillBe: HandleFor promises what Rename does, and does nothing.
func TestRegression29TheHandleThatItWillBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, _, _ := w.owned(address)
	other, _, _ := w.owned("lee@example.org")
	for _, want := range []string{"Kim B", "Ünï", a.Handle, other.Handle, "", "admin", "---"} {
		shown, refused := w.HandleFor(t.Context(), w.owner(a.ID), want)
		if now, err := w.db.Publish().Account(t.Context(), a.ID); err != nil || now.Handle != a.Handle {
			t.Fatalf("%q: the account is %q, %v", want, now.Handle, err)
		}
		got, err := w.Rename(t.Context(), w.owner(a.ID), want)
		if (refused == nil) != (err == nil) || refused == nil && shown != got {
			t.Errorf("%q was to be %q, %v, and is %q, %v", want, shown, refused, got, err)
		}
		if err == nil {
			a.Handle = got
		}
	}
	_, err := w.HandleFor(t.Context(), w.owner(a.ID), other.Handle)
	expect.Is(t, "another's", err, sandlot.ErrExists)
}
