package publish_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

const (
	uuid      = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	guessable = "1"
)

// made is what tests look at of an answer to any call.
type made struct {
	Keys     publish.Minted
	Project  sandlot.ProjectID
	Version  int
	Account  sandlot.AccountID
	Handle   string
	Address  sandlot.Addresses
	Warnings []string
}

// onceCall is a call under an Idempotency-Key, with its caller and its project.
type onceCall struct {
	step string // of the store
	make func(s *publish.Service, by sandlot.Caller, key string) (m made, replayed bool, err error)
	anon bool // whether nobody makes it
}

// idempotentCalls are one of each kind. The world has the project id of the caller.
func (w *world) idempotentCalls(id sandlot.ProjectID) map[string]onceCall {
	answer := func(out publish.Published, err error) (made, bool, error) {
		m := made{Keys: out.Keys, Project: out.Project.ID, Version: out.Project.Version, Account: out.Project.Account, Handle: out.Project.Handle, Address: out.Addresses, Warnings: codes(out.Warnings)}
		return m, out.FromRecord, err
	}
	changed := func(out publish.Updated, err error) (made, bool, error) {
		return made{Project: out.Project.ID, Version: out.Project.Version, Address: out.Addresses, Warnings: codes(out.Warnings)}, out.FromRecord, err
	}
	publishes := func(s *publish.Service, by sandlot.Caller, key string) (made, bool, error) {
		out, _, err := s.Publish(w.t.Context(), by, publish.PublishInput{Email: address, Title: "a\x00b", Content: w.stageOn(s, large), Idempotency: key})
		return answer(out, err)
	}
	two := 2
	return map[string]onceCall{
		"publish":           {"CreateProject", publishes, false},
		"publish by nobody": {"CreateProject", publishes, true},
		"the completing part": {"CreateProject", func(s *publish.Service, by sandlot.Caller, key string) (made, bool, error) {
			out, _, err := s.Publish(w.t.Context(), by, publish.PublishInput{Content: w.stageOn(s, long("two")), Part: &publish.PartInput{UploadID: longID, N: &two, Last: true}, Idempotency: key})
			return answer(out, err)
		}, true},
		"update": {"PutFile", func(s *publish.Service, by sandlot.Caller, key string) (made, bool, error) {
			out, _, err := s.Update(w.t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "new.gz", Lang: "??", Content: w.stageOn(s, string(pack(w.t, large))), Idempotency: key})
			return changed(out, err)
		}, false},
		"delete-file": {"DeleteFile", func(s *publish.Service, by sandlot.Caller, key string) (made, bool, error) {
			out, err := s.DeleteFile(w.t.Context(), by, publish.DeleteInput{Project: string(id), Filename: "old.js", Email: address, Idempotency: key})
			return made{Project: out.Project.ID, Version: out.Project.Version, Address: out.Addresses, Warnings: codes(out.Warnings)}, out.FromRecord, err
		}, false},
		"signup": {"CreateAccount", func(s *publish.Service, by sandlot.Caller, key string) (made, bool, error) {
			out, err := s.Signup(w.t.Context(), by, publish.SignupInput{Handle: "ada", Email: address, Idempotency: key})
			return made{Keys: publish.Minted{Account: out.Key}, Account: out.Account.ID, Handle: out.Account.Handle, Warnings: codes(out.Warnings)}, out.FromRecord, err
		}, true},
	}
}

// idempotencyWorld is a world with all that the calls need.
func idempotencyWorld(t *testing.T) (w *world, account sandlot.Caller, id sandlot.ProjectID) {
	t.Helper()
	w = newWorld(t)
	out := w.publish(nobody(), page)
	account = w.caller(out.Keys.Account)
	w.put(account, out.Project.ID, "old.js", "old")
	w.waits(nobody(), part{id: longID, n: 1, text: page, title: "a\x00b", email: address})
	return w, account, out.Project.ID
}

// eachOnce runs a test on each kind of call, in a world of its own.
func eachOnce(t *testing.T, prove func(t *testing.T, w *world, by sandlot.Caller, c onceCall)) {
	w, _, id := idempotencyWorld(t)
	for name := range w.idempotentCalls(id) {
		t.Run(name, func(t *testing.T) {
			w, by, id := idempotencyWorld(t)
			c := w.idempotentCalls(id)[name]
			if c.anon {
				by = nobody()
			}
			prove(t, w, by, c)
		})
	}
}

