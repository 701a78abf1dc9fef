package account_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
)

// owned is an account with a verified address, its key and a project.
func (w *world) owned(email string) (sandlot.Account, sandlot.Caller, sandlot.Project) {
	w.t.Helper()
	return w.in.Owned(email, page)
}

func TestRename(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, _, p := w.owned(address)
	_, err := w.Current(t.Context(), nobody(), p.ID)
	expect.OK(t, err)
	before := w.owner(a.ID) // as a form that was sent twice at once finds them
	handle, err := w.Rename(t.Context(), w.owner(a.ID), " Ada Löve ")
	if err != nil || handle != "ada-love" {
		t.Fatalf("renamed to %q, %v", handle, err)
	}
	if shown, err := w.Current(t.Context(), nobody(), p.ID); err != nil || shown.Handle != "ada-love" {
		t.Errorf("its project is of %q, %v", shown.Handle, err)
	}
	if _, err := w.Rename(t.Context(), w.owner(a.ID), "ada-love"); err != nil {
		t.Errorf("to the same: %v", err)
	}
	for what, ask := range map[string]func(context.Context, sandlot.Caller, string) (string, error){"asked": w.HandleFor, "renamed": w.Rename} {
		if handle, err := ask(t.Context(), before, "ada-love"); err != nil || handle != "ada-love" {
			t.Errorf("%s by the same form: %q, %v", what, handle, err)
		}
	}
	_, err = w.Rename(t.Context(), w.owner(a.ID), a.Handle)
	expect.Is(t, "to one that was given up", err, sandlot.ErrExists)
	for _, want := range []string{"", "---", "admin", "_x", "\u202e"} {
		_, err = w.Rename(t.Context(), w.owner(a.ID), want)
		expect.Is(t, fmt.Sprintf("to %q", want), err, sandlot.CodeInvalidField)
	}
	for i := range 9 {
		_, err := w.Rename(t.Context(), w.owner(a.ID), fmt.Sprint("ada-", i))
		expect.OK(t, err)
	}
	_, err = w.Rename(t.Context(), w.owner(a.ID), "ada-11")
	expect.Is(t, "the eleventh of a day", err, sandlot.CodeRateLimited)
	w.clock.move(24 * time.Hour)
	if _, err := w.Rename(t.Context(), w.owner(a.ID), "ada-11"); err != nil {
		t.Errorf("a day later: %v", err)
	}
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, _, p := w.owned(address)
	me := w.owner(a.ID)
	expect.Is(t, "another word typed", w.DeleteAccount(t.Context(), me, "yes"), sandlot.CodeInvalidField)
	expect.Is(t, "nothing typed", w.DeleteAccount(t.Context(), me, ""), sandlot.CodeInvalidField)
	expect.OK(t, w.DeleteAccount(t.Context(), me, " @"+strings.ToUpper(a.Handle)))
	_, err := w.Current(t.Context(), nobody(), p.ID)
	expect.Is(t, "its project", err, sandlot.CodeProjectNotFound)
	log, err := w.db.Operate().Log(t.Context(), operate.LogQuery{Target: "@" + a.Handle, Limit: 9})
	if err != nil || len(log) != 1 || log[0].Actor != sandlot.ActorOwner || log[0].Action != sandlot.ActionDelete || !log[0].At.Equal(w.clock.now()) {
		t.Errorf("the audit log has %+v, %v", log, err)
	}
	expect.Is(t, "again", w.DeleteAccount(t.Context(), me, a.Handle), sandlot.ErrNotFound)
}

// fullDisk takes no deletion, and ends no session, until room was made.
type fullDisk struct {
	account.OwnerStore
	account.SessionStore
	full bool
}

func (f *fullDisk) EndSessions(ctx context.Context, id sandlot.AccountID, but int64) error {
	if f.full {
		return sandlot.ErrFull
	}
	return f.SessionStore.EndSessions(ctx, id, but)
}

func (f *fullDisk) Remove(ctx context.Context, s sandlot.Subject, e sandlot.LogEntry) error {
	if f.full {
		return sandlot.ErrFull
	}
	return f.OwnerStore.Remove(ctx, s, e)
}

func TestRegressionM41AnOwnerIsProtectedOnAFullDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, _, _ := w.owned(address)
	stores := w.in.Served.Account().Stores()
	disk := &fullDisk{OwnerStore: stores.Owners, SessionStore: stores.Sessions, full: true}
	stores.Owners, stores.Sessions = disk, disk
	s, err := account.New(t.Context(), account.Config{Spend: func() { disk.full = false }}, stores)
	expect.OK(t, err)
	expect.OK(t, s.EndOtherSessions(t.Context(), w.owner(a.ID)))
	disk.full = true
	expect.OK(t, s.DeleteAccount(t.Context(), w.owner(a.ID), a.Handle))
}

// linkOf is the token of a message's link, which has to be of that page.
func linkOf(t *testing.T, m account.Mail, page string) string {
	t.Helper()
	u, err := url.Parse(m.Link)
	if err != nil || !strings.HasPrefix(m.Link, "http://localhost:8080/account/"+page+"?token=") || len(u.Query().Get("token")) != 43 {
		t.Fatalf("link %q, %v", m.Link, err)
	}
	return u.Query().Get("token")
}

func TestAnotherRecoveryAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a, by, _ := w.owned(address)
	expect.OK(t, w.ProposeEmail(ctx, w.owner(a.ID), "new@example.org", "fr"))
	mails := w.postman()
	if len(mails) != 1 || mails[0].Kind != account.MailEmailChange || mails[0].To != "new@example.org" || mails[0].Lang != "fr" || mails[0].Handle != a.Handle {
		t.Fatalf("sent was %+v", mails)
	}
	token := linkOf(t, mails[0], "email")
	if email, _ := w.email(by); email != address {
		t.Errorf("before the link is used the address is %s", email)
	}
	if email, err := w.ProposedEmail(ctx, w.owner(a.ID)); err != nil || email != "new@example.org" {
		t.Errorf("proposed is %q, %v", email, err)
	}
	_, err := w.EmailLink(ctx, nobody(), token, true)
	expect.Is(t, "the link as one back", err, sandlot.ErrNotFound)
	if m, err := w.EmailLink(ctx, nobody(), token, false); err != nil || m.Email != "new@example.org" || m.Handle != a.Handle {
		t.Errorf("the link is %+v, %v", m, err)
	}
	if got, err := w.TakeEmail(ctx, nobody(), token); err != nil || got.Email != "new@example.org" || !got.EmailVerified {
		t.Fatalf("taken: %+v, %v", got, err)
	}
	_, err = w.TakeEmail(ctx, nobody(), token)
	expect.Is(t, "taken twice", err, sandlot.ErrNotFound)
	if email, err := w.ProposedEmail(ctx, w.owner(a.ID)); err != nil || email != "" {
		t.Errorf("proposed is still %q, %v", email, err)
	}
	back := w.postman()
	if len(back) != 1 || back[0].Kind != account.MailEmailNotice || back[0].To != address || back[0].Handle != a.Handle {
		t.Fatalf("the address before got %+v", back)
	}
	w.clock.move(7*24*time.Hour - time.Minute)
	if got, err := w.TakeEmailBack(ctx, nobody(), linkOf(t, back[0], "undo")); err != nil || got.Email != address || !got.EmailVerified {
		t.Errorf("taken back: %+v, %v", got, err)
	}
}
