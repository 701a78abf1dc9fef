package publish_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"sandlot/internal/gallery"
	"sandlot/internal/operate"
	"sandlot/internal/publish"
)

// year is by how much these tests set the clock.
const year = 365 * 24 * time.Hour

// TestFault32Clock: a clock that jumps changes no order, and no time that is told to a client is in the past.
func TestFault32Clock(t *testing.T) {
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
			if err != nil {
				t.Fatal(err)
			}
			if again, _, err := part(&two); err != nil || again.Project.ID != done.Project.ID {
				t.Errorf("sent again: %v, %v", again.Project.ID, err)
			}
		})
		t.Run("players are counted, with the clock "+name, func(t *testing.T) {
			w := newWorld(t)
			id := w.publish(w.account(), page).Project.ID
			touch := func() {
				if err := w.in.Gallery.Touch(t.Context(), nobody(), id, gallery.Player{ID: "player"}); err != nil {
					t.Fatal(err)
				}
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
		if n := len(w.mail()); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

// TestFault16CollectorBesidePublishes: while it collects without a pause, nothing that is published is taken.
func TestFault16CollectorBesidePublishes(t *testing.T) {
	w := newWorld(t)
	by := w.account()
	id := w.publish(by, large).Project.ID
	c := operate.Collector{Records: w.db, Blobs: w.blobs, Now: func() time.Time { return time.Now().Add(operate.Grace - time.Hour) }}
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := c.Collect(t.Context()); err != nil {
				t.Errorf("collect: %v", err)
				return
			}
		}
	}()
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			for j := range 10 {
				name := fmt.Sprintf("%d.css", i)
				w.put(by, id, name, fmt.Sprint(large, i, j))
				w.publish(by, fmt.Sprint(large, i, j))
				if j%3 == 2 {
					if _, err := w.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(id), Filename: name}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	<-stopped
	who, err := w.Whoami(t.Context(), by, 100, "")
	if err != nil || len(who.Projects) != 41 {
		t.Fatalf("%d projects, %v", len(who.Projects), err)
	}
	for _, v := range who.Projects {
		for n := 1; n <= v.Project.Version; n++ {
			files, err := w.Files(t.Context(), v.Project.ID, n)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				w.bytes(f.Blob) // fails the test if they are not there
			}
		}
	}
}