func TestACallRepeatedWithItsIdempotencyKeyHasOneEffect(t *testing.T) {
	t.Parallel()
	eachOnce(t, func(t *testing.T, w *world, by sandlot.Caller, c onceCall) {
		first, replayed, err := c.make(w.Service, by, uuid)
		if err != nil || replayed {
			t.Fatalf("replayed %v, %v", replayed, err)
		}
		again := func(s *publish.Service) {
			t.Helper()
			w.unchanged(t, func() {
				got, replayed, err := c.make(s, by, uuid)
				if err != nil || !replayed {
					t.Errorf("replayed %v, %v", replayed, err)
				}
				if expect.Same(t, "the answer", got.shown(), first.shown()); got.Keys != first.Keys {
					t.Error("other keys")
				}
			})
		}
		again(w.Service)
		again(w.open(publish.Config{Places: local(), InlineMax: inlineMax, MailFolder: "./data/mail"})) // after a restart
		w.clock.move(24*time.Hour - time.Second)
		again(w.Service)
		w.clock.move(time.Second)
		switch got, replayed, err := c.make(w.Service, by, uuid); {
		case replayed:
			t.Error("replayed after 24 hours")
		case err == nil && got.Project == first.Project && got.Version == first.Version && got.Account == first.Account:
			t.Error("nothing was made after 24 hours")
		}
	})
}

// shown is m without its keys, which are compared apart: a test must not print them.
func (m made) shown() made { m.Keys = publish.Minted{}; return m }

func TestIdempotencyWhenTheStoreFails(t *testing.T) {
	t.Parallel()
	t.Run("after it happened, its answer was lost: the retry gets what was made", func(t *testing.T) {
		eachOnce(t, func(t *testing.T, w *world, by sandlot.Caller, c onceCall) {
			w.store.Step = on(c.step, nil, errBroken)
			if _, _, err := c.make(w.Service, by, uuid); err == nil {
				t.Fatal("acknowledged")
			}
			w.store.Step = nil
			w.unchanged(t, func() {
				m, replayed, err := c.make(w.Service, by, uuid)
				if err != nil || !replayed {
					t.Fatalf("replayed %v, %v", replayed, err)
				}
				if m.Keys.Account != "" {
					w.caller(m.Keys.Account)
				}
				if m.Keys.Project != "" {
					w.caller(m.Keys.Project)
				}
			})
		})
	})
	t.Run("before it happens: the retry makes it", func(t *testing.T) {
		eachOnce(t, func(t *testing.T, w *world, by sandlot.Caller, c onceCall) {
			for _, cause := range []error{errBroken, sandlot.ErrFull, sandlot.ErrUnavailable} {
				w.store.Step = on(c.step, cause, nil)
				if _, _, err := c.make(w.Service, by, uuid); !errors.Is(err, cause) {
					t.Fatalf("got %v", err)
				}
			}
			w.store.Step = nil
			if _, replayed, err := c.make(w.Service, by, uuid); err != nil || replayed {
				t.Errorf("replayed %v, %v", replayed, err)
			}
		})
	})
	t.Run("the look-up fails: nothing is made", func(t *testing.T) {
		eachOnce(t, func(t *testing.T, w *world, by sandlot.Caller, c onceCall) {
			w.store.Step = on("IdempotencyRecord", errBroken, nil)
			w.unchanged(t, func() {
				if _, _, err := c.make(w.Service, by, uuid); !errors.Is(err, errBroken) {
					t.Errorf("got %v", err)
				}
			})
		})
	})
	t.Run("a panic behind the commit lets the lease go", func(t *testing.T) {
		eachOnce(t, func(t *testing.T, w *world, by sandlot.Caller, c onceCall) {
			w.store.Step = on(c.step, nil, testworld.ErrPanic)
			func() {
				defer func() { _ = recover() }()
				_, _, _ = c.make(w.Service, by, uuid)
				t.Error("no panic")
			}()
			w.store.Step = nil
			if _, replayed, err := c.make(w.Service, by, uuid); err != nil || !replayed {
				t.Errorf("replayed %v, %v", replayed, err)
			}
		})
	})
}

func TestIdempotencyWhileTheFirstCallIsInProgress(t *testing.T) {
	t.Parallel()
	eachOnce(t, func(t *testing.T, w *world, by sandlot.Caller, c onceCall) {
		w.store.Step = func(step string) (error, error) {
			if step != c.step {
				return nil, nil
			}
			w.store.Step = nil
			_, _, err := c.make(w.Service, by, uuid)
			if e := refused(t, err, sandlot.CodeRequestInProgress); e.RetryAfter <= 0 {
				t.Error("no time to try again")
			}
			if _, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Idempotency: guessable}); err != nil {
				t.Errorf("another Idempotency-Key: %v", err)
			}
			return errBroken, nil
		}
		if _, _, err := c.make(w.Service, by, uuid); !errors.Is(err, errBroken) {
			t.Fatalf("got %v", err)
		}
		if _, replayed, err := c.make(w.Service, by, uuid); err != nil || replayed {
			t.Errorf("after it failed: replayed %v, %v", replayed, err)
		}
	})
}

