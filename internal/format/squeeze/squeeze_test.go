package squeeze

import (
	"bytes"
	"compress/flate"
	stdgzip "compress/gzip"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// decode unpacks a variant with a decoder for its encoding, to size bytes if all is well.
func decode(t *testing.T, encoding string, data []byte, size int) []byte {
	t.Helper()
	var r io.Reader
	var err error
	switch encoding {
	case "br":
		r = brotli.NewReader(bytes.NewReader(data))
	case "zstd":
		var d *zstd.Decoder
		d, err = zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
		defer d.Close()
		r = d
	case "gzip":
		r, err = stdgzip.NewReader(bytes.NewReader(data))
	default:
		t.Fatalf("encoding %q", encoding)
	}
	expect.OK(t, err)
	var out bytes.Buffer
	out.Grow(size + bytes.MinRead)
	_, err = out.ReadFrom(r)
	expect.OK(t, err, encoding)
	return out.Bytes()
}

func encodings(variants []sandlot.Variant) []string {
	out := []string{}
	for _, v := range variants {
		out = append(out, v.Encoding)
	}
	return out
}

func TestVariants(t *testing.T) {
	t.Run("each format decodes back to the bytes, and is smaller", func(t *testing.T) {
		b := newBench()
		// From the smallest to beyond the limit of compressing together, and back: compressors are used again.
		sizes := []int{1000, 10 << 10, together, together + 1, 1 << 20, 10 << 10, 1000}
		var files []sandlot.File
		for i, n := range sizes {
			files = append(files, b.add(fmt.Sprintf("game%d.js", i), program(n)))
		}
		expect.Equal(t, "files were looked at", b.round(t), len(sizes))
		for _, f := range files {
			variants, _ := b.records.recorded(f)
			if diff := cmp.Diff([]string{"br", "zstd", "gzip"}, encodings(variants)); diff != "" {
				t.Errorf("%d bytes (-want +got):\n%s", f.Blob.Size, diff)
			}
			plain := b.shelf.blobs[f.Blob.Ref]
			for _, v := range variants {
				if got := decode(t, v.Encoding, b.shelf.blobs[v.Blob.Ref], len(plain)); !bytes.Equal(got, plain) {
					t.Errorf("%s of %d bytes decodes to other bytes", v.Encoding, len(plain))
				}
				if v.Blob.Size >= f.Blob.Size || v.CRC32 != crc32.ChecksumIEEE(plain) {
					t.Errorf("%s of %d bytes: %d bytes, CRC %08x", v.Encoding, len(plain), v.Blob.Size, v.CRC32)
				}
			}
		}
		b.clean(t)
	})
	t.Run("the same bytes give the same variants, whatever came before", func(t *testing.T) {
		b := newBench()
		first, _, again := b.add("a.js", program(5000)), b.add("b.js", program(200_000)), b.add("c.js", program(5000))
		b.round(t)
		x, _ := b.records.recorded(first)
		y, _ := b.records.recorded(again)
		for i := range x {
			if x[i].Blob.SHA256 != y[i].Blob.SHA256 {
				t.Errorf("%s differs", x[i].Encoding)
			}
		}
	})
	t.Run("a gzip member has a header of 10 bytes and a trailer of 8", func(t *testing.T) {
		b := newBench()
		f := b.add("game.js", program(100_000))
		b.round(t)
		variants, _ := b.records.recorded(f)
		member := b.shelf.blobs[variants[2].Blob.Ref]
		if want := []byte{0x1f, 0x8b, 8, 0}; !bytes.Equal(member[:4], want) {
			t.Fatalf("it begins %x: there are optional fields", member[:10])
		}
		stream := bytes.NewReader(member[10 : len(member)-8])
		got, err := io.ReadAll(flate.NewReader(stream))
		if err != nil || stream.Len() != 0 || !bytes.Equal(got, program(100_000)) {
			t.Errorf("what lies between is not the deflate stream: %v, %d bytes left", err, stream.Len())
		}
	})
}

func TestNone(t *testing.T) {
	t.Run("what does not get smaller has no variant", func(t *testing.T) {
		b := newBench()
		f := b.add("level.bin", noise(10_000))
		b.round(t)
		if v, ok := b.records.recorded(f); !ok || len(v) > 0 {
			t.Errorf("recorded %v: %v", ok, encodings(v))
		}
		expect.Equal(t, "were tried", b.shelf.staged, 3)
		b.clean(t)
	})
	t.Run("only the formats that are smaller are kept", func(t *testing.T) {
		b := newBench()
		f := b.add("level.bin", noise(10_000))
		b.formats[1].make = func() (encoder, error) { return &nothing{}, nil }
		b.round(t)
		v, _ := b.records.recorded(f)
		expect.Same(t, "encodings", encodings(v), []string{"zstd"})
		b.clean(t)
	})
	for _, c := range []struct {
		what, name string
		data       []byte
	}{
		{"a file that is too small", "index.html", program(minSize - 1)},
		{"an empty file", "index.html", nil},
		{"a file of a type that is compressed already", "hero.png", program(5000)},
		{"a file that was compressed before it was published", "game.wasm.br", program(5000)},
		{"a file of unknown type", "README", program(5000)},
	} {
		t.Run(c.what+" is recorded with none, and not read", func(t *testing.T) {
			b := newBench()
			f := b.add(c.name, c.data)
			b.round(t)
			if v, ok := b.records.recorded(f); !ok || len(v) > 0 {
				t.Errorf("recorded %v: %v", ok, encodings(v))
			}
			if b.shelf.opened > 0 {
				t.Error("it was read")
			}
		})
	}
	for _, size := range []int{minSize, large, large + 1} {
		t.Run(fmt.Sprintf("a file of %d bytes is not too small, and none is too large", size), func(t *testing.T) {
			b := newBench()
			f := b.add("data.json", make([]byte, size))
			b.round(t)
			if v, _ := b.records.recorded(f); len(v) != 3 {
				t.Errorf("recorded %v", encodings(v))
			}
		})
	}
}

// nothing is a compressor with no output.
type nothing struct{}

func (nothing) Write(p []byte) (int, error) { return len(p), nil }
func (nothing) Close() error                { return nil }
func (nothing) Reset(io.Writer)             {}

func TestDamaged(t *testing.T) {
	for what, err := range map[string]error{"corrupt": sandlot.ErrCorrupt, "missing": sandlot.ErrNotFound} {
		t.Run("a "+what+" file is logged, and recorded as made", func(t *testing.T) {
			b := newBench()
			f, next := b.add("game.js", program(5000)), b.add("next.js", program(5000))
			b.shelf.broken[f.Blob.Ref] = fmt.Errorf("open: %w", err)
			b.round(t)
			if v, ok := b.records.recorded(f); !ok || len(v) > 0 {
				t.Errorf("recorded %v: %v", ok, encodings(v))
			}
			if v, _ := b.records.recorded(next); len(v) != 3 {
				t.Errorf("the next file has %v", encodings(v))
			}
			if log := b.log.String(); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "blob=1") {
				t.Errorf("logged %q", log)
			}
		})
	}
	t.Run("a file that fails does not keep others from their variants", func(t *testing.T) {
		b := newBench()
		bad, good := b.add("bad.js", program(5000)), b.add("good.js", program(5000))
		b.shelf.broken[bad.Blob.Ref] = errors.New("input/output error")
		if _, err := b.Round(context.Background()); err == nil || !strings.Contains(err.Error(), "blob 1") {
			t.Errorf("got %v", err)
		}
		if _, ok := b.records.recorded(bad); ok {
			t.Error("the failed file is recorded as made")
		}
		if v, _ := b.records.recorded(good); len(v) != 3 {
			t.Errorf("the good file has %v", encodings(v))
		}
	})
}

func TestOrder(t *testing.T) {
	b := newBench()
	var want []int64
	for i := range batch + 5 {
		want = append(want, b.add(fmt.Sprintf("%d.js", 100-i), program(300)).Blob.ID)
	}
	for b.round(t) > 0 {
	}
	t.Run("oldest first", func(t *testing.T) {
		expect.Same(t, "order", b.records.order, want)
	})
	t.Run("a bounded number at a time", func(t *testing.T) {
		expect.Same(t, "asked", b.records.asked, []int{batch, batch, batch})
	})
}
