package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"sandlot"
	"sandlot/internal/storage/blob"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
	"sandlot/internal/testkit/testenv"
)

func TestCache(t *testing.T) {
	for name, bound := range map[string]Options{
		"with room for all":             in(""),
		"with room for next to nothing": {Bytes: 10 * block},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.TestBlobs(t, func(t *testing.T) sandlot.Blobs {
				bound.Folder = testenv.MemoryDir(t)
				return opened(t, newRemote(t), bound)
			})
		})
	}
}

func TestWhatMatchedOnceIsNotBelievedOfSomethingElse(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(testenv.MemoryDir(t)))
	for _, size := range []int{1000, 100_000, 2*mebi + 5} {
		b, data := r.put(t, size)
		holds(t, c, b, data)
		wrong := b
		wrong.SHA256[5] ^= 1
		_, err := read(t, c, wrong, int64(size)-5, 5)
		expect.Is(t, "another SHA-256", err, sandlot.ErrCorrupt)
		if size > mebi {
			wrong = b
			wrong.Checkpoints = b.Checkpoints[:40] + "x" + b.Checkpoints[41:]
			_, err = read(t, c, wrong, mebi, 5)
			expect.Is(t, "another checkpoint", err, sandlot.ErrCorrupt)
		}
		holds(t, c, b, data)
	}
}

func TestWhatDoesNotMatchIsFetchedOnceMore(t *testing.T) {
	t.Parallel()
	for _, pointed := range []bool{true, false} {
		for _, folder := range []string{testenv.MemoryDir(t), ""} {
			r := newRemote(t)
			c := opened(t, r, in(folder))
			b, data := r.put(t, mebi+5)
			if !pointed {
				b.Checkpoints = ""
			}
			var wrong atomic.Int64
			r.change = func(_ context.Context, p []byte) error {
				if wrong.Add(-1) >= 0 {
					p[0] ^= 1
				}
				return nil
			}
			wrong.Store(1 << 30)
			got, err := read(t, c, b, 0, -1)
			if !errors.Is(err, sandlot.ErrCorrupt) || len(got) > 0 {
				t.Errorf("always: %d bytes, %v", len(got), err)
			}
			wrong.Store(1)
			holds(t, c, b, data)
		}
	}
}

func TestWithoutTheStoreWhatIsKeptIsYielded(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(testenv.MemoryDir(t)))
	b, data := r.put(t, 2*mebi)
	holds(t, c, b, data)
	cold, _ := r.put(t, 11)
	r.change = func(context.Context, []byte) error { return sandlot.ErrUnavailable }
	holds(t, c, b, data)
	_, err := read(t, c, cold, 0, -1)
	expect.Is(t, "another", err, sandlot.ErrUnavailable)
}

func TestWhatWasReadIsNotFetchedAgain(t *testing.T) {
	t.Parallel()
	r, dir := newRemote(t), testenv.MemoryDir(t)
	c := New(r, in(dir))
	for _, size := range []int{0, 1, 100, mebi, 3*mebi + 5} {
		b, data := r.put(t, size)
		holds(t, c, b, data)
		expect.Equal(t, "fetched", r.fetches(), max(1, (size+mebi-1)/mebi))
		for _, from := range []int{0, size / 2, size} {
			got, err := read(t, c, b, int64(from), -1)
			if err != nil || !bytes.Equal(got, data[from:]) {
				t.Errorf("%d from %d: %d bytes, %v", size, from, len(got), err)
			}
		}
		expect.Equal(t, "fetched again", r.fetches(), 0)
	}
	b, data := r.put(t, 7)
	holds(t, c, b, data)
	expect.Same(t, "stats", c.Stats(), Stats{Hits: 15, Misses: 6, Bytes: 4*mebi + 5*block})
	expect.OK(t, c.Close())
	r.fetches()
	again := opened(t, r, in(dir)) // a new process
	holds(t, again, b, data)
	expect.Equal(t, "fetched by a new process", r.fetches(), 0)
}

func TestALargeBlobIsReadInItsRangeAlone(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, Options{Folder: testenv.MemoryDir(t), Bytes: 10 * mebi})
	b, data := r.put(t, 8*mebi)
	for _, x := range []struct{ off, n, want int64 }{{5 * mebi, 10, 1}, {2*mebi - 1, 2, 2}, {2 * mebi, mebi, 1}, {0, -1, 8}} {
		rc, err := c.Open(t.Context(), b, x.off, x.n)
		expect.OK(t, err)
		expect.Equal(t, "fetched before the first byte", r.fetches(), 1)
		got, err := io.ReadAll(rc)
		expect.OK(t, errors.Join(err, rc.Close()))
		if x.n < 0 {
			x.n = b.Size
		}
		expect.Equal(t, "the bytes are right", bytes.Equal(got, data[x.off:x.off+x.n]), true)
		expect.Equal(t, "fetched after it", r.fetches(), int(x.want-1))
	}
	expect.Equal(t, "kept", c.Stats().Bytes, 0)
}

