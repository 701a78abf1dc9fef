package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/blob"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
	"sandlot/internal/testkit/testenv"
)

func TestCache(t *testing.T) {
	for name, bound := range map[string]Options{
		"with room for all":             in(""),
		"with room for next to nothing": {Bytes: mebi + diskBlock, Entries: 2},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.TestBlobs(t, func(t *testing.T) publish.Blobs {
				bound.Folder = testenv.MemoryDir(t)
				return opened(t, newRemote(t), bound)
			})
		})
	}
}

func TestWhatWasReadIsNotFetchedAgain(t *testing.T) {
	t.Parallel()
	r, dir := newRemote(t), testenv.MemoryDir(t)
	c := opened(t, r, in(dir))
	for _, size := range []int{0, 1, 100, blockSize, blockSize + 1, mebi, 3*mebi + 5} {
		b, data := r.put(t, size)
		pieces := max(1, (size+mebi-1)/mebi)
		holds(t, c, b, data)
		expect.Equal(t, "fetched", r.fetches(), pieces)
		for _, from := range []int{0, size / 2, size} {
			got, err := read(t, c, b, int64(from), -1)
			if err != nil || !bytes.Equal(got, data[from:]) {
				t.Errorf("%d from %d: %d bytes, %v", size, from, len(got), err)
			}
		}
		expect.Equal(t, "fetched again", r.fetches(), 0)
		// A new process finds it.
		again := opened(t, r, in(dir))
		holds(t, again, b, data)
		expect.Equal(t, "fetched by a new process", r.fetches(), 0)
		again.Close()
	}
	if s := c.Stats(); s.Misses != 10 || s.Hits == 0 || s.Corrupt != 0 || s.Unsaved != 0 || s.Entries != 10 {
		t.Errorf("stats %+v", s)
	}
}

func TestARangeFetchesItsMiBsAlone(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(testenv.MemoryDir(t)))
	b, data := r.put(t, 8*mebi)
	for _, x := range []struct{ off, n, want int64 }{{5 * mebi, 10, 1}, {5*mebi + 5, 100, 0}, {2*mebi - 1, 2, 2}, {2 * mebi, mebi, 0}} {
		got, err := read(t, c, b, x.off, x.n)
		if err != nil || !bytes.Equal(got, data[x.off:x.off+x.n]) {
			t.Errorf("%d from %d: %d bytes, %v", x.n, x.off, len(got), err)
		}
		expect.Equal(t, "fetched", r.fetches(), int(x.want))
	}
}

