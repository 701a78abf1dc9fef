package publish_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot/internal/publish"
)

// postbox is a Mailer that keeps what it gets.
type postbox struct{ mails []publish.Mail }

func (p *postbox) Send(_ context.Context, m publish.Mail) error {
	p.mails = append(p.mails, m)
	return nil
}

// mail sends what is due and returns the tokens of the messages.
func (w *world) mail() (tokens []string) {
	w.t.Helper()
	var box postbox
	c := &publish.Courier{Jobs: w.db, Stops: w.db, NotMeToken: w.NotMeToken, Mailer: &box, Places: local(), Log: slog.New(slog.DiscardHandler), Now: w.clock.now, Random: rand.Reader, AtOnce: 1}
	if err := c.SendDue(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	for _, m := range box.mails {
		u, err := url.Parse(m.Link)
		if err != nil || !strings.HasPrefix(m.Link, "http://localhost:8080/verify?") {
			w.t.Fatalf("link %q, %v", m.Link, err)
		}
		tokens = append(tokens, u.Query().Get("token"))
	}
	return tokens
}

// email is what whoami tells of the account's address.
func (w *world) email(by publish.Caller) (string, bool) {
	w.t.Helper()
	who, err := w.Whoami(w.t.Context(), by, 1, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return who.Account.Email, who.Account.EmailVerified
}

func TestEmailOnAKeyedCall(t *testing.T) {
	// Each call that takes an email, on a project that has a file to delete.
	calls := map[string]func(w *world, by publish.Caller, id publish.ProjectID, email string) ([]publish.Warning, error){
		"publish": func(w *world, by publish.Caller, _ publish.ProjectID, email string) ([]publish.Warning, error) {
			out, _, err := w.Publish(w.t.Context(), by, publish.PublishInput{Email: email, Content: w.stage(page)})
			return out.Warnings, err
		},
		"update": func(w *world, by publish.Caller, id publish.ProjectID, email string) ([]publish.Warning, error) {
			out, _, err := w.Update(w.t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "b", Email: email, Content: w.stage(page)})
			return out.Warnings, err
		},
		"delete-file": func(w *world, by publish.Caller, id publish.ProjectID, email string) ([]publish.Warning, error) {
			w.put(by, id, "a", "x")
			out, err := w.DeleteFile(w.t.Context(), by, publish.DeleteInput{Project: string(id), Filename: "a", Email: email})
			return out.Warnings, err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(c *publish.Config) { c.SMTP = true })
			by := w.account()
			out := w.publish(by, page)
			id := out.Project.ID
			scoped := w.caller(out.Keys.Project)
			if name != "publish" {
				t.Run("a project key changes nothing, with a warning", func(t *testing.T) {
					warnings, err := call(w, scoped, id, address)
					if err != nil || len(w.mail()) != 0 {
						t.Errorf("mail, or %v", err)
					}
					same(t, "warnings", codes(warnings), []string{"email_ignored"})
				})
			}
			t.Run("with an account key and no verified address it is set pending and the link is sent", func(t *testing.T) {
				warnings, err := call(w, by, id, "Ada@Example.org")
				if err != nil {
					t.Fatal(err)
				}
				same(t, "warnings", codes(warnings), nil)
				if email, verified := w.email(by); !strings.EqualFold(email, address) || verified {
					t.Errorf("%s, verified %v", email, verified)
				}
			})
			tokens := w.mail()
			if len(tokens) != 1 {
				t.Fatalf("%d links", len(tokens))
			}
			if _, err := w.Verify(t.Context(), tokens[0]); err != nil {
				t.Fatal(err)
			}
			t.Run("with a verified address it is ignored with a warning", func(t *testing.T) {
				warnings, err := call(w, by, id, "eve@example.org")
				if err != nil || len(w.mail()) != 0 {
					t.Errorf("mail, or %v", err)
				}
				same(t, "warnings", codes(warnings), []string{"email_ignored"})
				if email, verified := w.email(by); !strings.EqualFold(email, address) || !verified {
					t.Errorf("%s, verified %v", email, verified)
				}
			})
		})
	}
}

