package squeeze

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// instructions fills p with bytes that compress about as well as WebAssembly does: few opcodes, small numbers, and
// repeated stretches.
func instructions(r *rand.Rand, p []byte) {
	for i := 0; i < len(p); {
		if i > 64 && r.IntN(3) == 0 {
			from, n := max(0, i-1-r.IntN(min(i, 60_000))), 4+r.IntN(20)
			i += copy(p[i:], p[from:min(i, from+n)])
			continue
		}
		var op [6]byte
		op[0] = "\x20\x21\x41\x6a\x28\x36\x0b\x10"[r.IntN(8)]
		n := 1 + binary.PutUvarint(op[1:], uint64(r.IntN(1+r.IntN(3000))))
		i += copy(p[i:], op[:n])
	}
}

// wasm is a program as an engine exports it.
func wasm(n int) []byte {
	out := make([]byte, n)
	instructions(rand.New(rand.NewPCG(1, 1)), out)
	copy(out, "\x00asm\x01\x00\x00\x00")
	return out
}

func TestRegression18LargeProgramsAndDataGetTheirVariants(t *testing.T) {
	b := newBench()
	data := wasm(large + 1<<20) // any that is larger than large is compressed at the same levels
	f := b.add("godot.wasm", data)
	rests := 0
	b.shelf.receiving = func() bool { rests++; return false }
	b.round(t)
	variants, ok := b.records.recorded(f)
	if !ok || len(variants) != 3 {
		t.Fatalf("recorded %v: %v", encodings(variants), ok)
	}
	for _, v := range variants {
		t.Logf("%s: %.2f of the size", v.Encoding, float64(v.Blob.Size)/float64(len(data)))
		if v.Blob.Size > f.Blob.Size*3/4 {
			t.Errorf("%s has %d bytes of %d", v.Encoding, v.Blob.Size, f.Blob.Size)
		}
		if got := decode(t, v.Encoding, b.shelf.blobs[v.Blob.Ref], len(data)); !bytes.Equal(got, data) {
			t.Errorf("%s unpacks to something else", v.Encoding)
		}
	}
	if least := 3 * len(data) / restEvery; rests < least {
		t.Errorf("it looked %d times whether to rest, want %d or more", rests, least)
	}
	b.clean(t)
}

func TestSoakRegression18LargeFilesTakeNoMoreMemory(t *testing.T) {
	testenv.Unraced(t)
	for name, size := range map[string]int64{"large": 37_000_000, "huge": huge + 1} {
		t.Run(name, func(t *testing.T) {
			g := &gauge{kind: instructions}
			idle := live()
			w := New(&records{made: map[int64][]sandlot.Variant{}}, g, slog.New(slog.DiscardHandler), nil)
			for _, f := range formats(size) { // at the levels of that size; that memory does not grow with it shows before its end
				r := &made{g: g, left: 16 << 20, rand: rand.New(rand.NewPCG(1, 2))}
				expect.OK(t, f.compress(io.Discard, &calm{ctx: context.Background(), r: r, rest: w.rest}))
			}
			over := int64(g.peak) - int64(idle)
			t.Logf("%.2f MiB over idle", float64(over)/(1<<20))
			if over > 8<<20 {
				t.Errorf("%d bytes over idle", over)
			}
		})
	}
}

func TestRegression18ARoundEndsSoThatOthersHaveTheirTurn(t *testing.T) {
	b := newBench()
	first := b.add("a.json", make([]byte, large))
	second := b.add("b.json", make([]byte, 1000))
	if n := b.round(t); n != 1 {
		t.Errorf("a round looked at %d files after 16 MiB", n)
	}
	if _, ok := b.records.recorded(first); !ok {
		t.Error("the first has no variants")
	}
	if n := b.round(t); n != 1 {
		t.Errorf("the next round looked at %d files", n)
	}
	if _, ok := b.records.recorded(second); !ok {
		t.Error("the second has no variants")
	}
}
