package account_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
)

// late fails a verification, and a change of an address, after it happened.
type late struct {
	account.ClaimStore
	account.RecoveryStore
}

func (s late) UseVerification(ctx context.Context, token sandlot.Digest, now time.Time) (sandlot.Account, sandlot.Changed, error) {
	a, changed, err := s.ClaimStore.UseVerification(ctx, token, now)
	return a, changed, errors.Join(err, sandlot.ErrUnavailable)
}

func (s late) TakeEmail(ctx context.Context, token sandlot.Digest, now, undo time.Time, notice sandlot.Job) (sandlot.Account, sandlot.Changed, error) {
	a, changed, err := s.RecoveryStore.TakeEmail(ctx, token, now, undo, notice)
	return a, changed, errors.Join(err, sandlot.ErrUnavailable)
}

func TestRegression32WhatIsRememberedOfAProjectIsForgottenAfterAnErrorToo(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(w *world, s *account.Service, id sandlot.AccountID) error{
		"the address was verified": func(w *world, s *account.Service, _ sandlot.AccountID) error {
			_, err := s.Verify(t.Context(), nobody(), w.mail()[0])
			return err
		},
		"another address was taken": func(w *world, s *account.Service, id sandlot.AccountID) error {
			if err := w.ProposeEmail(t.Context(), w.owner(id), "new@example.org", "en"); err != nil {
				return err
			}
			for _, m := range w.postman() {
				if m.Kind == account.MailEmailChange {
					_, err := s.TakeEmail(t.Context(), nobody(), linkOf(t, m, "email"))
					return err
				}
			}
			return errors.New("no message")
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			p := w.publish(nobody(), page).Project
			stores := w.db.Account().Stores()
			fails := late{stores.Claims, stores.Recovery}
			stores.Claims, stores.Recovery = fails, fails
			s := w.in.AnotherAccount(stores)
			if p, err := w.Current(t.Context(), nobody(), p.ID); err != nil || p.Verified {
				t.Fatalf("verified %v, %v", p.Verified, err)
			}
			if err := change(w, s, p.Account); !errors.Is(err, sandlot.ErrUnavailable) {
				t.Fatalf("got %v", err)
			}
			if p, err := w.Current(t.Context(), nobody(), p.ID); err != nil || !p.Verified {
				t.Errorf("verified %v, %v", p.Verified, err)
			}
		})
	}
}