func TestADamagedFileIsFetchedAgain(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	for name, damage := range map[string]func(path string, held []byte) error{
		"a bit":           func(path string, held []byte) error { held[len(held)/2] ^= 1; return os.WriteFile(path, held, 0o600) },
		"cut":             func(path string, held []byte) error { return os.Truncate(path, int64(len(held)/2)) },
		"zeros":           func(path string, held []byte) error { return os.WriteFile(path, make([]byte, len(held)), 0o600) },
		"empty":           func(path string, _ []byte) error { return os.Truncate(path, 0) },
		"longer":          func(path string, held []byte) error { return os.WriteFile(path, append(held, 'x'), 0o600) },
		"removed":         func(path string, _ []byte) error { return os.Remove(path) },
		"a folder":        func(path string, _ []byte) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"its folder gone": func(path string, _ []byte) error { return os.RemoveAll(filepath.Dir(path)) },
		"all gone":        func(path string, _ []byte) error { return os.RemoveAll(filepath.Dir(filepath.Dir(path))) },
	} {
		for _, size := range []int{1000, 2*mebi + 5} {
			for _, restarted := range []bool{false, true} {
				t.Run(name, func(t *testing.T) {
					dir := testenv.MemoryDir(t) + "/cache"
					c := opened(t, r, in(dir))
					b, data := r.put(t, size)
					holds(t, c, b, data)
					paths, _ := kept(t, dir)
					for _, path := range paths {
						held, err := os.ReadFile(path)
						if err == nil {
							err = damage(path, held)
						}
						if err != nil && !errors.Is(err, fs.ErrNotExist) {
							t.Fatal(err)
						}
					}
					r.fetches()
					if restarted {
						c = opened(t, r, in(dir))
					}
					holds(t, c, b, data)
					expect.Equal(t, "fetched", r.fetches(), len(paths))
					holds(t, c, b, data)
					expect.Equal(t, "fetched after that", r.fetches(), 0)
				})
			}
		}
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

func TestAFileThatIsDamagedUnderItsReaderIsFetchedAgain(t *testing.T) {
	t.Parallel()
	r, dir := newRemote(t), testenv.MemoryDir(t)
	c := opened(t, r, in(dir))
	b, data := r.put(t, 2*mebi)
	holds(t, c, b, data)
	rc, err := c.Open(t.Context(), b, 0, -1)
	expect.OK(t, err)
	defer rc.Close()
	got := make([]byte, 100)
	_, err = io.ReadFull(rc, got)
	expect.OK(t, err)
	paths, _ := kept(t, dir)
	for _, path := range paths {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		expect.OK(t, err)
		_, err = f.WriteAt([]byte("other bytes"), mebi/2)
		expect.OK(t, errors.Join(err, f.Close()))
	}
	rest, err := io.ReadAll(rc)
	if err != nil || !bytes.Equal(append(got, rest...), data) {
		t.Errorf("%d bytes, %v", len(got)+len(rest), err)
	}
	if c.Stats().Corrupt != 2 {
		t.Errorf("stats %+v", c.Stats())
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

func TestABlobWithoutCheckpointsIsComparedWholeFirst(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(testenv.MemoryDir(t)))
	b, data := r.put(t, 4*mebi)
	b.Checkpoints = ""
	got, err := read(t, c, b, 3*mebi, 5)
	if err != nil || !bytes.Equal(got, data[3*mebi:][:5]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	expect.Equal(t, "fetched", r.fetches(), 4)
	holds(t, c, b, data)
	expect.Equal(t, "fetched then", r.fetches(), 0)
	// Damage anywhere is damage of all.
	path := filepath.Join(r.dir, blob.Path(b.Ref))
	bad := bytes.Clone(data)
	bad[0] ^= 1
	expect.OK(t, os.WriteFile(path, bad, 0o600))
	other := opened(t, r, in(testenv.MemoryDir(t)))
	got, err = read(t, other, b, 3*mebi, 5)
	if !errors.Is(err, sandlot.ErrCorrupt) || len(got) > 0 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestTheFolderStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	r, dir := newRemote(t), testenv.MemoryDir(t)
	c := opened(t, r, Options{Folder: dir, Bytes: 4 * mebi, Entries: 100})
	first, data := r.put(t, mebi)
	holds(t, c, first, data)
	for i := range 12 {
		b, other := r.put(t, mebi-i)
		holds(t, c, b, other)
		holds(t, c, first, data) // so that it is never the least recently used one
	}
	if _, size := kept(t, dir); size > 4*mebi || size < 3*mebi {
		t.Errorf("%d bytes in the folder", size)
	}
	expect.Equal(t, "fetched", r.fetches(), 13)
	if s := c.Stats(); s.Bytes > 4*mebi || s.Entries != 4 {
		t.Errorf("stats %+v", s)
	}

	// A process with less room begins with what is there.
	less := opened(t, r, Options{Folder: dir, Bytes: 1 << 30, Entries: 2})
	less.files.walking.Wait()
	if paths, _ := kept(t, dir); len(paths) != 2 {
		t.Errorf("%d files", len(paths))
	}
}

func TestWhatIsNotOursInTheFolderStays(t *testing.T) {
	t.Parallel()
	r, dir := newRemote(t), testenv.MemoryDir(t)
	expect.OK(t, os.Mkdir(filepath.Join(dir, "00"), 0o700))
	ref := string(blob.NewRef())
	theirs := []string{"notes.txt", "00/photo.jpg", "00/" + ref, "00/" + ref + ".x", "00/" + ref + ".01"}
	for _, name := range theirs {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	c := opened(t, r, Options{Folder: dir, Bytes: mebi, Entries: 1})
	for range 3 {
		b, data := r.put(t, 10)
		holds(t, c, b, data)
	}
	c.files.walking.Wait()
	for _, name := range theirs {
		_, err := os.Lstat(filepath.Join(dir, name))
		expect.OK(t, err)
	}
}

func TestADeletedBlobLeavesTheFolder(t *testing.T) {
	t.Parallel()
	r, dir := newRemote(t), testenv.MemoryDir(t)
	c := opened(t, r, in(dir))
	b, data := r.put(t, 3*mebi)
	holds(t, c, b, data)
	expect.OK(t, c.Delete(t.Context(), b.Ref))
	if paths, _ := kept(t, dir); len(paths) > 0 || c.Stats().Entries > 0 {
		t.Errorf("left: %q, %+v", paths, c.Stats())
	}
	_, err := read(t, c, b, 0, 1)
	expect.Is(t, "read", err, sandlot.ErrNotFound)
}

func TestWithoutTheStoreWhatIsKeptIsYielded(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(testenv.MemoryDir(t)))
	b, data := r.put(t, 2*mebi)
	holds(t, c, b, data)
	cold, _ := r.put(t, 10)
	r.change = func(context.Context, []byte) error { return sandlot.ErrUnavailable }
	holds(t, c, b, data)
	_, err := read(t, c, cold, 0, -1)
	expect.Is(t, "another", err, sandlot.ErrUnavailable)
}

func TestWhereTheDiskTakesNothingAllIsYielded(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := opened(t, r, in(noFolder(t)))
	b, data := r.put(t, mebi)
	holds(t, c, b, data)
	holds(t, c, b, data)
	if s := c.Stats(); s.Unsaved != 2 || s.Bytes != 0 || s.Entries != 0 {
		t.Errorf("stats %+v", s)
	}
	// And memory has its bound.
	var open []io.ReadCloser
	for range mostHeld {
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
	expect.Equal(t, "held", c.held.Load(), 0)
}
