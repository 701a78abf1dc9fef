package account_test

import (
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// notMe is the token in the link of a message for those who did not ask.
func notMe(t *testing.T, m account.Mail) string {
	t.Helper()
	u, err := url.Parse(m.NotMe)
	if err != nil || !strings.HasPrefix(m.NotMe, "http://localhost:8080/not-me?token=") {
		t.Fatalf("the link of %s is %q, %v", m.Kind, m.NotMe, err)
	}
	return u.Query().Get("token")
}

// claim signs up with an address and returns the account's caller.
func (w *world) claim(email string) sandlot.Caller {
	w.t.Helper()
	out, err := w.Signup(w.t.Context(), nobody(), publish.SignupInput{Email: email})
	expect.OK(w.t, err)
	return w.caller(out.Key)
}

// one returns the only message that is due.
func (w *world) one() account.Mail {
	w.t.Helper()
	mails := w.postman()
	if len(mails) != 1 {
		w.t.Fatalf("%d messages, not one", len(mails))
	}
	return mails[0]
}

// stop presses the button behind the link of a message.
func (w *world) stop(m account.Mail) account.NotMe {
	w.t.Helper()
	n, err := w.StopMail(w.t.Context(), nobody(), notMe(w.t, m))
	expect.OK(w.t, err)
	return n
}

func TestNotMe(t *testing.T) {
	t.Parallel()
	proofs := map[string]func(t *testing.T, w *world){
		"looking at the link stops nothing, however often": func(t *testing.T, w *world) {
			by := w.claim("kim@example.org")
			m := w.one()
			for range 20 {
				if n, err := w.NotMe(t.Context(), nobody(), notMe(t, m)); err != nil || n.Email != "kim@example.org" || n.Stop.Kind != "" || n.Logins() {
					t.Fatalf("it is about %+v, %v", n, err)
				}
			}
			if email, _ := w.email(by); email != "kim@example.org" {
				t.Error("the claim is gone")
			}
			w.claim("kim@example.org")
			w.one()
		},
		"the button takes the claims away, kills their tokens, and no claim sends a message to the mailbox again": func(t *testing.T, w *world) {
			claims := []sandlot.Caller{w.claim("kim@example.org"), w.claim("Kim+tag@example.org")}
			mails := w.postman()
			w.stop(mails[0])
			for _, by := range claims {
				if email, verified := w.email(by); email != "" || verified {
					t.Errorf("left is %s, verified %v", email, verified)
				}
			}
			for _, m := range mails {
				_, token, _ := strings.Cut(m.Link, "token=")
				_, err := w.Verify(t.Context(), nobody(), token)
				expect.Is(t, "a token works", err, sandlot.ErrNotFound)
			}
			w.clock.move(48 * time.Hour)
			w.claim("KIM+other@example.org")
			lee := w.member("lee@example.org")
			expect.OK(t, w.ProposeEmail(t.Context(), w.owner(lee.ID), "kim@example.org", "en"))
			if mails := w.postman(); len(mails) != 0 {
				t.Errorf("sent was %+v", mails)
			}
		},
		"a message that is on its way is not tried again": func(t *testing.T, w *world) {
			w.claim("kim@example.org")
			m := w.one()
			w.claim("kim@example.org")
			w.stop(m)
			if mails := w.postman(); len(mails) != 0 {
				t.Errorf("sent was %+v", mails)
			}
		},
		"who asks is not told": func(t *testing.T, w *world) {
			w.SMTP = true
			w.claim("kim@example.org")
			before, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Email: "lee@example.org"})
			expect.OK(t, err)
			w.stop(w.postman()[0])
			after, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Email: "kim@example.org"})
			if err != nil || !after.Mailed || !before.Mailed || len(after.Warnings) != len(before.Warnings) || after.Account.Email != "kim@example.org" {
				t.Errorf("the answer is %+v, %v", after, err)
			}
		},
		"nor by the answer to the last part of an upload, sent again": func(t *testing.T, w *world) {
			w.SMTP = true
			id, one, two := strings.Repeat("u", 32), 1, 2
			if _, pending, err := w.Publish(t.Context(), nobody(), publish.PublishInput{Content: w.in.Stage(page), Email: "kim@example.org", Part: &publish.PartInput{UploadID: id, N: &one}}); err != nil || pending == nil {
				t.Fatalf("the first part: %v, %v", pending, err)
			}
			complete := func() publish.Published {
				out, _, err := w.Publish(t.Context(), nobody(), publish.PublishInput{Content: w.in.Stage("two"), Part: &publish.PartInput{UploadID: id, N: &two, Last: true}})
				expect.OK(t, err)
				return out
			}
			complete()
			w.stop(w.one())
			if out := complete(); out.Account.Email != "kim@example.org" || !out.Mailed {
				t.Errorf("the answer is %+v, mailed %v", out.Account, out.Mailed)
			}
		},
		"to press it twice is to press it once, and it can be taken back": func(t *testing.T, w *world) {
			w.claim("kim@example.org")
			m := w.one()
			first, second := w.stop(m), w.stop(m)
			if first != second || first.Stop.Kind != sandlot.StopClaims || !first.Stop.Until.IsZero() {
				t.Errorf("the stops are %+v, %+v", first, second)
			}
			if n, err := w.NotMe(t.Context(), nobody(), notMe(t, m)); err != nil || n != first {
				t.Errorf("the page then shows %+v, %v", n, err)
			}
			for range 2 {
				if n, err := w.AllowMail(t.Context(), nobody(), notMe(t, m)); err != nil || n.Stop.Kind != "" {
					t.Errorf("taken back it is %+v, %v", n, err)
				}
			}
			w.claim("kim@example.org")
			w.one()
		},
		"an account that has verified the address keeps it, and logs in": func(t *testing.T, w *world) {
			kim := w.member("kim@example.org")
			w.claim("kim@example.org")
			w.stop(w.one())
			browser, token, _ := w.askMail("kim@example.org")
			expect.OK(t, w.UseLoginLink(t.Context(), nobody(), browser, token))
			if _, _, err := w.FinishLogin(t.Context(), nobody(), browser, kim.Handle, ""); err != nil {
				t.Error(err)
			}
		},
		"of logins it is a pause of a day, which ends those that were asked for": func(t *testing.T, w *world) {
			kim := w.member("kim@example.org")
			browser := w.ask("Kim@example.org", "")
			m := w.one()
			other := w.ask("kim@example.org", "")
			n := w.stop(m)
			if !n.Logins() || !n.Stop.Until.Equal(w.clock.now().Add(24*time.Hour)) {
				t.Errorf("the stop is %+v", n)
			}
			for _, b := range []string{browser, other} {
				_, err := w.PendingLogin(t.Context(), nobody(), b)
				expect.Is(t, "a login goes on", err, sandlot.ErrNotFound)
			}
			w.ask("kim@example.org", "")
			if mails := w.postman(); len(mails) != 0 {
				t.Errorf("sent was %+v", mails)
			}
			if a, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Email: "kim@example.org"}); err != nil || a.Account.ID == kim.ID || len(w.postman()) != 1 {
				t.Errorf("claims are stopped, too: %v", err)
			}
			w.clock.move(24 * time.Hour)
			w.ask("kim@example.org", "")
			w.one()
		},
		"nobody keeps an owner from hearing of another address": func(t *testing.T, w *world) {
			kim := w.member("kim@example.org")
			w.claim("kim@example.org")
			w.stop(w.one())
			w.change(kim.ID, "new@example.org")
			m := w.one()
			if m.Kind != account.MailEmailNotice || m.To != "kim@example.org" {
				t.Fatalf("sent was %+v", m)
			}
			w.stop(m) // who knows nothing of the account
			_, token, _ := strings.Cut(m.Link, "token=")
			if _, err := w.TakeEmailBack(t.Context(), nobody(), token); err != nil {
				t.Errorf("the way back is gone: %v", err)
			}
		},
		"a proposal loses its link, and the account keeps its address": func(t *testing.T, w *world) {
			lee := w.member("lee@example.org")
			expect.OK(t, w.ProposeEmail(t.Context(), w.owner(lee.ID), "kim@example.org", "en"))
			m := w.one()
			w.stop(m)
			_, token, _ := strings.Cut(m.Link, "token=")
			_, err := w.TakeEmail(t.Context(), nobody(), token)
			expect.Is(t, "the link works", err, sandlot.ErrNotFound)
			if email, err := w.ProposedEmail(t.Context(), w.owner(lee.ID)); email != "" || err != nil {
				t.Errorf("proposed is %q, %v", email, err)
			}
		},
		"a token that is not ours is refused, and changes nothing": func(t *testing.T, w *world) {
			by := w.claim("kim@example.org")
			good := notMe(t, w.one())
			elsewhere, err := account.NotMeToken(newWorld(t).in.Vault(), w.clock.now(), "verify", "kim@example.org")
			expect.OK(t, err)
			raw, err := base64.RawURLEncoding.DecodeString(good)
			expect.OK(t, err)
			raw[len(raw)-1] ^= 1
			for name, token := range map[string]string{
				"none": "", "another's": elsewhere, "one bit is another": base64.RawURLEncoding.EncodeToString(raw), "cut": good[:len(good)-1], "longer": good + "A",
				"padded": good + "=", "in clear": base64.RawURLEncoding.EncodeToString([]byte("verify 9999999999 kim@example.org")), "no base64": "\x00<>", "of 1 MB": strings.Repeat("A", 1<<20),
			} {
				for what, use := range map[string]func() error{
					"looked at": func() error { _, err := w.NotMe(t.Context(), nobody(), token); return err },
					"pressed":   func() error { _, err := w.StopMail(t.Context(), nobody(), token); return err },
					"undone":    func() error { _, err := w.AllowMail(t.Context(), nobody(), token); return err },
				} {
					if err := use(); !errors.Is(err, sandlot.ErrNotFound) {
						t.Errorf("%s, %s: %v", name, what, err)
					}
				}
			}
			if email, _ := w.email(by); email == "" {
				t.Error("the claim is gone")
			}
		},
		"a link works for 30 days, over a restart, and no longer": func(t *testing.T, w *world) {
			w.claim("kim@example.org")
			m := w.one()
			w.clock.move(30*24*time.Hour - time.Minute)
			again := w.in.AnotherAccount(w.in.Served.Account().Stores())
			if _, err := again.NotMe(t.Context(), nobody(), notMe(t, m)); err != nil {
				t.Error(err)
			}
			w.clock.move(time.Minute)
			_, err := w.StopMail(t.Context(), nobody(), notMe(t, m))
			expect.Is(t, "after 30 days", err, sandlot.ErrNotFound)
		},
		"the token shows nobody whom it is for, and fits the longest address": func(t *testing.T, w *world) {
			long := strings.Repeat("a", 64) + "@" + strings.Repeat(strings.Repeat("b", 61)+".", 3) + "org"
			token, err := account.NotMeToken(w.in.Vault(), w.clock.now(), account.MailEmailNotice, long)
			expect.OK(t, err)
			if raw, err := base64.RawURLEncoding.DecodeString(token); err != nil || strings.Contains(string(raw), "aaa") {
				t.Errorf("it is %q, %v", raw, err)
			}
			if n, err := w.NotMe(t.Context(), nobody(), token); err != nil || n.Email != long {
				t.Errorf("of %d characters: %+v, %v", len(token), n, err)
			}
		},
		"every kind of message has the link, but reports": func(t *testing.T, w *world) {
			w.reportMail = "operator@example.org"
			kim := w.member("kim@example.org")
			w.change(kim.ID, "new@example.org") // checks the link of its own message
			p := w.publish(nobody(), page).Project
			w.ask("new@example.org", "")
			w.reported(operate.NewReport{Project: p.ID, Reason: "other", FormToken: "form"})
			var seen []string
			for _, m := range w.postman() {
				if m.Kind != "report" {
					notMe(t, m)
				} else if !strings.HasSuffix(m.NotMe, "/desk/"+string(p.ID)+"?hold=1") {
					t.Errorf("a report has %s", m.NotMe)
				}
				seen = append(seen, m.Kind)
			}
			slices.Sort(seen)
			expect.Same(t, "the kinds", seen, []string{account.MailEmailNotice, "login", "report", "verify"})
		},
	}
	for name, proof := range proofs {
		t.Run(name, func(t *testing.T) { proof(t, newWorld(t)) })
	}
}

// change gives an account another address, by the link to that.
func (w *world) change(id sandlot.AccountID, to string) {
	w.t.Helper()
	expect.OK(w.t, w.ProposeEmail(w.t.Context(), w.owner(id), to, "en"))
	for _, m := range w.postman() {
		if m.Kind == account.MailEmailChange {
			notMe(w.t, m)
			_, token, _ := strings.Cut(m.Link, "token=")
			_, err := w.TakeEmail(w.t.Context(), nobody(), token)
			expect.OK(w.t, err)
		}
	}
}
