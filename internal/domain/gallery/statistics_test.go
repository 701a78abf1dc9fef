package gallery_test

import (
	"context"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

func TestRegression39StatisticsDoNotWaitForWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody())
	by, owner, id := w.in.CallerOf(out.Keys.Account), w.owner(out.Project.Account), out.Project.ID
	w.Play(t.Context(), nobody(), id, gallery.Player{ID: "x"})
	begun := make(chan struct{}, 1)
	w.in.Faults.Step = func(step string) (error, error) {
		if step == "AddCounts" {
			begun <- struct{}{}
		}
		return nil, nil
	}
	unlock := w.lockDatabase()
	flushed := make(chan error, 1)
	go func() { flushed <- w.in.Counters.Flush(context.WithoutCancel(t.Context())) }()
	<-begun
	w.Play(t.Context(), nobody(), id, gallery.Player{ID: "y"})
	for name, plays := range map[string]func() (int64, error){
		"stats": func() (int64, error) { _, s, err := w.Stats(t.Context(), nobody(), string(id)); return s.Plays, err },
		"the counts of a page that is open": func() (int64, error) {
			s, err := w.Counts(t.Context(), nobody(), id)
			return s.Plays, err
		},
		"a project": func() (int64, error) {
			v, err := w.in.Publish.Reader.Project(t.Context(), by, string(id))
			return v.Stats.Plays, err
		},
		"whoami": func() (int64, error) {
			who, err := w.in.Publish.Reader.Whoami(t.Context(), by, 1, "")
			if err != nil {
				return 0, err
			}
			return who.Projects[0].Stats.Plays, nil
		},
		"an overview": func() (int64, error) {
			list, _, err := w.Overview(t.Context(), owner, "")
			if err != nil {
				return 0, err
			}
			return list[0].Stats.Plays, nil
		},
	} {
		t.Run(name+" are told while plays are being written", func(t *testing.T) {
			n, err := plays()
			if err != nil || n != 2 {
				t.Errorf("%d plays, %v", n, err)
			}
			select {
			case err := <-flushed:
				t.Fatalf("they came after the write, which ended with %v", err)
			default:
			}
		})
	}
	unlock()
	select {
	case err := <-flushed:
		expect.OK(t, err)
	case <-time.After(25 * time.Second):
		t.Fatal("the write has not ended")
	}
	_, s, err := w.Stats(t.Context(), nobody(), string(id))
	expect.Same(t, "plays when they were written", s, sandlot.Stats{Plays: 2})
	expect.OK(t, err)
}
