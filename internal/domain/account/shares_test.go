package account_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// from is somebody without a key in a network.
func from(addr string) sandlot.Caller { return sandlot.Caller{From: sandlot.Sender{Network: addr}} }

// askFrom asks for a login by a form of a browser that was never seen before.
func (w *world) askFrom(addr, email, known string) {
	w.t.Helper()
	_, err := w.AskLogin(w.t.Context(), from(addr), account.LoginInput{Email: email, Known: known})
	if !errors.Is(err, sandlot.CodeRateLimited) {
		expect.OK(w.t, err)
	}
}

// signUpFrom signs up with an address and returns the account's caller.
func (w *world) signUpFrom(addr, email string) sandlot.Caller {
	w.t.Helper()
	out, err := w.Signup(w.t.Context(), sandlot.Caller{From: sandlot.Sender{Network: addr}}, publish.SignupInput{Email: email})
	expect.OK(w.t, err)
	return w.caller(out.Key)
}

// strangers have every message sent that they can, from many networks: by signing
// up, by asking for logins, and with the keys of their accounts.
func (w *world) strangers(email string) {
	w.t.Helper()
	for i := range 30 {
		addr := fmt.Sprintf("198.51.100.%d", i)
		w.signUpFrom(addr, email)
		w.askFrom(addr, email, "")
	}
}

func kinds(mails []account.Mail) map[string]int {
	n := map[string]int{}
	for _, m := range mails {
		n[m.Kind]++
	}
	return n
}

