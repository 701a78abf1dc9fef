package account_test

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// member makes an account with a verified address and returns its handle.
func (w *world) member(email string) sandlot.Account {
	w.t.Helper()
	out, err := w.Signup(w.t.Context(), nobody(), publish.SignupInput{Email: email})
	expect.OK(w.t, err)
	for _, token := range w.mail() {
		_, err := w.Verify(w.t.Context(), nobody(), token)
		expect.OK(w.t, err)
	}
	return out.Account
}

// ask asks for a login and returns the browser's token.
func (w *world) ask(email, browser string) string {
	w.t.Helper()
	browser, err := w.AskLogin(w.t.Context(), nobody(), account.LoginInput{Email: email, Browser: browser, Back: "/account/keys", Lang: "ja"})
	expect.OK(w.t, err)
	return browser
}

// askMail asks for a login and returns the token and the code of its message, too.
func (w *world) askMail(email string) (browser, token, code string) {
	w.t.Helper()
	browser = w.ask(email, "")
	mails := w.postman()
	if len(mails) != 1 {
		w.t.Fatalf("%d messages were sent", len(mails))
	}
	return browser, loginToken(w.t, mails[0]), mails[0].Code
}

func loginToken(t *testing.T, m account.Mail) string {
	t.Helper()
	u, err := url.Parse(m.Link)
	if err != nil || !strings.HasPrefix(m.Link, "http://localhost:8080/login/link?token=") {
		t.Fatalf("link %q, %v", m.Link, err)
	}
	return u.Query().Get("token")
}

