package gallery_test

import (
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

// TestRegression27EverythingIsListedOnALocalInstance: a newcomer's first project was nowhere to be found.
func TestRegression27EverythingIsListedOnALocalInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.publish(nobody())
	if slices.ContainsFunc(first.Warnings, func(w sandlot.Warning) bool { return w.Code == "not_listed" }) {
		t.Errorf("warned: %+v", first.Warnings)
	}
	for name, read := range map[string]func() (gallery.Page, error){
		"newest": func() (gallery.Page, error) { return w.Browse(t.Context(), nobody(), gallery.SortNewest, "") },
		"found":  func() (gallery.Page, error) { return w.Search(t.Context(), nobody(), "space", "") },
		"profile": func() (gallery.Page, error) {
			_, p, err := w.Profile(t.Context(), nobody(), first.Account.Handle, gallery.SortNewest, "")
			return p, err
		},
	} {
		if got, err := read(); err != nil || !slices.Equal(shown(got), []sandlot.ProjectID{first.Project.ID}) {
			t.Errorf("%s: %v, %v", name, shown(got), err)
		}
	}
	t.Run("of which nothing stays when it becomes public", func(t *testing.T) {
		s := w.in.AnotherGallery(gallery.Config{Public: true})
		got, err := s.Browse(t.Context(), nobody(), gallery.SortNewest, "")
		if err != nil || len(got.Cards) != 0 || got.Waiting != 1 {
			t.Errorf("%v, %d wait, %v", shown(got), got.Waiting, err)
		}
		if got, err := s.Search(t.Context(), nobody(), "space", ""); err != nil || len(got.Cards) != 0 {
			t.Errorf("found: %v, %v", shown(got), err)
		}
	})
}

func TestRegression27AnEmptyGalleryTellsHowManyWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, public)
	browse := func(by gallery.Sort) gallery.Page {
		t.Helper()
		w.in.Clock.Move(time.Minute)
		got, err := w.Browse(t.Context(), nobody(), by, "")
		expect.OK(t, err)
		return got
	}
	if got := browse(gallery.SortNewest); got.Waiting != 0 {
		t.Errorf("with nothing published %d wait", got.Waiting)
	}
	first := w.publish(nobody())
	w.publish(nobody())
	if got := browse(gallery.SortNewest); len(got.Cards) != 0 || got.Waiting != 2 {
		t.Errorf("%d cards, %d wait", len(got.Cards), got.Waiting)
	}
	if got := browse(gallery.SortPlayed); got.Waiting != 0 {
		t.Errorf("of a ranking %d wait", got.Waiting)
	}
	w.exec("UPDATE accounts SET verified = 1 WHERE id = ?", first.Project.Account)
	w.publish(w.in.CallerOf(first.Keys.Account))
	if got := browse(gallery.SortNewest); len(got.Cards) == 0 || got.Waiting != 0 {
		t.Errorf("%d cards, %d wait", len(got.Cards), got.Waiting)
	}
}
