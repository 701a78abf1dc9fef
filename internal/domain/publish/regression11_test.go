package publish_test

import (
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// from is nobody in a network; crowd is nobody where anybody may be.
func from(network string) sandlot.Caller {
	return sandlot.Caller{From: sandlot.Sender{Network: network}}
}

func crowd() sandlot.Caller {
	return sandlot.Caller{From: sandlot.Sender{Network: "10.0.0.1", Shared: true}}
}

var lengths = map[string]string{"short": "1", "long": strings.Repeat("x", 40)}

func TestRegression11AnIdempotencyKeyBelongsToItsNetwork(t *testing.T) {
	t.Parallel()
	for length, key := range lengths {
		t.Run(length, func(t *testing.T) {
			w := newWorld(t)
			send := func(by sandlot.Caller, title string) (publish.Published, error) {
				out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Email: address, Title: title, Content: w.stage(page), Idempotency: key})
				return out, err
			}
			first, err := send(from("192.0.2.1"), "A")
			expect.OK(t, err)
			t.Run("from its own network it gets the first answer again", func(t *testing.T) {
				if again, err := send(from("192.0.2.1"), "A"); err != nil || !again.FromRecord || again.Keys != first.Keys {
					t.Errorf("replayed %v, %v", again.FromRecord, err)
				}
			})
			for name, by := range map[string]sandlot.Caller{"another network": from("192.0.2.2"), "a network that strangers share": crowd()} {
				t.Run("the same request from "+name+" is told so, without keys, and makes nothing", func(t *testing.T) {
					w.unchanged(t, func() {
						out, err := send(by, "A")
						e := refused(t, err, sandlot.CodeReplayedElsewhere)
						if out.Keys != (publish.Minted{}) || len(e.Details) > 0 || !strings.Contains(e.Fix.Note, "/account") {
							t.Errorf("%+v", e)
						}
					})
				})
				t.Run("nobody is in the way of another request from "+name, func(t *testing.T) {
					if out, err := send(by, "B of "+name); err != nil || out.FromRecord || out.Keys == first.Keys {
						t.Errorf("replayed %v, %v", out.FromRecord, err)
					}
				})
			}
			t.Run("another request from its own network is a mismatch", func(t *testing.T) {
				_, err := send(from("192.0.2.1"), "C")
				refused(t, err, sandlot.CodeIdempotencyMismatch)
			})
			t.Run("where strangers share a network, requests are not in each other's way", func(t *testing.T) {
				for _, title := range []string{"D", "E"} {
					if out, err := send(crowd(), title); err != nil || out.FromRecord {
						t.Errorf("%s: %v", title, err)
					}
					w.unchanged(t, func() {
						_, err := send(crowd(), title)
						refused(t, err, sandlot.CodeReplayedElsewhere)
					})
				}
			})
			t.Run("after a day the value is free", func(t *testing.T) {
				w.clock.move(24 * time.Hour)
				if out, err := send(from("192.0.2.2"), "A"); err != nil || out.FromRecord {
					t.Error(err)
				}
			})
		})
	}
	t.Run("signups are no different", func(t *testing.T) {
		w := newWorld(t)
		sign := func(by sandlot.Caller) (publish.SignedUp, error) {
			return w.Signup(t.Context(), by, publish.SignupInput{Email: address, Idempotency: uuid})
		}
		_, err := sign(from("192.0.2.1"))
		expect.OK(t, err)
		w.unchanged(t, func() {
			out, err := sign(from("192.0.2.2"))
			if refused(t, err, sandlot.CodeReplayedElsewhere); out.Key != "" {
				t.Error("a key came")
			}
		})
	})
	t.Run("two networks at the same moment make one project", func(t *testing.T) {
		w := newWorld(t)
		other := w.open(publish.Config{Places: local(), InlineMax: inlineMax})
		send := func(s *publish.Service, by sandlot.Caller) error {
			_, _, err := s.Publish(t.Context(), by, publish.PublishInput{Email: address, Content: w.stage(page), Idempotency: uuid})
			return err
		}
		w.store.Step = func(step string) (error, error) {
			if step == "CreateProject" {
				w.store.Step = nil
				if err := send(other, from("192.0.2.2")); err != nil {
					t.Error(err)
				}
			}
			return nil, nil
		}
		refused(t, send(w.Service, from("192.0.2.1")), sandlot.CodeReplayedElsewhere)
		expect.Equal(t, "projects", w.kept()["projects"], 1)
	})
}

