package squeeze

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
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

func TestSoakMemory(t *testing.T) {
	testenv.Unraced(t)
	text := program(1 << 20)
	for name, kind := range map[string]func(*rand.Rand, []byte){
		"code": func(r *rand.Rand, p []byte) {
			for len(p) > 0 { // pieces of it, so that repetitions are near and far
				at := r.IntN(len(text) - 100)
				p = p[copy(p, text[at:at+5+r.IntN(95)]):]
			}
		},
		"digits": func(r *rand.Rand, p []byte) {
			for i := range p {
				p[i] = byte('0' + r.IntN(10))
			}
		},
		"short repeats": func(r *rand.Rand, p []byte) { // many commands for brotli, each a few bytes
			for len(p) > 0 {
				word := uint32(r.IntN(1<<12)) * 2654435761
				p = p[copy(p, []byte{byte(word), byte(word >> 8), byte(word >> 16), byte(word >> 24), byte(r.Uint32())}):]
			}
		},
		"noise": func(r *rand.Rand, p []byte) {
			for i := range p {
				p[i] = byte(r.Uint32())
			}
		},
	} {
		t.Run("less than 8 MiB over idle for files up to 16 MiB of "+name, func(t *testing.T) {
			g := &gauge{kind: kind}
			records := &records{made: map[int64][]sandlot.Variant{}}
			for i, size := range []int64{together, together, large, 10 << 10, together} {
				records.files = append(records.files, sandlot.File{Name: "data.json", Blob: sandlot.Blob{ID: int64(i + 1), Size: size}})
			}
			idle := live()
			w := New(records, g, slog.New(slog.DiscardHandler), nil)
			_, err := w.Round(context.Background())
			expect.OK(t, err)
			over := int64(g.peak) - int64(idle)
			t.Logf("%.2f MiB over idle", float64(over)/(1<<20))
			if over <= 0 || over > 8<<20 {
				t.Errorf("%d bytes over idle", over)
			}
			w.release()
			if left := int64(live()) - int64(idle); left > 256<<10 {
				t.Errorf("%d bytes are kept when there is nothing to do", left)
			}
		})
	}
}
