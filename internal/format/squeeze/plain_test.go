package squeeze

import (
	"context"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"

	"sandlot"
)

// gauge is a Content that keeps nothing, and watches the heap while bytes go in and out.
type gauge struct {
	kind func(r *rand.Rand, p []byte) // fills p with content

	mu   sync.Mutex
	peak uint64
}

// live is how much of the heap is in use.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func (g *gauge) look() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.peak = max(g.peak, live())
}

func (g *gauge) Open(_ context.Context, b sandlot.Blob, _, _ int64) (io.ReadCloser, error) {
	return io.NopCloser(&made{g: g, left: b.Size, rand: rand.New(rand.NewPCG(uint64(b.Size), 0))}), nil
}

// StageDerived reads with a buffer as large as that of the blobs on disk.
func (g *gauge) StageDerived(_ context.Context, r io.Reader) (sandlot.Blob, error) {
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, make([]byte, 256<<10))
	g.look()
	return sandlot.Blob{Size: n}, err
}

func (g *gauge) DiscardDerived(context.Context, sandlot.Blob) {}
func (g *gauge) Receiving() bool                              { return false }

type made struct {
	g    *gauge
	left int64
	rand *rand.Rand
}

func (m *made) Read(p []byte) (int, error) {
	if m.left == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), m.left)]
	m.g.kind(m.rand, p)
	const step = 512 << 10
	if m.left/step != (m.left-int64(len(p)))/step {
		m.g.look()
	}
	m.left -= int64(len(p))
	return len(p), nil
}
