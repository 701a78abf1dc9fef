package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sandlot"
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/storage/blob"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	mebi     = checkpoint.Step
	waitLong = 30 * time.Second
)

// remote is a store whose bytes are not compared: those of a Disk, as they lie there.
type remote struct {
	*blob.Disk
	dir     string
	fetched atomic.Int64
	// change, if it is set, may change each answer.
	change func(ctx context.Context, p []byte) error
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	dir := testenv.MemoryDir(t)
	d, err := blob.OpenDisk(dir, blob.Options{})
	expect.OK(t, err)
	t.Cleanup(func() { d.Close() })
	return &remote{Disk: d, dir: dir}
}

// Fetch implements Store.
func (r *remote) Fetch(ctx context.Context, ref sandlot.BlobRef, size, off int64, p []byte) error {
	r.fetched.Add(1)
	f, err := os.Open(filepath.Join(r.dir, blob.Path(ref)))
	if errors.Is(err, fs.ErrNotExist) {
		return sandlot.ErrNotFound
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || fi.Size() != size {
		return sandlot.ErrCorrupt
	}
	if _, err := f.ReadAt(p, off); err != nil && err != io.EOF {
		return err
	}
	if r.change != nil {
		return r.change(ctx, p)
	}
	return ctx.Err()
}

// fetches returns how many MiBs were fetched since its last call.
func (r *remote) fetches() int { return int(r.fetched.Swap(0)) }

// put stores n bytes and describes them as the record would, with checkpoints.
func (r *remote) put(t *testing.T, n int) (sandlot.Blob, []byte) {
	t.Helper()
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)}).Read(data)
	b, err := r.Put(t.Context(), r.Name(), bytes.NewReader(data))
	expect.OK(t, err)
	h := checkpoint.New()
	_, _ = h.Write(data) // never fails
	b.SHA256, b.Checkpoints = sha256.Sum256(data), h.Points()
	return b, data
}

// a generous bound.
func in(folder string) Options { return Options{Folder: folder, Bytes: 1 << 30} }

func opened(t *testing.T, r *remote, opts Options) *Blobs {
	t.Helper()
	c := New(r, opts)
	t.Cleanup(func() { c.Close() })
	return c
}

func read(t *testing.T, c *Blobs, b sandlot.Blob, off, n int64) ([]byte, error) {
	t.Helper()
	r, err := c.Open(t.Context(), b, off, n)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func holds(t *testing.T, c *Blobs, b sandlot.Blob, data []byte) {
	t.Helper()
	got, err := read(t, c, b, 0, -1)
	expect.OK(t, err)
	if !bytes.Equal(got, data) {
		t.Errorf("got %d bytes, which are not the %d that were stored", len(got), len(data))
	}
}

// files are the blobs in a folder.
func files(t *testing.T, folder string) (paths []string, size int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(path)) == "tmp" {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			paths, size = append(paths, path), size+fi.Size()
		}
		return err
	})
	expect.OK(t, err)
	return paths, size
}

// noFolder is a path where no folder can be made.
func noFolder(t *testing.T) string {
	t.Helper()
	path := filepath.Join(testenv.MemoryDir(t), "file")
	expect.OK(t, os.WriteFile(path, nil, 0o600))
	return filepath.Join(path, "cache")
}