func TestRegression05NoStrangerUsesUpAnothersMessages(t *testing.T) {
	t.Parallel()
	const kim = "kim@example.org"
	proofs := map[string]func(t *testing.T, w *world){
		"twelve login forms of a stranger leave the owner's own, in a browser that was never seen": func(t *testing.T, w *world) {
			w.member(kim)
			for range 12 {
				w.askFrom("198.51.100.1", kim, "")
			}
			w.postman()
			w.askFrom("203.0.113.7", kim, "")
			expect.Same(t, "the owner's", kinds(w.postman()), map[string]int{"login": 1})
		},
		"an IPv6 customer's networks are one stranger": func(t *testing.T, w *world) {
			w.member(kim)
			for i := range 12 {
				w.askFrom(fmt.Sprintf("2001:db8:7:%d::/64", i), kim, "")
			}
			w.postman()
			w.askFrom("2001:db8:8::/64", kim, "")
			expect.Same(t, "the owner's", kinds(w.postman()), map[string]int{"login": 1})
		},
		"strangers in any number of networks leave a share for a browser that was logged in before": func(t *testing.T, w *world) {
			w.member(kim)
			known, err := w.Remember(w.t.Context(), nobody(), "", kim)
			expect.OK(t, err)
			w.clock.move(25 * time.Hour)
			w.strangers(kim)
			expect.Same(t, "the strangers'", kinds(w.postman()), map[string]int{"login": 5, "verify": 4})
			for i := range 6 {
				w.askFrom("198.51.100.1", kim, known)
				expect.Same(t, fmt.Sprint("the owner's ", i), kinds(w.postman()), map[string]int{"login": 1})
			}
		},
		"three signups with a newcomer's address leave their own publish a message": func(t *testing.T, w *world) {
			for range 3 {
				w.signUpFrom("198.51.100.1", kim)
			}
			w.postman()
			w.signUpFrom("203.0.113.7", kim)
			expect.Same(t, "the newcomer's", kinds(w.postman()), map[string]int{"verify": 1})
		},
		"strangers in any number of networks leave a share for the account's own key": func(t *testing.T, w *world) {
			w.strangers(kim)
			w.postman()
			by := w.signUpFrom("203.0.113.7", kim)
			expect.Same(t, "without a key", kinds(w.postman()), map[string]int{})
			w.publishWith(by, kim)
			expect.Same(t, "with the key", kinds(w.postman()), map[string]int{"verify": 1})
		},
		"the notice that an address was taken away comes after all else": func(t *testing.T, w *world) {
			a := w.member(kim)
			w.fill(kim)
			expect.OK(t, w.ProposeEmail(t.Context(), w.owner(a.ID), "new@example.org", ""))
			_, err := w.TakeEmail(t.Context(), nobody(), linkOf(t, w.postman()[0], "email"))
			expect.OK(t, err)
			expect.Same(t, "sent", kinds(w.postman()), map[string]int{account.MailEmailNotice: 1})
		},
		"the mailbox is never flooded: 20 a day in all": func(t *testing.T, w *world) {
			w.member(kim)
			w.clock.move(25 * time.Hour)
			if n := w.fill(kim); n != account.MailsPerDay-2 {
				t.Errorf("%d were sent, beside notices", n)
			}
		},
		"a word of a browser is good for its mailbox alone": func(t *testing.T, w *world) {
			w.member(kim)
			theirs, err := w.Remember(w.t.Context(), nobody(), "", "stranger@example.org")
			expect.OK(t, err)
			w.clock.move(25 * time.Hour)
			w.strangers(kim)
			w.postman()
			for _, known := range []string{theirs, "x", theirs[1:] + "A", "." + theirs + "."} {
				w.askFrom("203.0.113.7", kim, known)
			}
			expect.Same(t, "sent", kinds(w.postman()), map[string]int{})
		},
		"spellings of a Gmail mailbox are counted as one, and the message goes to the spelling given": func(t *testing.T, w *world) {
			var to []string
			for i, email := range []string{"k.im@gmail.com", "kim@googlemail.com", "K.I.M+x@gmail.com"} {
				w.signUpFrom("198.51.100.1", email)
				for _, m := range w.postman() {
					to = append(to, m.To)
				}
				if i == 1 {
					expect.Same(t, "sent", to, []string{"k.im@gmail.com", "kim@googlemail.com"})
				}
			}
			expect.Same(t, "sent", len(to), 2)
		},
		"spellings of a Gmail mailbox are stopped as one": func(t *testing.T, w *world) {
			by := w.signUpFrom("198.51.100.1", "k.i.m@googlemail.com")
			w.postman()
			w.signUpFrom("203.0.113.7", "kim+x@gmail.com")
			w.stop(w.one())
			if email, _ := w.email(by); email != "" {
				t.Errorf("an account still has %s", email)
			}
			w.signUpFrom("203.0.113.8", "ki.m@gmail.com")
			expect.Same(t, "sent", kinds(w.postman()), map[string]int{})
		},
		"reports of one network leave room for another's": func(t *testing.T, w *world) {
			var projects []sandlot.ProjectID
			for range 30 {
				projects = append(projects, w.publish(nobody(), page).Project.ID)
			}
			another := w.publish(nobody(), page).Project.ID
			w.postman()
			send := func(addr string, p sandlot.ProjectID, i int) {
				in := operate.NewReport{Project: p, Reason: "other", Details: "x", FormToken: fmt.Sprint(addr, i)}
				_, err := w.operator().Report(t.Context(), sandlot.Caller{From: sandlot.Sender{Network: addr}}, in)
				expect.OK(t, err)
			}
			for i, p := range projects {
				send("198.51.100.1", p, i)
			}
			expect.Same(t, "the first", kinds(w.postman()), map[string]int{"report": 20})
			send("203.0.113.7", another, 0)
			expect.Same(t, "another's", kinds(w.postman()), map[string]int{"report": 1})
		},
	}
	for name, prove := range proofs {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(c *publish.Config) { c.SMTP = true })
			w.reportMail = "abuse@example.org"
			prove(t, w)
		})
	}
}

// fill has every message sent to a mailbox that anybody can have sent in a day, but
// notices, and returns how many there were.
func (w *world) fill(email string) int {
	w.t.Helper()
	known, err := w.Remember(w.t.Context(), nobody(), "", email)
	expect.OK(w.t, err)
	w.strangers(email)
	sent := len(w.postman())
	for i := range 10 {
		by := w.signUpFrom(fmt.Sprintf("192.0.2.%d", i), "other@example.org")
		w.publishWith(by, email)
		w.askFrom("203.0.113.7", email, known)
	}
	mails := slices.DeleteFunc(w.postman(), func(m account.Mail) bool { return m.To != email })
	return sent + len(mails)
}
