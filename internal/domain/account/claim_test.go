package account_test

import (
	"fmt"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestRegression07TheLinkShowsTheAccountThatItConfirms(t *testing.T) {
	t.Parallel()
	// published is an account that a stranger made with somebody's address, and the token of the link.
	published := func(t *testing.T) (w *world, p publish.Published, token string) {
		w = newWorld(t)
		p = w.publish(nobody(), page)
		return w, p, w.mail()[0]
	}
	t.Run("the claim has the handle, the titles and the times, and is used up by no look", func(t *testing.T) {
		w, p, token := published(t)
		made := w.clock.now()
		w.clock.move(time.Hour)
		w.publish(w.caller(p.Keys.Account), "<!doctype html><title>Second</title>x")
		for range 20 {
			c, err := w.Claim(t.Context(), nobody(), token)
			expect.OK(t, err)
			if c.Email != address || c.Account.Handle != p.Account.Handle || !c.Account.CreatedAt.Equal(made) || len(c.Projects) != 2 || c.More {
				t.Fatalf("the claim is %+v", c)
			}
			expect.Same(t, "the titles", []string{c.Projects[0].Title, c.Projects[1].Title}, []string{"Second", "Space Cats"})
			expect.Same(t, "the times", []bool{c.Projects[0].CreatedAt.Equal(w.clock.now()), c.Projects[1].CreatedAt.Equal(made)}, []bool{true, true})
		}
		if email, verified := w.email(w.caller(p.Keys.Account)); email != address || verified {
			t.Errorf("%s, verified %v", email, verified)
		}
	})
	t.Run("of more projects than anybody looks through it says that there are more", func(t *testing.T) {
		w, p, token := published(t)
		by := w.caller(p.Keys.Account)
		for i := range account.ClaimShown {
			w.publish(by, fmt.Sprint(page, i))
		}
		if c, err := w.Claim(t.Context(), nobody(), token); err != nil || len(c.Projects) != account.ClaimShown || !c.More {
			t.Errorf("%d projects, more %v, %v", len(c.Projects), c.More, err)
		}
	})
	t.Run("no takes the address away from the account, and from no other", func(t *testing.T) {
		w, p, token := published(t)
		own := w.member(address)
		a, notMe, err := w.RefuseClaim(t.Context(), nobody(), token)
		if err != nil || a.Handle != p.Account.Handle || a.Email != address {
			t.Fatalf("%+v, %v", a, err)
		}
		if email, _ := w.email(w.caller(p.Keys.Account)); email != "" {
			t.Errorf("it still has %s", email)
		}
		if a, err := w.db.Publish().Account(t.Context(), own.ID); err != nil || !a.EmailVerified || a.Email != address {
			t.Errorf("another account has %q, %v", a.Email, err)
		}
		for range 2 {
			_, _, err := w.RefuseClaim(t.Context(), nobody(), token)
			expect.Is(t, "the link still works", err, sandlot.ErrNotFound)
			_, err = w.Verify(t.Context(), nobody(), token)
			expect.Is(t, "the link still works", err, sandlot.ErrNotFound)
		}
		if n, err := w.StopMail(t.Context(), nobody(), notMe); err != nil || n.Email != address || n.Logins() {
			t.Errorf("what it offers is about %+v, %v", n, err)
		}
	})
	t.Run("yes offers to end all keys older than that moment, and mints a new one", func(t *testing.T) {
		w, p, token := published(t)
		w.clock.move(time.Hour)
		a, err := w.Verify(t.Context(), nobody(), token)
		expect.OK(t, err)
		verified := w.clock.now()
		w.clock.move(time.Hour)
		later, err := w.MintKey(t.Context(), w.owner(a.ID), publish.NewKey{Project: p.Project.ID, Name: "mine", Form: "n"})
		expect.OK(t, err)
		if n, at, err := w.OldKeys(t.Context(), w.owner(a.ID)); err != nil || n != 2 || !at.Equal(verified) {
			t.Errorf("%d old keys, before %v, %v", n, at, err)
		}
		fresh, err := w.ReplaceOldKeys(t.Context(), w.owner(a.ID), "form")
		expect.OK(t, err)
		_, err = w.ReplaceOldKeys(t.Context(), w.owner(a.ID), "form")
		expect.Is(t, "the same form again", err, sandlot.ErrAlreadyDone)
		for _, old := range []sandlot.Secret{p.Keys.Account, p.Keys.Project} {
			_, err := w.Identify(t.Context(), sandlot.Presented{Key: old}, sandlot.Sender{})
			refused(t, err, sandlot.CodeInvalidKey)
		}
		if by := w.caller(fresh); by.Scoped() || by.Account() != a.ID {
			t.Errorf("the new key is %+v", by.Key())
		}
		w.caller(later)
		if n, _, err := w.OldKeys(t.Context(), w.owner(a.ID)); err != nil || n != 0 {
			t.Errorf("%d old keys are left, %v", n, err)
		}
	})
}
