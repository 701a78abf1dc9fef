package account_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// claimLink is the token of a link that verifies an address.
func claimLink(t *testing.T, m account.Mail) string {
	t.Helper()
	u, err := url.Parse(m.Link)
	if err != nil || !strings.HasPrefix(m.Link, "http://localhost:8080/verify?token=") {
		t.Fatalf("link %q, %v", m.Link, err)
	}
	return u.Query().Get("token")
}

// claimant is an account with an address that nobody has verified, whose message was lost.
func (w *world) claimant(email string) publish.Published {
	w.t.Helper()
	out, _, err := w.Publish(w.t.Context(), nobody(), publish.PublishInput{Email: email, Content: w.in.Stage(page)})
	expect.OK(w.t, err)
	w.postman()
	w.clock.move(25 * time.Hour) // its link is over, and its share is free
	return out
}

// TestRegression30ALoginWithAnUnverifiedAddressSendsTheLinkAgain: nothing came, and nobody said why.
func TestRegression30ALoginWithAnUnverifiedAddressSendsTheLinkAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.claimant("kim@example.com")
	last := w.claimant("Kim@example.com")
	browser := w.ask("kim@example.com", "")
	mails := w.postman()
	if len(mails) != 1 || mails[0].Kind != "login-unverified" || mails[0].To != "Kim@example.com" || mails[0].Handle != last.Account.Handle || mails[0].Code != "" || mails[0].Lang != "ja" {
		t.Fatalf("sent was %+v", mails)
	}
	if l, err := w.PendingLogin(t.Context(), nobody(), browser); err != nil || l.Email != "kim@example.com" {
		t.Errorf("the page would say %+v, %v", l, err)
	}
	a, err := w.Verify(t.Context(), nobody(), claimLink(t, mails[0]))
	if err != nil || a.ID != last.Account.ID {
		t.Fatalf("verified was %+v, %v", a, err)
	}
	if _, token, _ := w.askMail("Kim@example.com"); token == "" {
		t.Error("a login after it has no link")
	}
	t.Run("nobody's address gets nothing", func(t *testing.T) {
		browser := w.ask("nobody@example.com", "")
		if mails := w.postman(); len(mails) != 0 {
			t.Errorf("sent was %+v", mails)
		}
		if _, err := w.PendingLogin(t.Context(), nobody(), browser); err != nil {
			t.Errorf("the page would say %v", err)
		}
	})
}

// TestRegression30TheLinkAgainCountsAsALogin: a mailbox gets no more than before, and none that it refused.
func TestRegression30TheLinkAgainCountsAsALogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.claimant("kim@example.com")
	sent := 0
	for range 9 {
		w.askFrom("203.0.113.7", "kim@example.com", "")
		sent += len(w.postman())
	}
	if sent != 3 { // what one network may ask for in a day
		t.Errorf("%d were sent", sent)
	}
	w.clock.move(25 * time.Hour)
	w.ask("kim@example.com", "")
	m := w.one()
	w.stop(m)
	w.claimant("kim@example.com")
	w.ask("kim@example.com", "")
	if mails := w.postman(); len(mails) != 0 {
		t.Errorf("a mailbox that wants none got %+v", mails)
	}
}

// TestRegression30ASuspendedOrDeletedAccountGetsNoLink, as at its signup.
func TestRegression30ASuspendedOrDeletedAccountGetsNoLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, end := range []func(context.Context, sandlot.Subject, sandlot.LogEntry) error{w.db.Operate().Suspend, w.db.Operate().Remove} {
		expect.OK(t, end(t.Context(), sandlot.Subject{Account: w.claimant("kim@example.com").Account.ID}, sandlot.LogEntry{At: w.clock.now()}))
	}
	w.ask("kim@example.com", "")
	if mails := w.postman(); len(mails) != 0 {
		t.Errorf("sent was %+v", mails)
	}
}

// TestRegression30LoginChoicesNameProjects: those changed last, and how many more.
func TestRegression30LoginChoicesNameProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.member("kim@example.com")
	b := w.member("kim@example.com")
	by := w.owner(a.ID)
	var last sandlot.ProjectID
	for range 5 {
		last = w.publish(by, page).Project.ID
	}
	browser, token, _ := w.askMail("kim@example.com")
	if _, err := w.LoginChoices(t.Context(), nobody(), browser); err != sandlot.ErrNotFound {
		t.Errorf("before the proof: %v", err)
	}
	expect.OK(t, w.UseLoginLink(t.Context(), nobody(), browser, token))
	list, err := w.LoginChoices(t.Context(), nobody(), browser)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, c := range list {
		if c.ID == a.ID && (len(c.Projects) != 3 || c.Projects[0].ID != last || c.More != 2) || c.ID == b.ID && (len(c.Projects) != 0 || c.More != 0) {
			t.Errorf("%s has %d projects and %d more", c.Handle, len(c.Projects), c.More)
		}
	}
}