func TestVerification(t *testing.T) {
	w := newWorld(t)
	out := w.publish(nobody(), page)
	id := out.Project.ID
	tokens := w.mail()
	if len(tokens) != 1 {
		t.Fatalf("%d links", len(tokens))
	}
	verified := func() bool {
		t.Helper()
		p, err := w.Site(t.Context(), nobody(), id)
		if err != nil {
			t.Fatal(err)
		}
		return p.Verified
	}
	if verified() {
		t.Error("verified without a link")
	}
	t.Run("opening the link verifies nothing, however often", func(t *testing.T) {
		for range 20 {
			if v, err := w.Claim(t.Context(), tokens[0]); err != nil || v.Email != address {
				t.Fatalf("%+v, %v", v, err)
			}
		}
		if verified() {
			t.Error("it does")
		}
	})
	t.Run("another token is refused", func(t *testing.T) {
		for _, token := range []string{"", tokens[0] + "x", tokens[0][1:]} {
			if _, err := w.Verify(t.Context(), token); !errors.Is(err, publish.ErrNotFound) {
				t.Errorf("%q: %v", token, err)
			}
		}
	})
	t.Run("the button verifies, and every reader of the project knows at once", func(t *testing.T) {
		if a, err := w.Verify(t.Context(), tokens[0]); err != nil || !a.EmailVerified || !verified() {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("a link works once", func(t *testing.T) {
		if _, err := w.Verify(t.Context(), tokens[0]); !errors.Is(err, publish.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("any number of accounts may hold the same unverified address", func(t *testing.T) {
		other := w.publish(nobody(), page)
		if other.Project.Account == out.Project.Account || other.Account.EmailVerified {
			t.Errorf("account %+v", other.Account)
		}
		if p, err := w.Site(t.Context(), nobody(), other.Project.ID); err != nil || p.Verified {
			t.Errorf("%+v, %v", p, err)
		}
	})
	t.Run("a link lives a day", func(t *testing.T) {
		tokens := w.mail()
		w.clock.move(24 * time.Hour)
		if _, err := w.Verify(t.Context(), tokens[0]); !errors.Is(err, publish.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("another address ends the link to the one before", func(t *testing.T) {
		account := w.account()
		one := w.publishWith(account, "one@example.org")
		first := w.mail()
		w.publishWith(account, "two@example.org")
		if _, err := w.Verify(t.Context(), first[0]); !errors.Is(err, publish.ErrNotFound) {
			t.Errorf("the old link: %v", err)
		}
		second := w.mail()
		if a, err := w.Verify(t.Context(), second[0]); err != nil || a.Email != "two@example.org" || a.ID != one.Project.Account {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("the same address again leaves the links that were sent in force", func(t *testing.T) {
		// A client that sends its address with every call gets three messages a day, and the first must still work.
		account := w.account()
		var sent []string
		for i := range 6 {
			w.publishWith(account, "often@example.org")
			sent = append(sent, w.mail()...)
			if i < 3 && len(sent) != i+1 {
				t.Fatalf("%d mails after %d calls", len(sent), i+1)
			}
		}
		if len(sent) != 3 {
			t.Errorf("%d mails", len(sent))
		}
		if a, err := w.Verify(t.Context(), sent[0]); err != nil || a.Email != "often@example.org" || !a.EmailVerified {
			t.Errorf("the first link: %+v, %v", a, err)
		}
		if _, err := w.Verify(t.Context(), sent[1]); !errors.Is(err, publish.ErrNotFound) {
			t.Errorf("the second link, after the first was used: %v", err)
		}
	})
}

// publishWith publishes with a key and an address.
func (w *world) publishWith(by publish.Caller, email string) publish.Published {
	w.t.Helper()
	out, _, err := w.Publish(w.t.Context(), by, publish.PublishInput{Email: email, Content: w.stage(page)})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}
