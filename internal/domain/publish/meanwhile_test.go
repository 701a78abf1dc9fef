package publish_test

import (
	"context"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// before does something once, right before a step of the store.
func (w *world) before(step string, do func()) {
	var once sync.Once
	w.store.Step = func(s string) (error, error) {
		if s == step {
			once.Do(do)
		}
		return nil, nil
	}
}

func TestRegression35AnAddressVerifiedMeanwhileStays(t *testing.T) {
	t.Parallel()
	calls := map[string]func(w *world, by sandlot.Caller, id sandlot.ProjectID) ([]sandlot.Warning, error){
		"CreateProject": func(w *world, by sandlot.Caller, _ sandlot.ProjectID) ([]sandlot.Warning, error) {
			out, _, err := w.Publish(w.t.Context(), by, publish.PublishInput{Email: "other@example.org", Content: w.stage("<title>Another</title>")})
			return out.Warnings, err
		},
		"PutFile": func(w *world, by sandlot.Caller, id sandlot.ProjectID) ([]sandlot.Warning, error) {
			out, _, err := w.Update(w.t.Context(), by, publish.UpdateInput{Project: string(id), Filename: "b", Email: "other@example.org", Content: w.stage(page)})
			return out.Warnings, err
		},
		"Rearrange": func(w *world, by sandlot.Caller, id sandlot.ProjectID) ([]sandlot.Warning, error) {
			out, err := w.updateMany(by, publish.UpdateInput{Project: string(id), Email: "other@example.org"}, "b", page, "c", page)
			return out.Warnings, err
		},
		"DeleteFile": func(w *world, by sandlot.Caller, id sandlot.ProjectID) ([]sandlot.Warning, error) {
			out, err := w.DeleteFile(w.t.Context(), by, publish.DeleteInput{Project: string(id), Filename: "a", Email: "other@example.org"})
			return out.Warnings, err
		},
	}
	for step, call := range calls {
		t.Run(step+" with another address leaves an address that was verified since the call began", func(t *testing.T) {
			w := newWorld(t, func(c *publish.Config) { c.SMTP = true })
			out := w.publish(nobody(), page)
			by := w.caller(out.Keys.Account)
			w.put(by, out.Project.ID, "a", "x")
			token := w.mail()[0]
			w.before(step, func() {
				if _, err := w.Verify(t.Context(), nobody(), token); err != nil {
					t.Error(err)
				}
			})
			warnings, err := call(w, by, out.Project.ID)
			expect.OK(t, err)
			expect.Same(t, "warnings", codes(warnings), []string{"email_ignored"})
			if email, verified := w.email(by); email != address || !verified {
				t.Errorf("%s, verified %v", email, verified)
			}
			expect.Equal(t, "messages", len(w.mail()), 0)
		})
	}
}

// TestRegression35WhatMayNoMoreDoesNot: rights that end while a call is under way.
func TestRegression35WhatMayNoMoreDoesNot(t *testing.T) {
	t.Parallel()
	ends := map[string]struct {
		do   func(t *testing.T, w *world, p publish.Published)
		code map[string]sandlot.Code
	}{
		"a key that is revoked meanwhile": {func(t *testing.T, w *world, p publish.Published) {
			if _, err := w.RotateKey(t.Context(), w.owner(p.Project.Account), "nonce"); err != nil {
				t.Error(err)
			}
		}, map[string]sandlot.Code{"CreateProject": sandlot.CodeInvalidKey, "PutFile": sandlot.CodeInvalidKey, "DeleteFile": sandlot.CodeInvalidKey, "Rearrange": sandlot.CodeInvalidKey}},
		"an account that is suspended meanwhile": {func(t *testing.T, w *world, p publish.Published) {
			if err := w.db.Operate().Suspend(t.Context(), sandlot.Subject{Account: p.Project.Account}, sandlot.LogEntry{At: w.clock.now(), Actor: sandlot.ActorOperator, Action: sandlot.ActionSuspend, Target: "@x"}); err != nil {
				t.Error(err)
			}
		}, map[string]sandlot.Code{"CreateProject": sandlot.CodeAccountSuspended, "PutFile": sandlot.CodeTakenDown, "DeleteFile": sandlot.CodeTakenDown, "Rearrange": sandlot.CodeTakenDown}},
	}
	for what, end := range ends {
		for step, code := range end.code {
			t.Run(what+" ends "+step, func(t *testing.T) {
				w := newWorld(t)
				out := w.publish(nobody(), page)
				by := w.caller(out.Keys.Account)
				w.put(by, out.Project.ID, "a", "x")
				w.before(step, func() { end.do(t, w, out) })
				var err error
				switch step {
				case "CreateProject":
					_, _, err = w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(large)})
				case "PutFile":
					_, _, err = w.Update(t.Context(), by, publish.UpdateInput{Project: string(out.Project.ID), Filename: "b", Content: w.stage(large)})
				case "Rearrange":
					_, err = w.updateMany(by, publish.UpdateInput{Project: string(out.Project.ID), Many: publish.Many{Replace: true}}, "index.html", page, "b", large)
				case "DeleteFile":
					_, err = w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(out.Project.ID), Filename: "a"})
				}
				refused(t, err, code)
				if w.onDisk() != 0 {
					t.Error("the content of a refused call stays")
				}
				if p, err := w.db.Publish().Project(t.Context(), out.Project.ID); err != nil || p.Version != 2 {
					t.Errorf("version %d, %v", p.Version, err)
				}
			})
		}
	}
}

