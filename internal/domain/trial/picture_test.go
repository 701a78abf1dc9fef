package trial_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
)

// shots are a function that takes pictures.
type shots func(ctx context.Context, version int) error

func (f shots) Shot(ctx context.Context, _ sandlot.ProjectID, version int, _ []byte) error {
	return f(ctx, version)
}

// mortal is a store whose node dies once, right before or after the end of a trial is recorded.
type mortal struct {
	trial.Store
	before, after bool
}

func (m *mortal) EndTrial(ctx context.Context, d trial.Due, how trial.Outcome, seen []byte) error {
	if m.before {
		m.before = false
		panic("the node dies")
	}
	err := m.Store.EndTrial(ctx, d, how, seen)
	if m.after {
		m.after = false
		panic("the node dies")
	}
	return err
}

// TestAPictureOutlivesTheNode: whenever a node dies about the end of a trial, the picture of the version is taken in the end.
func TestAPictureOutlivesTheNode(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]*mortal{"before it is recorded": {before: true}, "after it is recorded": {after: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRoom(t)
			w.open = func(trial.Due) (trial.Seen, error) { return trial.Seen{Moved: true, Shot: []byte("a picture")}, nil }
			taken := 0
			r := w.runner(w.World)
			store.Store = r.Store
			r.Store, r.Shots = store, shots(func(context.Context, int) error { taken++; return nil })
			func() {
				defer func() { expect.Equal(t, "the death", recover(), any("the node dies")) }()
				_ = r.Round(t.Context())
			}()
			w.Clock.Move(3 * time.Minute) // the lease of the node that died is over
			if err := r.Round(t.Context()); err != nil {
				w.none("that it is not due again", err)
			}
			w.says("in the end", trial.Ended, 1)
			expect.Equal(t, "that the picture was taken", taken > 0, true)
		})
	}
}

// TestATrialEndsWithoutItsPicture: the findings are reported also where the picture could not be taken; each has a time of its own.
func TestATrialEndsWithoutItsPicture(t *testing.T) {
	t.Parallel()
	fails := errors.New("the disk is full")
	for name, take := range map[string]shots{
		"fails":  func(context.Context, int) error { return fails },
		"panics": func(context.Context, int) error { panic("no picture") },
		"hangs": func(ctx context.Context, _ int) error {
			end, bounded := ctx.Deadline()
			if left := time.Until(end); !bounded || left > 10*time.Second {
				t.Errorf("a picture has %v, %v", left, bounded)
			}
			return context.DeadlineExceeded
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRoom(t)
			w.open = func(trial.Due) (trial.Seen, error) { return trial.Seen{Moved: true, Shot: []byte("a picture")}, nil }
			r := w.runner(w.World)
			r.Shots = take
			expect.Equal(t, "an error", r.Round(t.Context()) != nil, true)
			w.says("afterwards", trial.Ended, 1)
			w.none("that it is not due again", r.Round(t.Context()))
		})
	}
}