func TestLogin(t *testing.T) {
	t.Parallel()
	proofs := map[string]func(t *testing.T, w *world){
		"a message with a link and a code goes to an address that an account has verified": func(t *testing.T, w *world) {
			w.member("Kim@example.org")
			w.ask("kim@EXAMPLE.org", "")
			mails := w.postman()
			if len(mails) != 1 {
				t.Fatalf("%d messages", len(mails))
			}
			m := mails[0]
			if m.Kind != "login" || m.To != "Kim@example.org" || m.Lang != "ja" || len(m.Code) != 6 || strings.Trim(m.Code, "0123456789") != "" || m.Handle != "" {
				t.Errorf("the message is %+v", m)
			}
			if n := len(loginToken(t, m)); n != 43 {
				t.Errorf("the token has %d characters", n)
			}
		},
		"an address that nobody has verified gets no login, and the answer is the same": func(t *testing.T, w *world) {
			_, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Email: "pending@example.org"})
			expect.OK(t, err)
			w.mail()
			for _, email := range []string{"pending@example.org", "nobody@example.org"} {
				browser := w.ask(email, "")
				for _, m := range w.postman() {
					if m.Code != "" || m.Kind == "login" || email == "nobody@example.org" {
						t.Errorf("%s got %+v", email, m)
					}
				}
				l, err := w.PendingLogin(t.Context(), nobody(), browser)
				if err != nil || l.Email != email || l.Back != "/account/keys" {
					t.Errorf("it waits as %+v, %v", l, err)
				}
				if right, err := w.UseLoginCode(t.Context(), nobody(), browser, "000000"); right || err != nil {
					t.Errorf("a code: %v, %v", right, err)
				}
			}
		},
		"what is no address is refused": func(t *testing.T, w *world) {
			for email, code := range map[string]sandlot.Code{"": sandlot.CodeEmailRequired, "kim": sandlot.CodeInvalidEmail, "a@b.cd\r\nBcc: x@y.zz": sandlot.CodeInvalidEmail} {
				if _, err := w.AskLogin(t.Context(), nobody(), account.LoginInput{Email: email}); !errors.Is(err, code) {
					t.Errorf("%q: %v", email, err)
				}
			}
		},
		"the link works once, in the browser that asked": func(t *testing.T, w *world) {
			kim := w.member("kim@example.org")
			browser, token, _ := w.askMail("kim@example.org")
			other := w.ask("kim@example.org", "")
			for range 20 {
				if own, err := w.LoginLink(t.Context(), nobody(), browser, token); !own || err != nil {
					t.Fatalf("looked at: %v, %v", own, err)
				}
			}
			for _, b := range []string{other, "", "x"} {
				if own, err := w.LoginLink(t.Context(), nobody(), b, token); own || err != nil {
					t.Errorf("looked at elsewhere: %v, %v", own, err)
				}
				expect.Is(t, "used elsewhere", w.UseLoginLink(t.Context(), nobody(), b, token), sandlot.ErrNotFound)
			}
			expect.OK(t, w.UseLoginLink(t.Context(), nobody(), browser, token))
			expect.Is(t, "used again", w.UseLoginLink(t.Context(), nobody(), browser, token), sandlot.ErrNotFound)
			session, back, err := w.FinishLogin(t.Context(), nobody(), browser, kim.Handle, "Firefox")
			if err != nil || back != "/account/keys" {
				t.Fatalf("back to %q, %v", back, err)
			}
			by, err := w.Identify(t.Context(), sandlot.Presented{Session: session}, sandlot.Sender{})
			s, a, _ := by.Login()
			if err != nil || a.ID != kim.ID || s.Agent != "Firefox" || !s.ProvedAt.Equal(w.clock.now()) {
				t.Errorf("the session is %+v of %+v, %v", s, a, err)
			}
			_, _, err = w.FinishLogin(t.Context(), nobody(), browser, kim.Handle, "")
			expect.Is(t, "finished twice", err, sandlot.ErrNotFound)
		},
		"of what the browser says it is whole letters are kept, which a database can hold": func(t *testing.T, w *world) {
			kim := w.member("kim@example.org")
			browser, token, _ := w.askMail("kim@example.org")
			expect.OK(t, w.UseLoginLink(t.Context(), nobody(), browser, token))
			session, _, err := w.FinishLogin(t.Context(), nobody(), browser, kim.Handle, "a\x00\xff"+strings.Repeat("é", 150))
			expect.OK(t, err)
			by, err := w.Identify(t.Context(), sandlot.Presented{Session: session}, sandlot.Sender{})
			expect.OK(t, err)
			s, _, _ := by.Login()
			expect.Equal(t, "kept", s.Agent, "a"+strings.Repeat("é", 98))
		},
		"nobody gets in without the proof": func(t *testing.T, w *world) {
			kim := w.member("kim@example.org")
			browser, _, _ := w.askMail("kim@example.org")
			_, _, err := w.FinishLogin(t.Context(), nobody(), browser, kim.Handle, "")
			expect.Is(t, "got in", err, sandlot.ErrNotFound)
		},
		"both end after fifteen minutes": func(t *testing.T, w *world) {
			w.member("kim@example.org")
			browser, token, code := w.askMail("kim@example.org")
			w.clock.move(15 * time.Minute)
			expect.Is(t, "the link", w.UseLoginLink(t.Context(), nobody(), browser, token), sandlot.ErrNotFound)
			_, err := w.UseLoginCode(t.Context(), nobody(), browser, code)
			expect.Is(t, "the code", err, sandlot.ErrNotFound)
		},
		"five wrong codes end the login": func(t *testing.T, w *world) {
			w.member("kim@example.org")
			browser, token, code := w.askMail("kim@example.org")
			for i := range 4 {
				if right, err := w.UseLoginCode(t.Context(), nobody(), browser, "x"); right || err != nil {
					t.Errorf("wrong code %d: %v, %v", i+1, right, err)
				}
			}
			_, err := w.UseLoginCode(t.Context(), nobody(), browser, "x")
			expect.Is(t, "wrong code 5", err, sandlot.ErrNotFound)
			_, err = w.UseLoginCode(t.Context(), nobody(), browser, code)
			expect.Is(t, "the right one then", err, sandlot.ErrNotFound)
			expect.Is(t, "the link then", w.UseLoginLink(t.Context(), nobody(), browser, token), sandlot.ErrNotFound)
		},
		"the code works in the browser that asked, once, after wrong ones too": func(t *testing.T, w *world) {
			w.member("kim@example.org")
			browser, _, code := w.askMail("kim@example.org")
			other := w.ask("kim@example.org", "")
			if right, err := w.UseLoginCode(t.Context(), nobody(), other, code); right || err != nil {
				t.Errorf("in another browser: %v, %v", right, err)
			}
			if right, err := w.UseLoginCode(t.Context(), nobody(), browser, "x"); right || err != nil {
				t.Errorf("wrong: %v, %v", right, err)
			}
			if right, err := w.UseLoginCode(t.Context(), nobody(), browser, code); !right || err != nil {
				t.Errorf("right: %v, %v", right, err)
			}
			_, err := w.UseLoginCode(t.Context(), nobody(), browser, code)
			expect.Is(t, "again", err, sandlot.ErrNotFound)
		},
		"one address with two accounts enters either, and no other": func(t *testing.T, w *world) {
			kim, lee, max := w.member("us@example.org"), w.member("us@example.org"), w.member("max@example.org")
			browser, token, _ := w.askMail("us@example.org")
			expect.OK(t, w.UseLoginLink(t.Context(), nobody(), browser, token))
			list, err := w.LoginAccounts(t.Context(), nobody(), browser)
			if err != nil || len(list) != 2 || list[0].ID != kim.ID || list[1].ID != lee.ID {
				t.Fatalf("the choice is %+v, %v", list, err)
			}
			_, _, err = w.FinishLogin(t.Context(), nobody(), browser, max.Handle, "")
			expect.Is(t, "another's", err, sandlot.ErrNotFound)
			if _, _, err := w.FinishLogin(t.Context(), nobody(), browser, lee.Handle, ""); err != nil {
				t.Errorf("the second: %v", err)
			}
		},
		"a form that was sent twice asks once": func(t *testing.T, w *world) {
			w.member("kim@example.org")
			browser := w.ask("kim@example.org", "")
			if again := w.ask("kim@example.org", browser); again != browser {
				t.Error("the browser got another token")
			}
			expect.Equal(t, "messages were sent", len(w.postman()), 1)
			w.clock.move(11 * time.Second)
			w.ask("kim@example.org", browser)
			expect.Equal(t, "messages were sent for another try", len(w.postman()), 1)
		},
		"a token that we did not make is not taken": func(t *testing.T, w *world) {
			for _, browser := range []string{"x", strings.Repeat("-", 43)} {
				if got := w.ask("kim@example.org", browser); got == browser || len(got) != 43 {
					t.Errorf("%q is taken as %q", browser, got)
				}
			}
		},
		"a proof in a browser that is logged in goes on with its session": func(t *testing.T, w *world) {
			kim, lee := w.member("kim@example.org"), w.member("lee@example.org")
			by, first := w.logIn("kim@example.org", kim.Handle, nobody())
			w.clock.move(time.Hour)
			by, second := w.logIn("kim@example.org", kim.Handle, by)
			if !second.CreatedAt.Equal(first.CreatedAt) || !second.ProvedAt.Equal(w.clock.now()) {
				t.Errorf("the session is %+v", second)
			}
			_, third := w.logIn("lee@example.org", lee.Handle, by)
			if !third.CreatedAt.Equal(w.clock.now()) {
				t.Errorf("another account's session is %+v", third)
			}
			if list := w.sessions(kim.ID); len(list) != 0 {
				t.Errorf("left are %+v", list)
			}
		},
		"a stranger gets three messages a day, and verifications have a share of their own": func(t *testing.T, w *world) {
			w.member("kim@example.org")
			sent := 0
			for range 12 {
				w.askFrom("203.0.113.7", "kim@example.org", "")
				sent += len(w.postman())
			}
			expect.Equal(t, "were sent", sent, 3)
			_, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Email: "kim@example.org"})
			expect.OK(t, err)
			if mails := w.postman(); len(mails) != 1 || mails[0].Kind != "verify" {
				t.Errorf("sent were %+v", mails)
			}
		},
		"of two that finish at once one gets in": func(t *testing.T, w *world) {
			kim := w.member("kim@example.org")
			browser, token, _ := w.askMail("kim@example.org")
			expect.OK(t, w.UseLoginLink(t.Context(), nobody(), browser, token))
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() { _, _, _ = w.FinishLogin(t.Context(), nobody(), browser, kim.Handle, "") })
			}
			wg.Wait()
			expect.Equal(t, "sessions", len(w.sessions(kim.ID)), 1)
		},
	}
	for name, prove := range proofs {
		t.Run(name, func(t *testing.T) { prove(t, newWorld(t)) })
	}
}