// suspending is a ManagementStore that suspends an account right before a step of its owner.
type suspending struct {
	publish.ManagementStore
	suspend func()
}

func (s *suspending) MintKey(ctx context.Context, id sandlot.AccountID, k sandlot.Key, limit int, record publish.IdempotencyRecord) error {
	s.suspend()
	return s.ManagementStore.MintKey(ctx, id, k, limit, record)
}

func (s *suspending) SetDetails(ctx context.Context, id sandlot.ProjectID, d publish.DetailsChange) error {
	s.suspend()
	return s.ManagementStore.SetDetails(ctx, id, d)
}

func TestRegression35AnOwnerChangesNothingAfterASuspension(t *testing.T) {
	t.Parallel()
	for step, c := range map[string]struct {
		do   func(s *publish.Service, me sandlot.Caller, p publish.Published) error
		code sandlot.Code
	}{
		"minting a key": {func(s *publish.Service, me sandlot.Caller, p publish.Published) error {
			_, err := s.Keyring.MintKey(t.Context(), me, publish.NewKey{Project: p.Project.ID, Name: "x", Form: "n"})
			return err
		}, sandlot.CodeAccountSuspended},
		"describing a project": {func(s *publish.Service, me sandlot.Caller, p publish.Published) error {
			return s.Describe(t.Context(), me, p.Project.ID, publish.DescribeInput{Details: publish.Details{Title: "Other"}})
		}, sandlot.CodeTakenDown},
	} {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t)
			out := w.publish(nobody(), page)
			s := w.openOver(publish.Config{Places: local()}, &suspending{w.db.Publish(), func() {
				if err := w.db.Operate().Suspend(t.Context(), sandlot.Subject{Account: out.Project.Account}, sandlot.LogEntry{At: w.clock.now(), Actor: sandlot.ActorOperator, Action: sandlot.ActionSuspend, Target: "@x"}); err != nil {
					t.Error(err)
				}
			}})
			refused(t, c.do(s, w.owner(out.Project.Account), out), c.code)
			if p, err := w.db.Publish().Project(t.Context(), out.Project.ID); err != nil || p.Handle != out.Project.Handle || p.Title != out.Project.Title {
				t.Errorf("the project is %+v, %v", p, err)
			}
		})
	}
}
