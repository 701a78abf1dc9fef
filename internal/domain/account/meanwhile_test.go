package account_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
)

// suspending is an OwnerStore that suspends an account right before it is renamed.
type suspending struct {
	account.OwnerStore
	suspend func()
}

func (s *suspending) Rename(ctx context.Context, id sandlot.AccountID, handle string, at, since time.Time, limit int) error {
	s.suspend()
	return s.OwnerStore.Rename(ctx, id, handle, at, since, limit)
}

func TestRegression35NobodyIsRenamedAfterASuspension(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	stores := w.in.Served.Account().Stores()
	stores.Owners = &suspending{stores.Owners, func() {
		if err := w.db.Operate().Suspend(t.Context(), sandlot.Subject{Account: out.Project.Account}, sandlot.LogEntry{At: w.clock.now(), Actor: sandlot.ActorOperator, Action: sandlot.ActionSuspend, Target: "@x"}); err != nil {
			t.Error(err)
		}
	}}
	_, err := w.in.AnotherAccount(stores).Rename(t.Context(), w.owner(out.Project.Account), "other")
	refused(t, err, sandlot.CodeAccountSuspended)
	if p, err := w.db.Publish().Project(t.Context(), out.Project.ID); err != nil || p.Handle != out.Project.Handle {
		t.Errorf("the project is %+v, %v", p, err)
	}
}

// moving is a LoginStore under which an account's address goes back to the one
// before, right before a login is finished.
type moving struct {
	account.LoginStore
	undo func()
}

func (m *moving) LogIn(ctx context.Context, login int64, token sandlot.Digest, s, had sandlot.Session) (int64, error) {
	m.undo()
	return m.LoginStore.LogIn(ctx, login, token, s, had)
}

func TestRegression35NobodyIsLoggedInByAnAddressThatWasTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kim := w.member("kim@example.org")
	expect.OK(t, w.ProposeEmail(t.Context(), w.owner(kim.ID), "thief@example.org", ""))
	_, err := w.TakeEmail(t.Context(), nobody(), linkOf(t, w.postman()[0], "email"))
	expect.OK(t, err)
	back := linkOf(t, w.postman()[0], "undo")
	browser, token, _ := w.askMail("thief@example.org")
	expect.OK(t, w.UseLoginLink(t.Context(), nobody(), browser, token))
	stores := w.in.Served.Account().Stores()
	stores.Logins = &moving{stores.Logins, func() {
		if _, err := w.TakeEmailBack(t.Context(), nobody(), back); err != nil {
			t.Error(err)
		}
	}}
	s := w.in.AnotherAccount(stores)
	if _, _, err := s.Logins.FinishLogin(t.Context(), nobody(), browser, kim.Handle, "Firefox"); !errors.Is(err, sandlot.ErrNotFound) {
		t.Errorf("logged in, %v", err)
	}
	expect.Equal(t, "sessions", len(w.sessions(kim.ID)), 0)
}
