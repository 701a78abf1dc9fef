package transfer

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// endless is a Source whose blobs are made while they are read, and which looks at the heap now and then.
type endless struct {
	files []sandlot.File
	bytes int64 // yielded so far
	peak  uint64
}

func (e *endless) FilesWith(context.Context, sandlot.ProjectID, int, string) ([]sandlot.File, error) {
	return e.files, nil
}

func (e *endless) Described(context.Context, sandlot.ProjectID) (publish.Details, error) {
	return publish.Details{}, nil
}

func (e *endless) VersionsBelow(context.Context, sandlot.ProjectID, int, int) ([]sandlot.VersionChange, error) {
	return nil, nil
}

func (e *endless) Open(_ context.Context, b sandlot.Blob, _, n int64) (io.ReadCloser, error) {
	if n < 0 {
		n = b.Size
	}
	return io.NopCloser(&made{e: e, left: n, size: n}), nil
}

// made yields bytes, and begins like a gzip member.
type made struct {
	e          *endless
	left, size int64
}

func (m *made) Read(p []byte) (int, error) {
	if m.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), m.left))
	for i := range n {
		p[i] = byte(i)
	}
	if m.left == m.size {
		copy(p[:n], []byte{0x1f, 0x8b, 8, 0})
	}
	m.left -= int64(n)
	const step = 4 << 20
	if m.e.bytes += int64(n); m.e.bytes/step != (m.e.bytes-int64(n))/step {
		m.e.peak = max(m.e.peak, live())
	}
	return n, nil
}

// live is how much of the heap is in use.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestSoakMemory(t *testing.T) {
	testenv.Unraced(t)
	for _, c := range []struct {
		what  string
		files int
		size  int64
		limit int64 // bytes over idle
	}{
		{"an export of 300 MB takes less than 512 KiB", 6, 50 << 20, 512 << 10},
		// Measured: 270 bytes a file with short names, most of it in the directory of archive/zip.
		{"10,000 files take less than 1 KiB each", 10_000, 20_000, 10_000 << 10},
	} {
		t.Run(c.what, func(t *testing.T) {
			src := &endless{}
			for i := range c.files {
				f := sandlot.File{Name: fmt.Sprintf("level%05d.js", i), Blob: sandlot.Blob{Size: c.size}}
				if i%2 == 0 {
					f.Variants = []sandlot.Variant{{Encoding: "gzip", Blob: f.Blob}}
				}
				src.files = append(src.files, f)
			}
			e := newShelf().export("maze-abc123")
			idle := live()
			expect.OK(t, Write(context.Background(), io.Discard, e, src))
			over := int64(max(src.peak, idle)) - int64(idle)
			t.Logf("%d bytes over idle", over)
			if over == 0 || over > c.limit {
				t.Errorf("%d bytes over idle, want at most %d", over, c.limit)
			}
		})
	}
}
