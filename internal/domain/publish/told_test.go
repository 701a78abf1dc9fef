package publish_test

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// TestRegression32NobodyIsToldThatNothingWasChangedWhereSomethingMayHaveBeen: of any step, not only of
// those that store content.
func TestRegression32NobodyIsToldThatNothingWasChangedWhereSomethingMayHaveBeen(t *testing.T) {
	t.Parallel()
	calls := map[string]func(w *world, by sandlot.Caller, id sandlot.ProjectID) error{
		"DeleteFile": func(w *world, by sandlot.Caller, id sandlot.ProjectID) error {
			_, err := w.DeleteFile(w.t.Context(), by, publish.DeleteInput{Project: string(id), Filename: "a.css"})
			return err
		},
		"CreateAccount": func(w *world, _ sandlot.Caller, _ sandlot.ProjectID) error {
			_, err := w.Signup(w.t.Context(), nobody(), publish.SignupInput{})
			return err
		},
		"SetDetails": func(w *world, by sandlot.Caller, id sandlot.ProjectID) error {
			return w.Describe(w.t.Context(), w.owner(by.Account()), id, publish.DescribeInput{Details: publish.Details{Title: "x"}})
		},
		"Files": func(w *world, by sandlot.Caller, id sandlot.ProjectID) error { // the list for the answer, after the step
			title := "x"
			_, err := w.Amend(w.t.Context(), by, string(id), publish.AmendInput{Title: &title})
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
				return refused(t, call(w, by, id), sandlot.CodeUnavailable).Message
			}
			if step != "Files" {
				expect.Contains(t, "of a step that certainly had no effect", told(on(step, sandlot.NoEffect(sandlot.ErrUnavailable), nil)), "Nothing was changed")
			}
			if m := told(on(step, nil, sandlot.ErrUnavailable)); strings.Contains(m, "Nothing was changed") {
				t.Errorf("of a step that had its effect: %q", m)
			}
		})
	}
	t.Run("what only reads certainly changes nothing", func(t *testing.T) {
		w := newWorld(t)
		by := w.account()
		id := w.publish(by, page).Project.ID
		expect.OK(t, w.db.Close())
		_, err := w.Project(t.Context(), by, string(id))
		expect.Contains(t, "told", refused(t, err, sandlot.CodeUnavailable).Message, "Nothing was changed")
		w.blobs.BeforePut = sandlot.ErrFull
		_, err = w.Stage(t.Context(), strings.NewReader(large))
		expect.Contains(t, "told", refused(t, err, sandlot.CodeStorageFull).Message, "Nothing was changed")
	})
}