func TestOneIdempotencyKeyForAllPartsOfAnUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	const parts = 20
	send := func(n int) (publish.Published, *publish.Pending, error) {
		total := parts
		in := &publish.PartInput{UploadID: "u", N: &n, Total: &total}
		return w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(fmt.Sprint("part ", n)), Part: in, Idempotency: uuid})
	}
	_, _, err := send(1)
	expect.OK(t, err)
	type answer struct {
		n   int
		out publish.Published
		err error
	}
	answers := make(chan answer, parts-1)
	for n := 2; n <= parts; n++ {
		go func() {
			out, _, err := send(n)
			answers <- answer{n, out, err}
		}()
	}
	var last answer
	for range cap(answers) {
		a := <-answers
		if a.err != nil {
			t.Errorf("part %d: %v", a.n, a.err)
		}
		if a.out.Project.ID != "" {
			last = a
		}
	}
	again, _, err := send(last.n)
	if err != nil || !again.FromRecord || again.Keys != last.out.Keys {
		t.Errorf("the completing part again: replayed %v, %v", again.FromRecord, err)
	}
	_, _, err = send(last.n%(parts-1) + 1)
	refused(t, err, sandlot.CodeIdempotencyMismatch)
}

// TestIdempotencyOnTwoNodes lets another process make the same call between the look-up and the step of the first.
func TestIdempotencyOnTwoNodes(t *testing.T) {
	t.Parallel()
	eachOnce(t, func(t *testing.T, w *world, by sandlot.Caller, c onceCall) {
		other := w.open(publish.Config{Places: local(), InlineMax: inlineMax, MailFolder: "./data/mail"})
		var first made
		w.store.Step = func(step string) (error, error) {
			if step != c.step {
				return nil, nil
			}
			w.store.Step = nil
			var err error
			if first, _, err = c.make(other, by, uuid); err != nil {
				t.Error(err)
			}
			return nil, nil
		}
		before := w.kept()
		got, replayed, err := c.make(w.Service, by, uuid)
		if err != nil || !replayed {
			t.Fatalf("replayed %v, %v", replayed, err)
		}
		if expect.Same(t, "the answer", got.shown(), first.shown()); got.Keys != first.Keys {
			t.Error("other keys")
		}
		after := w.kept()
		if after["idempotency"] == before["idempotency"] || after["versions"] > before["versions"]+1 || after["accounts"] > before["accounts"]+1 {
			t.Errorf("kept %v, before %v", after, before)
		}
	})
	t.Run("a refusal that only the other node's success explains", func(t *testing.T) {
		w, by, id := idempotencyWorld(t)
		other := w.open(publish.Config{Places: local(), InlineMax: inlineMax})
		version := 2
		update := func(s *publish.Service) (publish.Updated, error) {
			out, _, err := s.Update(t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "a", IfVersion: &version, Content: w.stage(page), Idempotency: uuid})
			return out, err
		}
		var first publish.Updated
		w.store.Step = func(step string) (error, error) {
			if step == "Project" {
				w.store.Step = nil
				var err error
				if first, err = update(other); err != nil {
					t.Error(err)
				}
			}
			return nil, nil
		}
		got, err := update(w.Service)
		if err != nil || !got.FromRecord || got.Project.Version != first.Project.Version {
			t.Errorf("version %d, not %d, replayed %v, %v", got.Project.Version, first.Project.Version, got.FromRecord, err)
		}
	})
}

func TestIdempotencyKeysOfDifferentCallersAreIndependent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	from := func(addr string) sandlot.Caller { return sandlot.Caller{From: sandlot.Sender{Network: addr}} }
	publishes := func(by sandlot.Caller, key string) (publish.Published, error) {
		out, _, err := w.Publish(t.Context(), by, publish.PublishInput{Email: address, Content: w.stage(page), Idempotency: key})
		return out, err
	}
	first, err := publishes(from("192.0.2.1"), guessable)
	expect.OK(t, err)
	t.Run("each key is a principal of its own", func(t *testing.T) {
		one, two := w.account(), w.caller(first.Keys.Account)
		for _, by := range []sandlot.Caller{one, two} {
			if out, err := publishes(by, guessable); err != nil || out.FromRecord {
				t.Errorf("replayed %v, %v", out.FromRecord, err)
			}
		}
	})
}

// exec changes the records as another process would.
func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.dir, "sandlot.db"))
	expect.OK(w.t, err)
	defer db.Close()
	_, err = db.Exec(query, args...)
	expect.OK(w.t, err)
}

func TestCheckIdempotencyKey(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{
		"": false, "x": true, strings.Repeat("x", 255): true, strings.Repeat("x", 256): false, "a b": false, "a\tb": false, "ä": false, "\x7f": false, `!"~`: true,
	} {
		err := publish.CheckIdempotencyKey(key)
		if (err == nil) != ok {
			t.Errorf("%.10q: %v", key, err)
		}
		if !ok {
			refused(t, err, sandlot.CodeInvalidField)
		}
	}
	t.Run("the Service refuses it as well", func(t *testing.T) {
		w := newWorld(t)
		w.unchanged(t, func() {
			_, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Idempotency: "a b"})
			refused(t, err, sandlot.CodeInvalidField)
			_, _, err = w.Publish(t.Context(), nobody(), publish.PublishInput{Email: address, Content: w.stage(large), Idempotency: "a b"})
			refused(t, err, sandlot.CodeInvalidField)
		})
	})
}
