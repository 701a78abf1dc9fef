package publish

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/expect"
	"sandlot/internal/testenv"
)

// working is a reader that works for a while at each read, and sees how many do at once.
type working struct {
	left      int
	now, most *atomic.Int64
}

// Read implements io.Reader.
func (w *working) Read(p []byte) (int, error) {
	if w.left == 0 {
		return 0, io.EOF
	}
	for n, most := w.now.Add(1), w.most.Load(); n > most && !w.most.CompareAndSwap(most, n); most = w.most.Load() {
	}
	testenv.Pass(time.Millisecond)
	w.now.Add(-1)
	n := min(w.left, len(p))
	w.left -= n
	return n, nil
}

func TestRegression01UnpackingLeavesAProcessorFree(t *testing.T) {
	most := func(size int) int {
		var now, most atomic.Int64
		synctest.Test(t, func(t *testing.T) {
			turns := make(turns, 3)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					n, err := io.Copy(io.Discard, turns.of(t.Context(), &working{size, &now, &most}))
					if n != int64(size) || err != nil {
						t.Errorf("%d bytes, %v", n, err)
					}
				})
			}
			all.Wait()
		})
		return int(most.Load())
	}
	t.Run("what is small needs no turn", func(t *testing.T) {
		expect.Equal(t, "at once", most(turnAfter), 20)
	})
	t.Run("what becomes much takes turns", func(t *testing.T) {
		now, largest := new(atomic.Int64), new(atomic.Int64)
		synctest.Test(t, func(t *testing.T) {
			turns := make(turns, 3)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					r := turns.of(t.Context(), io.MultiReader(strings.NewReader(strings.Repeat("x", turnAfter)), &working{2 << 20, now, largest}))
					if n, err := io.Copy(io.Discard, r); n != 3<<20 || err != nil {
						t.Errorf("%d bytes, %v", n, err)
					}
				})
			}
			all.Wait()
		})
		expect.Equal(t, "at once", largest.Load(), 3)
	})
	t.Run("a caller that has gone waits no more", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			turns := make(turns, 1)
			turns <- struct{}{}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			n, err := io.Copy(io.Discard, turns.of(ctx, strings.NewReader(strings.Repeat("x", 2*turnAfter))))
			if n < turnAfter || n >= 2*turnAfter || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	})
	t.Run("one processor is for everybody else", func(t *testing.T) {
		expect.Equal(t, "turns", cap(newTurns()), max(1, runtime.GOMAXPROCS(0)-1))
	})
}
