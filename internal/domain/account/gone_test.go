package account_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// sender is a Mailer that is a function.
type sender func(account.Mail) error

func (f sender) Send(_ context.Context, m account.Mail) error { return f(m) }

// TestRegression24AJobThatWentWithItsAccountFailsNothing deletes an account while its
// message is on its way.
func TestRegression24AJobThatWentWithItsAccountFailsNothing(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]error{"sent": nil, "not sent": errors.New("later"), "refused": account.ErrRefused} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			out := w.publishWith(nobody(), "kim@example.com")
			w.jobsOf(func(m account.Mail) error {
				if _, err := w.operator().Delete(t.Context(), byOperator, "@"+out.Account.Handle, "was asked for"); err != nil {
					t.Error(err)
				}
				return answer
			})
			expect.Equal(t, "messages later", len(w.postman()), 0)
		})
	}
}

// jobsOf sends what is due with a mailer.
func (w *world) jobsOf(send func(account.Mail) error) {
	w.t.Helper()
	c := &account.Courier{
		Store: w.db.Mail(), Vault: w.in.Vault(), Mailer: sender(send), Places: testworld.Places(), Log: slog.New(slog.DiscardHandler), Now: w.clock.now, AtOnce: 1,
	}
	expect.OK(w.t, c.SendDue(w.t.Context()))
}
