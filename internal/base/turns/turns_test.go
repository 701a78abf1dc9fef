package turns

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

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
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
			turns := make(Turns, 3)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					n, err := io.Copy(io.Discard, turns.Of(t.Context(), &working{size, &now, &most}))
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
		expect.Equal(t, "at once", most(Free), 20)
	})
	t.Run("what becomes much takes turns", func(t *testing.T) {
		now, largest := new(atomic.Int64), new(atomic.Int64)
		synctest.Test(t, func(t *testing.T) {
			turns := make(Turns, 3)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					r := turns.Of(t.Context(), io.MultiReader(strings.NewReader(strings.Repeat("x", Free)), &working{2 << 20, now, largest}))
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
			turns := make(Turns, 1)
			turns <- struct{}{}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			n, err := io.Copy(io.Discard, turns.Of(ctx, strings.NewReader(strings.Repeat("x", 2*Free))))
			if n < Free || n >= 2*Free || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	})
	t.Run("one processor is for everybody else", func(t *testing.T) {
		expect.Equal(t, "turns", cap(New()), max(1, runtime.GOMAXPROCS(0)-1))
	})
}

// pausing is a client that sends on command.
type pausing struct{ sends chan int }

// Read implements io.Reader.
func (p pausing) Read(b []byte) (int, error) {
	n, ok := <-p.sends
	if !ok {
		return 0, io.EOF
	}
	return min(n, len(b)), nil
}

func TestAClientThatIsWaitedForHoldsNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := make(Turns, 1)
		slow, fast := pausing{make(chan int)}, pausing{make(chan int)}
		read := func(from io.Reader) (done chan int64) {
			turn, done := all.Client(), make(chan int64, 1)
			go func() {
				n, _ := io.Copy(io.Discard, turn.Work(t.Context(), turn.Wait(t.Context(), from)))
				done <- n
			}()
			return done
		}
		first := read(io.MultiReader(strings.NewReader(strings.Repeat("x", Free)), slow))
		slow.sends <- 1
		synctest.Wait() // the first one is past its free bytes, and waits for its client
		second := read(io.MultiReader(strings.NewReader(strings.Repeat("x", Free)), fast))
		fast.sends <- 10
		close(fast.sends)
		expect.Equal(t, "bytes of the second", <-second, Free+10)
		close(slow.sends)
		expect.Equal(t, "bytes of the first", <-first, Free+1)
		expect.Equal(t, "turns held", len(all), 0)
	})
}
