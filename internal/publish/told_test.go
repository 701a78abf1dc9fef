package publish_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"sandlot/internal/publish"
)

// TestRegression32NobodyIsToldThatNothingWasChangedWhereSomethingMayHaveBeen: of any step, not only of
// those that store content.
func TestRegression32NobodyIsToldThatNothingWasChangedWhereSomethingMayHaveBeen(t *testing.T) {
	calls := map[string]func(w *world, by publish.Caller, id publish.ProjectID) error{
		"DeleteFile": func(w *world, by publish.Caller, id publish.ProjectID) error {
			_, err := w.DeleteFile(w.t.Context(), by, publish.DeleteInput{Project: string(id), Filename: "a.css"})
			return err
		},
		"CreateAccount": func(w *world, _ publish.Caller, _ publish.ProjectID) error {
			_, err := w.Signup(w.t.Context(), nobody(), publish.SignupInput{})
			return err
		},
		"SetDetails": func(w *world, by publish.Caller, id publish.ProjectID) error {
			return w.Describe(w.t.Context(), w.owner(by.Account()), id, publish.Details{Title: "x"})
		},
		"Files": func(w *world, by publish.Caller, id publish.ProjectID) error { // the list for the answer, after the step
			_, err := w.DeleteFile(w.t.Context(), by, publish.DeleteInput{Project: string(id), Filename: "a.css"})
			return err
		},
	}
	for step, call := range calls {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t)
			by := w.account()
			id := w.publish(by, page).Project.ID
			w.put(by, id, "a.css", "a {}")
			told := func(fault func(string) (error, error)) string {
				t.Helper()
				w.store.Step = fault
				defer func() { w.store.Step = nil }()
				return refused(t, call(w, by, id), publish.CodeUnavailable).Message
			}
			if step != "Files" {
				if m := told(on(step, publish.NoEffect(publish.ErrUnavailable), nil)); !strings.Contains(m, "Nothing was changed") {
					t.Errorf("of a step that certainly had no effect: %q", m)
				}
			}
			if m := told(on(step, nil, publish.ErrUnavailable)); strings.Contains(m, "Nothing was changed") {
				t.Errorf("of a step that had its effect: %q", m)
			}
		})
	}
	t.Run("what only reads certainly changes nothing", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		id := w.publish(by, page).Project.ID
		if err := w.db.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := w.Project(t.Context(), by, string(id))
		if e := refused(t, err, publish.CodeUnavailable); !strings.Contains(e.Message, "Nothing was changed") {
			t.Errorf("told %q", e.Message)
		}
		w.blobs.BeforePut = publish.ErrFull
		_, err = w.Stage(t.Context(), strings.NewReader(large))
		if e := refused(t, err, publish.CodeStorageFull); !strings.Contains(e.Message, "Nothing was changed") {
			t.Errorf("told %q", e.Message)
		}
	})
}

// lateJobs fails a verification after it happened.
type lateJobs struct{ publish.JobStore }

func (s lateJobs) UseVerification(ctx context.Context, token publish.Digest, now time.Time) (publish.Account, error) {
	a, err := s.JobStore.UseVerification(ctx, token, now)
	return a, errors.Join(err, publish.ErrUnavailable)
}

// lateSite fails a change of an address after it happened.
type lateSite struct{ publish.SiteStore }

func (s lateSite) TakeEmail(ctx context.Context, token publish.Digest, now, undo time.Time, notice publish.Job) (publish.Account, error) {
	a, err := s.SiteStore.TakeEmail(ctx, token, now, undo, notice)
	return a, errors.Join(err, publish.ErrUnavailable)
}

func TestRegression32WhatIsRememberedOfAProjectIsForgottenAfterAnErrorToo(t *testing.T) {
	for what, change := range map[string]func(w *world, s *publish.Service, id publish.AccountID) error{
		"the address was verified": func(w *world, s *publish.Service, _ publish.AccountID) error {
			_, err := s.Verify(t.Context(), w.mail()[0])
			return err
		},
		"another address was taken": func(w *world, s *publish.Service, id publish.AccountID) error {
			if err := w.ProposeEmail(t.Context(), id, "new@example.org", "en"); err != nil {
				return err
			}
			for _, m := range w.postman() {
				if m.Kind == publish.MailEmailChange {
					_, err := s.TakeEmail(t.Context(), linkOf(t, m, "email"))
					return err
				}
			}
			return errors.New("no message")
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			p := w.publish(nobody(), page).Project
			stores := publish.Stores{Store: w.in.Stores().Store, Jobs: lateJobs{w.db}, Site: lateSite{w.db}, Blobs: w.blobs}
			s, err := publish.New(t.Context(), publish.Config{Places: local()}, stores, slog.New(slog.DiscardHandler), publish.WithClock(w.clock.now))
			if err != nil {
				t.Fatal(err)
			}
			if p, err := s.Site(t.Context(), nobody(), p.ID); err != nil || p.Verified {
				t.Fatalf("verified %v, %v", p.Verified, err)
			}
			if err := change(w, s, p.Account); !errors.Is(err, publish.ErrUnavailable) {
				t.Fatalf("got %v", err)
			}
			if p, err := s.Site(t.Context(), nobody(), p.ID); err != nil || !p.Verified {
				t.Errorf("verified %v, %v", p.Verified, err)
			}
		})
	}
}
