package publish_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/publish"
)

// public makes an instance one that strangers come to.
func public(c *publish.Config) { c.Public = true }

// told are the codes of warnings.
func warnedOf(list []publish.Warning) (codes []string) {
	for _, w := range list {
		codes = append(codes, w.Code)
	}
	return codes
}

// TestRegression27EverythingIsListedOnALocalInstance: a newcomer's first project was nowhere to be found.
func TestRegression27EverythingIsListedOnALocalInstance(t *testing.T) {
	w := newWorld(t)
	first := w.publish(nobody(), page)
	if slices.Contains(warnedOf(first.Warnings), "not_listed") {
		t.Errorf("warned: %+v", first.Warnings)
	}
	for name, read := range map[string]func() (publish.Page, error){
		"newest": func() (publish.Page, error) { return w.Browse(t.Context(), nobody(), publish.SortNewest, "") },
		"found":  func() (publish.Page, error) { return w.Search(t.Context(), nobody(), "space", "") },
		"profile": func() (publish.Page, error) {
			_, p, err := w.Profile(t.Context(), nobody(), first.Account.Handle, "")
			return p, err
		},
	} {
		if got, err := read(); err != nil || !slices.Equal(shown(got), []publish.ProjectID{first.Project.ID}) {
			t.Errorf("%s: %v, %v", name, shown(got), err)
		}
	}
	t.Run("of which nothing stays when it becomes public", func(t *testing.T) {
		s := w.open(publish.Config{Places: local(), Public: true})
		got, err := s.Browse(t.Context(), nobody(), publish.SortNewest, "")
		if err != nil || len(got.Cards) != 0 || got.Waiting != 1 {
			t.Errorf("%v, %d wait, %v", shown(got), got.Waiting, err)
		}
		if got, err := s.Search(t.Context(), nobody(), "space", ""); err != nil || len(got.Cards) != 0 {
			t.Errorf("found: %v, %v", shown(got), err)
		}
	})
}

func TestRegression27AnEmptyGalleryTellsHowManyWait(t *testing.T) {
	w := newWorld(t, public)
	gallery := func(by publish.Sort) publish.Page {
		t.Helper()
		w.clock.move(time.Minute)
		got, err := w.Browse(t.Context(), nobody(), by, "")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := gallery(publish.SortNewest); got.Waiting != 0 {
		t.Errorf("with nothing published %d wait", got.Waiting)
	}
	first := w.publish(nobody(), page)
	w.publish(nobody(), page)
	if got := gallery(publish.SortNewest); len(got.Cards) != 0 || got.Waiting != 2 {
		t.Errorf("%d cards, %d wait", len(got.Cards), got.Waiting)
	}
	if got := gallery(publish.SortPlayed); got.Waiting != 0 {
		t.Errorf("of a ranking %d wait", got.Waiting)
	}
	w.exec("UPDATE accounts SET verified = 1 WHERE id = ?", first.Project.Account)
	w.publish(w.caller(first.Keys.Account), page)
	if got := gallery(publish.SortNewest); len(got.Cards) == 0 || got.Waiting != 0 {
		t.Errorf("%d cards, %d wait", len(got.Cards), got.Waiting)
	}
}

// TestRegression27PublishTellsThatAProjectIsNotListed: also when the answer is given again.
func TestRegression27PublishTellsThatAProjectIsNotListed(t *testing.T) {
	w := newWorld(t, public)
	in := publish.PublishInput{Email: address, Idempotency: "0123456789abcdef"}
	for _, name := range []string{"the first answer", "the same again"} {
		in.Content = w.stage(page)
		out, _, err := w.Publish(t.Context(), nobody(), in)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.Index(warnedOf(out.Warnings), "not_listed")
		if i < 0 || !strings.Contains(out.Warnings[i].Hint, "link in the message") {
			t.Errorf("%s: %+v", name, out.Warnings)
		}
	}
	if out := w.publish(w.maker(), page); slices.Contains(warnedOf(out.Warnings), "not_listed") {
		t.Errorf("a verified account was warned: %+v", out.Warnings)
	}
}
