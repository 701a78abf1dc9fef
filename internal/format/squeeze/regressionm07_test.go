package squeeze

import (
	"context"
	"io"
	"testing"
	"testing/synctest"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// fatal is content that panics when something is to be kept.
type fatal struct{ *shelf }

func (fatal) StageDerived(context.Context, io.Reader) (sandlot.Blob, error) { panic("broken") }

// TestRegressionM07APanicLeavesNoCompressor fails where a goroutine is left behind.
func TestRegressionM07APanicLeavesNoCompressor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		f := b.add("game.js", program(5000))
		b.content = fatal{b.shelf}
		defer func() { expect.Equal(t, "panic", recover(), any("broken")) }()
		_, _ = b.variant(context.Background(), f.Blob, &formats(f.Blob.Size)[0])
	})
}