func TestADamagedFileIsFetchedAgain(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	for name, damage := range map[string]func(path string, held []byte) error{
		"a bit":           func(path string, held []byte) error { held[len(held)/2] ^= 1; return os.WriteFile(path, held, 0o600) },
		"cut":             func(path string, held []byte) error { return os.Truncate(path, int64(len(held)/2)) },
		"empty":           func(path string, _ []byte) error { return os.Truncate(path, 0) },
		"longer":          func(path string, held []byte) error { return os.WriteFile(path, append(held, 'x'), 0o600) },
		"removed":         func(path string, _ []byte) error { return os.Remove(path) },
		"a folder":        func(path string, _ []byte) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"its folder gone": func(path string, _ []byte) error { return os.RemoveAll(filepath.Dir(path)) },
	} {
		for _, restarted := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				dir := testenv.MemoryDir(t) + "/cache"
				c := opened(t, r, in(dir))
				b, data := r.put(t, 1000)
				holds(t, c, b, data)
				path := filepath.Join(dir, blob.Path(b.Ref))
				held, err := os.ReadFile(path)
				expect.OK(t, errors.Join(err, damage(path, held)))
				r.fetches()
				if restarted {
					c = opened(t, r, in(dir))
				}
				holds(t, c, b, data)
				holds(t, c, b, data)
				expect.Equal(t, "fetched", r.fetches(), 1)
			})
		}
	}
}

func TestABlobWithoutCheckpointsIsComparedWholeFirst(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(""))
	b, data := r.put(t, 4*mebi)
	b.Checkpoints = ""
	got, err := read(t, c, b, 3*mebi, 5)
	if err != nil || !bytes.Equal(got, data[3*mebi:][:5]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	expect.Equal(t, "fetched", r.fetches(), 5)
	// Damage anywhere is damage of all.
	data[0] ^= 1
	expect.OK(t, os.WriteFile(filepath.Join(r.dir, blob.Path(b.Ref)), data, 0o600))
	got, err = read(t, c, b, 3*mebi, 5)
	if !errors.Is(err, sandlot.ErrCorrupt) || len(got) > 0 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestTheFolderStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	r, dir := newRemote(t), testenv.MemoryDir(t)
	const kept = 20
	c := New(r, Options{Folder: dir, Bytes: kept * block})
	first, data := r.put(t, 10)
	for i := range 2 * kept {
		b, other := r.put(t, block+i%2*block)
		holds(t, c, b, other)
		holds(t, c, first, data) // so that it is never the least recently used one
	}
	_, size := files(t, dir)
	if held := c.Stats().Bytes; size > kept*block || held > kept*block || held < (kept-1)*block {
		t.Errorf("%d bytes in the folder, %d counted", size, held)
	}
	r.fetches()
	holds(t, c, first, data)
	expect.Equal(t, "fetched", r.fetches(), 0)
	expect.OK(t, c.Close())

	// A process with less room begins with the existing files.
	less := opened(t, r, Options{Folder: dir, Bytes: 2 * block})
	less.folder.walk.Wait()
	if _, size := files(t, dir); size > 2*block {
		t.Errorf("%d bytes", size)
	}
}

func TestWhatIsNotOursInTheFolderStays(t *testing.T) {
	t.Parallel()
	r, dir := newRemote(t), testenv.MemoryDir(t)
	expect.OK(t, os.Mkdir(filepath.Join(dir, "00"), 0o700))
	theirs := []string{"notes.txt", "00/photo.jpg", "00/" + string(blob.NewRef())[1:]}
	for _, name := range theirs {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	c := opened(t, r, Options{Folder: dir, Bytes: 10 * block})
	for range 13 {
		b, data := r.put(t, 10)
		holds(t, c, b, data)
	}
	c.folder.walk.Wait()
	for _, name := range theirs {
		_, err := os.Lstat(filepath.Join(dir, name))
		expect.OK(t, err)
	}
}

func TestWhereTheDiskTakesNothingAllIsYielded(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(noFolder(t)))
	b, data := r.put(t, mebi)
	holds(t, c, b, data)
	// And memory has its bound.
	var open []io.ReadCloser
	for range mostStreams {
		rc, err := c.Open(t.Context(), b, 0, -1)
		expect.OK(t, err)
		open = append(open, rc)
	}
	_, err := c.Open(t.Context(), b, 0, -1)
	expect.Is(t, "one more", err, sandlot.ErrUnavailable)
	for _, rc := range open {
		rc.Close()
	}
	holds(t, c, b, data)
	expect.Equal(t, "open", c.streams.Load(), 0)
}

func TestThoseWhoComeAtOnceCauseOneFetch(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(testenv.MemoryDir(t)))
	b, data := r.put(t, 10)
	begun, proceed := make(chan struct{}, 32), make(chan struct{})
	r.change = func(context.Context, []byte) error { begun <- struct{}{}; <-proceed; return nil }
	gone, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { _, err := c.Open(gone, b, 0, -1); left <- err }()
	<-begun
	leave() // the caller who began it
	expect.Is(t, "the caller that left", <-left, context.Canceled)
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() { holds(t, c, b, data) })
	}
	close(proceed)
	all.Wait()
	expect.Equal(t, "fetched", r.fetches(), 1)
}

func TestAClosedCacheFails(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := New(r, in(testenv.MemoryDir(t)))
	b, _ := r.put(t, 10)
	begun := make(chan struct{})
	r.change = func(ctx context.Context, _ []byte) error { close(begun); <-ctx.Done(); return ctx.Err() }
	got := make(chan error, 1)
	go func() { _, err := c.Open(t.Context(), b, 0, -1); got <- err }()
	<-begun
	expect.OK(t, c.Close())
	expect.Is(t, "under way", <-got, sandlot.ErrUnavailable)
}
