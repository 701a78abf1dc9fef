package figures_test

import (
	"errors"
	"reflect"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

const page = "<!doctype html><title>Space Cats</title><p>meow"

// TestWhoIsLetInToFigures calls every exported method as every kind of caller: an account's keys and sessions, and the key of a project, for
// its own alone.
func TestWhoIsLetInToFigures(t *testing.T) {
	t.Parallel()
	want := func(seen testworld.Seen) error {
		switch {
		case seen.Who == "nobody", seen.Who == "the operator":
			return sandlot.CodeKeyRequired
		case seen.Who == "another's session":
			return sandlot.ErrNotFound
		case seen.Who == "the key of another project", seen.Who == "another account's key":
			return sandlot.CodeWrongProject
		case seen.State != "active":
			return sandlot.CodeTakenDown
		}
		return nil
	}
	missing := errors.New("the play is not there")
	testworld.CheckAccess(t, reflect.TypeFor[*figures.Service](), func(s *testworld.Scene) {
		s.Gallery.Play(t.Context(), testworld.Nobody(), s.Project.ID, gallery.Player{ID: "x"})
		expect.OK(t, s.Counters.Flush(t.Context()))
	}, map[string]testworld.Gate{
		"ByDay": {Want: want, Call: func(s *testworld.Scene, by sandlot.Caller) error {
			of, err := s.Figures.ByDay(t.Context(), by, string(s.Project.ID), 1)
			if err == nil && (len(of.Days) != 1 || of.Days[0].Plays != 1 || of.Project.ID != s.Project.ID) {
				err = missing
			}
			return err
		}},
		"ByVersion": {Want: want, Call: func(s *testworld.Scene, by sandlot.Caller) error {
			of, err := s.Figures.ByVersion(t.Context(), by, string(s.Project.ID))
			if err == nil && (len(of.Versions) == 0 || of.Versions[0].Plays != 1 || of.Project.ID != s.Project.ID) {
				err = missing
			}
			return err
		}},
	})
}

func TestAProjectThatNeverWasHasNoFigures(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	me := w.NewAccount()
	for by, want := range map[*sandlot.Caller]error{&me: sandlot.CodeProjectNotFound, new(w.OwnerOf(me.Account())): sandlot.ErrNotFound, new(testworld.Nobody()): sandlot.CodeKeyRequired} {
		_, err := w.Figures.ByDay(t.Context(), *by, "never-was-abc123", 1)
		expect.Is(t, "by day", err, want)
		_, err = w.Figures.ByVersion(t.Context(), *by, "never-was-abc123")
		expect.Is(t, "by version", err, want)
	}
}