// logIn goes the whole way in the browser of a caller, and returns who that is then, with the session.
func (w *world) logIn(email, handle string, had sandlot.Caller) (sandlot.Caller, sandlot.Session) {
	w.t.Helper()
	browser, token, _ := w.askMail(email)
	expect.OK(w.t, w.UseLoginLink(w.t.Context(), nobody(), browser, token))
	session, _, err := w.FinishLogin(w.t.Context(), had, browser, handle, "")
	expect.OK(w.t, err)
	by, err := w.Identify(w.t.Context(), sandlot.Presented{Session: session}, sandlot.Sender{})
	expect.OK(w.t, err)
	s, _, _ := by.Login()
	return by, s
}

// sessions are the account's, as they are recorded.
func (w *world) sessions(id sandlot.AccountID) []sandlot.Session {
	w.t.Helper()
	list, err := w.db.Account().Sessions(w.t.Context(), id, w.clock.now())
	expect.OK(w.t, err)
	return list
}

// recorded reports whether a file of the database has these bytes.
func (w *world) recorded(text string) bool {
	w.t.Helper()
	names, err := filepath.Glob(filepath.Join(w.dir, "sandlot.db*"))
	if err != nil || len(names) == 0 {
		w.t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		expect.OK(w.t, err)
		if bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}

// TestNoSecretOfALoginIsStored: neither the link nor the code can be read from the
// records, nor found by hashing all codes.
func TestNoSecretOfALoginIsStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.member("kim@example.org")
	browser, token, code := w.askMail("kim@example.org")
	for name, secret := range map[string]string{"browser": browser, "token": token} {
		if w.recorded(secret) {
			t.Errorf("the %s is in the database", name)
		}
	}
	if !w.recorded("kim@example.org") {
		t.Fatal("the address is not seen in the database either")
	}
	l, err := w.PendingLogin(t.Context(), nobody(), browser)
	expect.OK(t, err)
	own, other := w.in.Vault(), newWorld(t).in.Vault()
	if account.HashCode(own, l.ID, code) == account.HashCode(other, l.ID, code) || account.HashCode(own, l.ID, code) == account.HashCode(own, l.ID+1, code) {
		t.Error("the code's hash is that of another installation or login")
	}
}
