package gallery_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

func TestStats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody())
	id := out.Project.ID
	stats := func() sandlot.Stats {
		t.Helper()
		got, s, err := w.Stats(t.Context(), nobody(), out.Addresses.URL)
		if err != nil || got != id {
			t.Fatalf("%s, %v", got, err)
		}
		return s
	}
	expect.Same(t, "at first", stats(), sandlot.Stats{})
	w.Play(t.Context(), nobody(), id, gallery.Player{ID: "x"})
	w.Play(t.Context(), nobody(), id, gallery.Player{ID: "x"})
	w.Play(t.Context(), nobody(), id, gallery.Player{ID: "y"})
	expect.OK(t, w.Touch(t.Context(), nobody(), id, gallery.Player{ID: "x"}))
	expect.Same(t, "before plays are written", stats(), sandlot.Stats{Players: 1, Plays: 2})
	t.Run("a store that fails loses no play", func(t *testing.T) {
		broken := errors.New("broken")
		w.in.Faults.Step = func(step string) (error, error) {
			if step == "AddCounts" {
				return broken, nil
			}
			return nil, nil
		}
		if err := w.in.Counters.Flush(t.Context()); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		w.in.Faults.Step = nil
		expect.Same(t, "after a failed write", stats(), sandlot.Stats{Players: 1, Plays: 2})
	})
	w.flush()
	expect.Same(t, "after plays were written", stats(), sandlot.Stats{Players: 1, Plays: 2})
	w.in.Clock.Move(gallery.Presence)
	expect.Same(t, "45 s without a heartbeat", stats(), sandlot.Stats{Plays: 2})
	expect.OK(t, w.Touch(t.Context(), nobody(), id, gallery.Player{ID: "x"}))
	expect.OK(t, w.Leave(t.Context(), nobody(), id, gallery.Player{ID: "x"}))
	expect.Same(t, "after a goodbye", stats(), sandlot.Stats{Plays: 2})
	t.Run("a player of a project that is not there is refused", func(t *testing.T) {
		refused(t, w.Touch(t.Context(), nobody(), "nope-000000", gallery.Player{ID: "x"}), sandlot.CodeProjectNotFound)
	})
	t.Run("a project and whoami tell the same", func(t *testing.T) {
		v, err := w.in.Publish.Reader.Project(t.Context(), nobody(), string(id))
		who, err2 := w.in.Publish.Reader.Whoami(t.Context(), w.in.CallerOf(out.Keys.Account), 1, "")
		if err != nil || err2 != nil || v.Stats != stats() || who.Projects[0].Stats != stats() {
			t.Errorf("%v %v, %v %v", v.Stats, who.Projects[0].Stats, err, err2)
		}
	})
}

func TestRunWritesPlaysMeanwhileAndAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.publish(nobody()).Project.ID
	stored := func(t *testing.T) int64 {
		p, err := w.in.DB.Publish().Project(t.Context(), id)
		expect.OK(t, err)
		return p.Plays
	}
	written := make(chan struct{}, 9)
	w.in.Faults.Step = func(step string) (error, error) {
		if step == "AddCounts" {
			written <- struct{}{}
		}
		return nil, nil
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { w.in.Counters.Run(ctx); close(ended) }()
	w.Play(t.Context(), nobody(), id, gallery.Player{ID: "x"})
	select {
	case <-written:
	case <-time.After(time.Minute): // on a busy machine; how often it writes the test of worker.FlushUntil tells
		t.Error("not written before the end")
	}
	w.Play(t.Context(), nobody(), id, gallery.Player{ID: "y"})
	stop()
	<-ended
	expect.Equal(t, "plays are stored", stored(t), 2)
}
