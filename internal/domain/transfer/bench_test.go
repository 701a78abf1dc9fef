package transfer

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"testing"

	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// sink takes bytes as a socket does: it offers no shortcut.
type sink struct{ n int64 }

func (s *sink) Write(p []byte) (int, error) {
	s.n += int64(len(p))
	return len(p), nil
}

// BenchmarkExport compares an export with copying the same files, and with an archive that compresses them. MB/s are
// of the files' own bytes.
func BenchmarkExport(b *testing.B) {
	text := words(1 << 20)
	plain, squeezed := newShelf(), newShelf()
	for range 16 {
		plain.add("maze-abc123", "game.js", text)
		squeezed.pack(b, squeezed.add("maze-abc123", "game.js", text))
	}
	total := int64(16 * len(text))
	for _, c := range []struct {
		name string
		run  func(io.Writer) error
	}{
		{"copying", func(w io.Writer) error { return copyAll(w, plain) }},
		{"plain", func(w io.Writer) error { return Write(context.Background(), w, plain.export("maze-abc123"), plain) }},
		{"variants", func(w io.Writer) error {
			return Write(context.Background(), w, squeezed.export("maze-abc123"), squeezed)
		}},
		{"deflating", func(w io.Writer) error { return deflateAll(w, plain) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(total)
			b.ReportAllocs()
			for b.Loop() {
				expect.OK(b, c.run(&sink{}))
			}
		})
	}
}

func copyAll(w io.Writer, s *shelf) error {
	buf := make([]byte, writeBuffer)
	for _, f := range s.files["maze-abc123"] {
		r := struct{ io.Reader }{bytes.NewReader(s.blobs[f.Blob.Ref])}
		if _, err := io.CopyBuffer(w, r, buf); err != nil {
			return err
		}
	}
	return nil
}

func deflateAll(w io.Writer, s *shelf) error {
	z := zip.NewWriter(w)
	for _, f := range s.files["maze-abc123"] {
		e, err := z.Create(f.Name)
		if err != nil {
			return err
		}
		if _, err := e.Write(s.blobs[f.Blob.Ref]); err != nil {
			return err
		}
	}
	return z.Close()
}

// words is text that compresses about as well as a program does.
func words(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([][]byte, 4000)
	for i := range vocabulary {
		w := make([]byte, 2+r.IntN(9))
		for j := range w {
			w[j] = byte('a' + r.IntN(26))
		}
		vocabulary[i] = append(w, " .;(){}=\n"[r.IntN(9)])
	}
	var out []byte
	for len(out) < n {
		u := r.Float64()
		out = append(out, vocabulary[int(u*u*u*4000)]...)
	}
	return out[:n]
}

var _ Source = (*publish.Contents)(nil)
