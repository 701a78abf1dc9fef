package account_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// TestRegressionM35NoAnswerPromisesAMessageThatIsDropped: four publishes with one address said that a message was on its
// way, and two were sent.
func TestRegressionM35NoAnswerPromisesAMessageThatIsDropped(t *testing.T) {
	t.Parallel()
	const kim = "kim@mail.internal"
	w := newWorld(t, func(c *publish.Config) { c.SMTP = true })
	promised := 0
	count := func(mailed bool, warnings []sandlot.Warning) {
		limited := slices.ContainsFunc(warnings, func(w sandlot.Warning) bool { return w.Code == "mail_limit" })
		if mailed == limited {
			t.Errorf("sent is %v, with warnings %+v", mailed, warnings)
		}
		if mailed {
			promised++
		}
	}
	stranger := from("203.0.113.7")
	for i := range 2 {
		for again := range 2 { // the second answer is that of the record
			in := publish.PublishInput{Email: kim, Content: w.in.Stage(page), Idempotency: fmt.Sprint("publish", i)}
			out, _, err := w.Publish(t.Context(), stranger, in)
			expect.OK(t, err)
			expect.Same(t, "replayed", out.FromRecord, again == 1)
			if again == 0 {
				count(out.Mailed, out.Warnings)
			}
		}
	}
	for i := range 2 {
		var said [2]bool
		for again := range 2 {
			out, err := w.Signup(t.Context(), stranger, publish.SignupInput{Email: kim, Idempotency: fmt.Sprint("signup", i)})
			expect.OK(t, err)
			if said[again] = out.Mailed; again == 0 {
				count(out.Mailed, out.Warnings)
			}
		}
		expect.Same(t, "the answer of the record", said[1], said[0])
	}
	expect.Same(t, "sent", len(w.postman()), promised)
	expect.Same(t, "promised", promised, 2)
	by := w.account()
	for range 4 {
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Email: "lee@mail.internal", Content: w.in.Stage(page)})
		expect.OK(t, err)
		count(out.Mailed, out.Warnings)
	}
	expect.Same(t, "sent", len(w.postman()), promised-2)
	if address, _ := w.email(by); address != "lee@mail.internal" {
		t.Errorf("the address is %q", address)
	}
}

