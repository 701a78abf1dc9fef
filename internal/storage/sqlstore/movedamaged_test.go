package sqlstore

import (
	"context"
	"math/rand/v2"
	"testing"

	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
)

// TestRegressionM21AMoveFindsARowThatDiffers: values changed in the target after it was copied.
func TestRegressionM21AMoveFindsARowThatDiffers(t *testing.T) {
	t.Parallel()
	from, to := sqlitePlace(t).opened(t, Options{Filling: true}), sqlitePlace(t).opened(t, Options{Filling: true})
	(&rows{Rand: rand.New(rand.NewPCG(1, 0)), db: from}).fill(t, 3)
	m := NewMove(from, to, "the source", "the target")
	_, _, err := m.Begin(t.Context())
	expect.OK(t, err)
	whole := func(piece func(context.Context, operate.TakeBlob) (operate.MoveProgress, error)) (err error) {
		for p := (operate.MoveProgress{}); err == nil && !p.All; {
			p, err = piece(t.Context(), func(context.Context, operate.MovedBlob) (bool, error) { return true, nil })
		}
		return err
	}
	expect.OK(t, whole(m.Copy))
	expect.OK(t, to.step(t.Context(), 0, func(x *tx) error {
		_, err := x.exec("UPDATE projects SET title = title || '.'")
		return err
	}))
	err = whole(m.Compare)
	if err == nil {
		t.Fatal("a row that differs passed the comparison")
	}
	expect.Contains(t, "the error", err.Error(), "a row of projects in the target is another than in the source")
}
