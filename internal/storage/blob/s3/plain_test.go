package s3

import (
	"context"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"sandlot/internal/base/checkpoint"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSoakALargeBlobTakesLittleMemory: a Put its one part, and a reader the MiB that is fetched and the next one.
func TestSoakALargeBlobTakesLittleMemory(t *testing.T) {
	testenv.Unraced(t)
	const size = 100 << 20
	s := newBucket(t).open(t)
	c := cached(t, s, t.TempDir())
	content := func() io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{1}), size) }
	h := checkpoint.New()
	_, err := io.Copy(h, content())
	expect.OK(t, err)

	most := watchHeap(t)
	b, err := c.Put(t.Context(), c.Name(), content())
	expect.OK(t, err)
	if n := most(); n > 24<<20 {
		t.Errorf("a Put took %d MiB", n>>20)
	} else {
		t.Logf("a Put took %d KiB", n>>10)
	}
	b.SHA256, b.Checkpoints = h.Sum(), h.Points()
	for _, what := range []string{"from the store", "from the folder"} {
		most = watchHeap(t)
		r, err := c.Open(t.Context(), b, 0, -1)
		expect.OK(t, err)
		n, err := io.Copy(io.Discard, r)
		if err != nil || n != size {
			t.Errorf("%s: %d bytes, %v", what, n, err)
		}
		r.Close()
		if n := most(); n > 16<<20 {
			t.Errorf("%s: reading took %d MiB", what, n>>20)
		} else {
			t.Logf("%s: reading took %d KiB", what, n>>10)
		}
	}
}

// watchHeap looks at the heap every few milliseconds; most ends that, and returns by how much it grew at the most.
func watchHeap(t *testing.T) (most func() int64) {
	runtime.GC()
	heap := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	begun, peak := heap(), int64(0)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			peak = max(peak, heap()-begun)
			<-tick.C
		}
	}()
	return func() int64 { end(); <-done; return peak }
}