// TestRegressionM35WhatNamedTheAddressIsTakenOver: of four publishes with one address a login showed one.
func TestRegressionM35WhatNamedTheAddressIsTakenOver(t *testing.T) {
	t.Parallel()
	const kim = "kim@mail.internal"
	w := newWorld(t, func(c *publish.Config) { c.Public, c.Uncounted = true, true })
	member := w.member(kim)
	by, _ := w.logIn(kim, member.Handle, nobody())
	one := w.publishWith(nobody(), kim)
	two := w.publishWith(nobody(), "KIM@mail.internal")
	more, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Email: kim})
	expect.OK(t, err)
	several := w.caller(more.Key)
	a, b := w.publish(several, "a"), w.publish(several, "b")
	strange := w.publishWith(nobody(), "lee@mail.internal")
	handles := func() (list []string) {
		choices, err := w.Claimants(t.Context(), by)
		expect.OK(t, err)
		for _, c := range choices {
			list = append(list, c.Handle)
		}
		return list
	}
	expect.Same(t, "listed", handles(), []string{more.Account.Handle, two.Account.Handle, one.Account.Handle})

	expect.OK(t, w.TakeOver(t.Context(), by, one.Account.Handle))
	expect.OK(t, w.TakeOver(t.Context(), by, more.Account.Handle))
	expect.OK(t, w.Disown(t.Context(), by, two.Account.Handle))
	expect.Same(t, "left", len(handles()), 0)
	for _, id := range []sandlot.ProjectID{one.Project.ID, a.Project.ID, b.Project.ID} {
		p, err := w.db.Publish().Project(t.Context(), id)
		expect.OK(t, err)
		if p.Account != member.ID || p.Handle != member.Handle || !p.Verified {
			t.Errorf("%s is %+v", id, p)
		}
	}
	if p, err := w.db.Publish().Project(t.Context(), two.Project.ID); err != nil || p.Account != two.Account.ID || p.Verified {
		t.Errorf("what is not mine is %+v, %v", p, err)
	}
	if address, _ := w.email(w.caller(two.Keys.Account)); address != "" {
		t.Errorf("its address is %q", address)
	}
	for name, key := range map[string]sandlot.Secret{"the project's key": one.Keys.Project, "the account's key": one.Keys.Account} {
		_, _, err := w.Update(t.Context(), w.caller(key), publish.UpdateInput{Project: string(one.Project.ID), Filename: "a.txt", Content: w.in.Stage(name)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, _, err = w.Update(t.Context(), w.caller(key), publish.UpdateInput{Project: string(a.Project.ID), Filename: "a.txt", Content: w.in.Stage(name)})
		refused(t, err, sandlot.CodeWrongProject)
	}
	_, _, err = w.Publish(t.Context(), w.caller(one.Keys.Account), publish.PublishInput{Content: w.in.Stage(page)})
	refused(t, err, sandlot.CodeAccountKeyRequired)
	for name, handle := range map[string]string{"twice": one.Account.Handle, "what is not mine": two.Account.Handle, "another's": strange.Account.Handle} {
		if err := w.TakeOver(t.Context(), by, handle); !errors.Is(err, sandlot.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRegressionM35OnlyALoginThatProvedTheMailboxTakesOver, and nothing of a verified account.
func TestRegressionM35OnlyALoginThatProvedTheMailboxTakesOver(t *testing.T) {
	t.Parallel()
	const kim = "kim@mail.internal"
	w := newWorld(t, func(c *publish.Config) { c.Uncounted = true })
	none := func(what string, by sandlot.Caller, handle string) {
		t.Helper()
		list, err := w.Claimants(t.Context(), by)
		if err == nil && len(list) > 0 {
			t.Errorf("%s: listed are %+v", what, list)
		}
		for _, step := range []func(context.Context, sandlot.Caller, string) error{w.TakeOver, w.Disown} {
			if err := step(t.Context(), by, handle); !errors.Is(err, sandlot.ErrNotFound) && !errors.Is(err, sandlot.ErrLoginNeeded) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	other := w.member(kim) // verified
	w.publish(w.owner(other.ID), page)
	mallory := w.member("mallory@mail.internal")
	victim := w.publishWith(nobody(), kim)
	w.postman()
	browser, token, _ := w.askMail("mallory@mail.internal")
	expect.OK(t, w.UseLoginLink(t.Context(), nobody(), browser, token))
	session, _, err := w.FinishLogin(t.Context(), nobody(), browser, mallory.Handle, "")
	expect.OK(t, err)
	returns := func() sandlot.Caller {
		by, err := w.Identify(t.Context(), sandlot.Presented{Session: session}, sandlot.Sender{})
		expect.OK(t, err)
		return by
	}
	by := returns()
	none("another's address", by, victim.Account.Handle)
	none("nobody", nobody(), victim.Account.Handle)
	none("a key", w.caller(victim.Keys.Account), victim.Account.Handle)

	// Kim opens a link that Mallory had sent: the address is the account's, and Mallory's login proved another.
	expect.OK(t, w.ProposeEmail(t.Context(), by, kim, ""))
	for _, m := range w.postman() {
		if m.Kind == account.MailEmailChange {
			_, err := w.TakeEmail(t.Context(), nobody(), linkOf(t, m, "email"))
			expect.OK(t, err)
		}
	}
	by = returns()
	if _, a, _ := by.Login(); a.Email != kim || !a.EmailVerified {
		t.Fatalf("the account is %+v", a)
	}
	none("a login of before", by, victim.Account.Handle)
	w.postman() // the notice to the address before
	own, _ := w.logIn(kim, other.Handle, nobody())
	for _, step := range []func(context.Context, sandlot.Caller, string) error{w.TakeOver, w.Disown} {
		if err := step(t.Context(), own, mallory.Handle); !errors.Is(err, sandlot.ErrNotFound) {
			t.Errorf("a verified account: %v", err)
		}
	}
	expect.OK(t, w.Disown(t.Context(), own, victim.Account.Handle))
}
