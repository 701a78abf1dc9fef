package cover_test

import (
	"context"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestRegressionM21ACoverOfWhatWasTakenDownIsNotReadFromTheStore by a server that never held it.
func TestRegressionM21ACoverOfWhatWasTakenDownIsNotReadFromTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bare)
	s, content, id := w.asked(func(context.Context, int64) error { return nil })
	_, err := w.operator().Suspend(t.Context(), sandlot.AsOperator("op"), string(w.id), "spam")
	expect.OK(t, err)
	_, err = s.Picture(t.Context(), testworld.Nobody(), id, 640)
	expect.Is(t, "a cover of what was taken down", err, sandlot.ErrNotFound)
	expect.Equal(t, "reads", content.opened.Load(), 0)
}
