package publish_test

import (
	"testing"
	"time"

	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// year is by how much these tests set the clock.
const year = 365 * 24 * time.Hour

// TestFault32Clock: a clock that jumps changes no order, and no time that is told to a client is in the past.
func TestFault32Clock(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{"a year ahead": year, "a year back": -year, "a second back": -time.Second} {
		t.Run("what was changed last is first, with the clock "+name, func(t *testing.T) {
			w := newWorld(t)
			by := w.account()
			first := w.publish(by, page).Project
			second := w.publish(by, page).Project
			w.clock.move(jump)
			w.put(by, first.ID, "a.css", "x")
			latest, _, err := w.Update(t.Context(), by, publish.UpdateInput{Filename: "b.css", Content: w.stage("x")})
			if err != nil || latest.Project.ID != first.ID || latest.Project.Version != 3 {
				t.Errorf("an update without a project went to %s at %d, %v", latest.Project.ID, latest.Project.Version, err)
			}
			who, err := w.Whoami(t.Context(), by, 10, "")
			if err != nil || len(who.Projects) != 2 || who.Projects[0].Project.ID != first.ID || who.Projects[1].Project.ID != second.ID {
				t.Errorf("whoami lists %+v, %v", who.Projects, err)
			}
		})
		t.Run("an upload and its answer live for a day of the new clock, "+name, func(t *testing.T) {
			w := newWorld(t)
			by := w.account()
			w.clock.move(jump)
			one, two := 1, 2
			part := func(n *int) (publish.Published, *publish.Pending, error) {
				return w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(page), Part: &publish.PartInput{UploadID: "u", N: n, Total: &two}})
			}
			_, pending, err := part(&one)
			if err != nil || !pending.ExpiresAt.After(w.clock.now()) {
				t.Fatalf("%+v, %v", pending, err)
			}
			done, _, err := part(&two)
			expect.OK(t, err)
			if again, _, err := part(&two); err != nil || again.Project.ID != done.Project.ID {
				t.Errorf("sent again: %v, %v", again.Project.ID, err)
			}
		})
		t.Run("players are counted, with the clock "+name, func(t *testing.T) {
			w := newWorld(t)
			id := w.publish(w.account(), page).Project.ID
			touch := func() {
				expect.OK(t, w.in.Gallery.Touch(t.Context(), nobody(), id, gallery.Player{ID: "player"}))
			}
			touch()
			w.clock.move(jump)
			touch()
			if _, stats, err := w.in.Gallery.Stats(t.Context(), nobody(), string(id)); err != nil || stats.Players != 1 {
				t.Errorf("%+v, %v", stats, err)
			}
		})
	}
	t.Run("a link ends by the clock, ahead, and works again when that was a mistake", func(t *testing.T) {
		w := newWorld(t)
		w.publish(nobody(), page)
		token := w.mail()[0]
		w.clock.move(year)
		if _, err := w.Verify(t.Context(), nobody(), token); err == nil {
			t.Error("a link of last year verifies")
		}
		w.clock.move(-year)
		if _, err := w.Verify(t.Context(), nobody(), token); err != nil {
			t.Errorf("a link of today: %v", err)
		}
	})
	t.Run("a message that was due is not lost to a clock set back", func(t *testing.T) {
		w := newWorld(t)
		w.clock.move(-year)
		w.publish(nobody(), page)
		expect.Equal(t, "messages", len(w.mail()), 1)
	})
}
