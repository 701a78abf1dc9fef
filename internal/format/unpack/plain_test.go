package unpack

import (
	"archive/tar"
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A gauge is the largest heap that was seen after a garbage collection.
type gauge struct{ idle, most uint64 }

func newGauge() *gauge { return &gauge{idle: inUse()} }

func (g *gauge) look() { g.most = max(g.most, inUse()) }

func (g *gauge) over() uint64 { return max(g.most, g.idle) - g.idle }

func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// An archive of 10,000 files, or of a large one that is packed to a thousandth, is read in the memory of its names and
// one window.
func TestSoakArchivesAreReadInConstantMemory(t *testing.T) {
	testenv.Unraced(t)
	const mostOver = 24 << 20
	for name, files := range map[string][]int64{"one large file": {128 << 20}, "many files": make([]int64, 10_000)} {
		for _, f := range []Format{ZIP, TarGzip, TarZstd} {
			t.Run(name+", "+string(f), func(t *testing.T) {
				at := writeArchive(t, f, files)
				g := newGauge()
				n := 0
				each := func(_ Entry, r io.Reader) error {
					if n++; n%5000 == 1 {
						_, err := io.CopyN(io.Discard, r, 64<<20)
						g.look()
						if err != nil && err != io.EOF {
							return err
						}
					}
					_, err := io.Copy(io.Discard, r)
					return err
				}
				expect.OK(t, readFrom(at, f, Limits{Entries: 20_000, File: 1 << 30, Total: 1 << 30}, each))
				expect.Equal(t, "files", n, len(files))
				if over := g.over(); over > mostOver {
					t.Errorf("%d bytes over idle", over)
				}
				t.Logf("%d KiB over idle", g.over()>>10)
			})
		}
	}
}

func readFrom(at string, f Format, lim Limits, each Each) error {
	in, err := os.Open(at)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if f == ZIP {
		return ReadZIP(in, info.Size(), lim, each)
	}
	return ReadTar(in, f, lim, each)
}

// writeArchive packs files of zeros of those sizes.
func writeArchive(t *testing.T, f Format, sizes []int64) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "archive")
	out, err := os.Create(at)
	expect.OK(t, err)
	defer out.Close()
	if f == ZIP {
		w := zip.NewWriter(out)
		for i, n := range sizes {
			part, err := w.Create("folder/file" + strconv.Itoa(i))
			expect.OK(t, errors.Join(err, zeros(part, n)))
		}
		expect.OK(t, w.Close())
		return at
	}
	var packer io.WriteCloser = gzip.NewWriter(out)
	if f == TarZstd {
		packer, err = zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(maxZstdWindow))
		expect.OK(t, err)
	}
	w := tar.NewWriter(packer)
	for i, n := range sizes {
		expect.OK(t, errors.Join(w.WriteHeader(&tar.Header{Name: "folder/file" + strconv.Itoa(i), Size: n}), zeros(w, n)))
	}
	expect.OK(t, errors.Join(w.Close(), packer.Close()))
	return at
}

func zeros(w io.Writer, n int64) error {
	block := make([]byte, 1<<20)
	for ; n > 0; n -= int64(len(block)) {
		if _, err := w.Write(block[:min(n, int64(len(block)))]); err != nil {
			return err
		}
	}
	return nil
}