func TestRegression11AnUploadBelongsToItsNetworkOrToken(t *testing.T) {
	t.Parallel()
	for length, id := range lengths {
		t.Run(length, func(t *testing.T) {
			w := newWorld(t)
			owner, stranger := from("192.0.2.1"), from("192.0.2.2")
			first := w.waits(owner, part{id: id, n: 1, text: page, total: 3, email: address})
			if !strings.HasPrefix(first.Token.Reveal(), "slu_") || len(first.Token) != 40 {
				t.Fatalf("upload_token of %d characters", len(first.Token))
			}
			t.Run("elsewhere the same upload_id is another upload", func(t *testing.T) {
				w.unchanged(t, func() {
					_, _, err := w.send(stranger, part{id: id, n: 2, text: "theirs"})
					refused(t, err, sandlot.CodePart1First)
				})
				theirs := w.waits(stranger, part{id: id, n: 1, text: "<p>theirs", email: "eve@example.org"})
				if theirs.Token == first.Token {
					t.Error("the same upload_token")
				}
			})
			t.Run("part 1 with other bytes is refused in the network, and taken with the token", func(t *testing.T) {
				w.unchanged(t, func() {
					_, _, err := w.send(owner, part{id: id, n: 1, text: "other", email: address})
					refused(t, err, sandlot.CodeUploadExists)
				})
				by := w.caller(first.Token)
				w.waits(by, part{id: id, n: 1, text: page + "!", email: address, title: "Mine"})
			})
			moved := w.caller(first.Token)
			moved.From = stranger.From
			t.Run("every answer tells the same token, whether it came by network or token", func(t *testing.T) {
				for _, by := range []sandlot.Caller{owner, moved} {
					if p := w.waits(by, part{id: id, n: 2, text: long("two")}); p.Token != first.Token {
						t.Error("another upload_token")
					}
				}
			})
			t.Run("with another upload_id the token is refused", func(t *testing.T) {
				w.unchanged(t, func() {
					_, _, err := w.send(moved, part{id: id + "x", n: 3, text: "three"})
					refused(t, err, sandlot.CodeInvalidKey)
				})
			})
			out := w.completes(moved, part{id: id, n: 3, text: "three"})
			if got := w.text(out.Project.ID, 1, "index.html"); got != page+"!"+long("two")+"three" || out.Project.Title != "Mine" {
				t.Errorf("%q of %d bytes", out.Project.Title, len(got))
			}
			t.Run("the completing part again gets the keys from the network and by the token, and nowhere else", func(t *testing.T) {
				for _, by := range []sandlot.Caller{owner, moved, w.caller(first.Token)} {
					if again := w.completes(by, part{id: id, n: 3, text: "three"}); again.Keys != out.Keys {
						t.Error("other keys")
					}
				}
				_, _, err := w.send(from("192.0.2.3"), part{id: id, n: 3, text: "three"})
				refused(t, err, sandlot.CodePart1First)
			})
		})
	}
	t.Run("where strangers share a network the token alone joins", func(t *testing.T) {
		w := newWorld(t)
		first := w.waits(crowd(), part{id: "u", n: 1, text: page, total: 2, email: address})
		_, _, err := w.send(crowd(), part{id: "u", n: 2, text: "theirs"})
		refused(t, err, sandlot.CodePart1First)
		if other := w.waits(crowd(), part{id: "u", n: 1, text: page, total: 2, email: address}); other.Token == first.Token {
			t.Error("a stranger got the upload_token")
		}
		by := w.caller(first.Token)
		by.From = crowd().From
		out := w.completes(by, part{id: "u", n: 2, text: "two"})
		if again := w.completes(by, part{id: "u", n: 2, text: "two"}); again.Keys != out.Keys {
			t.Error("other keys")
		}
		_, _, err = w.send(crowd(), part{id: "u", n: 2, text: "two"})
		refused(t, err, sandlot.CodePart1First)
	})
	t.Run("only the hash of a token is kept, and it is good for its upload alone", func(t *testing.T) {
		w := newWorld(t)
		by := w.caller(w.waits(nobody(), part{id: "u", n: 1, text: page, email: address}).Token)
		w.unchanged(t, func() {
			_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Email: address, Content: w.stage(large)})
			refused(t, err, sandlot.CodeInvalidKey)
			_, _, err = w.Update(t.Context(), by, publish.UpdateInput{Filename: "a", Content: w.stage("x")})
			refused(t, err, sandlot.CodeKeyRequired)
			_, err = w.Whoami(t.Context(), by, 1, "")
			refused(t, err, sandlot.CodeKeyRequired)
		})
	})
	t.Run("a token that is mistyped, unknown or of an expired upload is refused, and is never nobody", func(t *testing.T) {
		w := newWorld(t)
		token := w.waits(nobody(), part{id: "u", n: 1, text: page, email: address}).Token
		other := newWorld(t)
		for name, try := range map[string]struct {
			w     *world
			token sandlot.Secret
		}{"cut": {w, token[:39]}, "mistyped": {w, sandlot.Secret("slu_" + strings.Repeat("0", 36))}, "of another instance": {other, token}} {
			_, err := try.w.Identify(t.Context(), sandlot.Presented{Key: try.token}, sandlot.Sender{})
			if refused(t, err, sandlot.CodeInvalidKey); err == nil {
				t.Error(name)
			}
		}
		w.clock.move(24 * time.Hour)
		_, err := w.Identify(t.Context(), sandlot.Presented{Key: token}, sandlot.Sender{})
		refused(t, err, sandlot.CodeInvalidKey)
	})
	t.Run("an upload that expires behind the look-up is not begun anew by its token", func(t *testing.T) {
		w := newWorld(t)
		by := w.caller(w.waits(nobody(), part{id: "u", n: 1, text: page, email: address}).Token)
		w.clock.move(24 * time.Hour)
		_, _, err := w.send(by, part{id: "u", n: 1, text: page, email: address})
		refused(t, err, sandlot.CodePart1First)
	})
}
