package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/storetest"
	"sandlot/internal/testkit/testenv"
)

func TestDisk(t *testing.T) {
	storetest.TestBlobs(t, func(t *testing.T) sandlot.Blobs { return openTemp(t) })
}

func openTemp(tb testing.TB) *Disk {
	tb.Helper()
	return openAt(tb, testenv.MemoryDir(tb), Options{})
}

func openAt(tb testing.TB, dir string, opts Options) *Disk {
	tb.Helper()
	d, err := OpenDisk(dir, opts)
	expect.OK(tb, err)
	tb.Cleanup(func() { d.Close() })
	return d
}

// put stores data and describes it as the record would.
func put(tb testing.TB, d *Disk, data []byte) sandlot.Blob {
	tb.Helper()
	b, err := d.Put(context.Background(), d.Name(), bytes.NewReader(data))
	expect.OK(tb, err)
	b.SHA256 = sha256.Sum256(data)
	return b
}

// read opens a blob and reads all of it.
func read(d *Disk, b sandlot.Blob) ([]byte, error) {
	rc, err := d.Open(context.Background(), b, 0, -1)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	return io.ReadAll(rc)
}

// files lists the files below dir, with slashes.
func files(tb testing.TB, dir string) []string {
	tb.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	expect.OK(tb, err)
	return names
}

func TestOpenDisk(t *testing.T) {
	t.Parallel()
	t.Run("what was put is there when it is opened again", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		b := put(t, openAt(t, dir, Options{}), []byte("kept"))
		got, err := read(openAt(t, dir, Options{Alone: true}), b)
		if err != nil || string(got) != "kept" {
			t.Errorf("got %q, %v", got, err)
		}
	})
	t.Run("folders have mode 0700 and files 0600", func(t *testing.T) {
		dir := filepath.Join(testenv.MemoryDir(t), "data", "blobs")
		put(t, openAt(t, dir, Options{}), []byte("x"))
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			want := fs.FileMode(0o600)
			if e.IsDir() {
				want = 0o700
			}
			if fi, err := e.Info(); err != nil || fi.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, fi.Mode(), err)
			}
			return err
		})
		expect.OK(t, err)
	})
	t.Run("the folders are made durable before anything is put", func(t *testing.T) {
		root, err := os.OpenRoot(testenv.MemoryDir(t))
		expect.OK(t, err)
		f := &faulty{FS: rooted{root}}
		d := newDisk(f)
		defer d.Close()
		expect.OK(t, d.prepare(Options{}))
		expect.Equal(t, "folders", f.count("mkdir"), 257)
		// The last folder, then the sync, then the look for left-overs.
		want := []step{{"mkdir", "tmp"}, {"syncDir", "."}, {"open", "tmp"}, {"readDir", "tmp"}, {"closeFile", "tmp"}}
		if got := f.trace[256:]; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("a file in the folder's place is an error that names it", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "blobs")
		expect.OK(t, os.WriteFile(path, []byte("mine"), 0o600))
		_, err := OpenDisk(path, Options{})
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte(path)) {
			t.Errorf("got %v", err)
		}
		if got, _ := os.ReadFile(path); string(got) != "mine" {
			t.Errorf("the file is now %q", got)
		}
	})
	t.Run("a symbolic link does not lead out of the folder", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		d := openAt(t, dir, Options{})
		b := put(t, d, []byte("secret"))
		path := filepath.Join(dir, Path(b.Ref))
		outside := filepath.Join(testenv.MemoryDir(t), "outside")
		expect.OK(t, errors.Join(os.Rename(path, outside), os.Symlink(outside, path)))
		if got, err := read(d, b); err == nil {
			t.Errorf("read %q", got)
		}
	})
}

func TestLeftOvers(t *testing.T) {
	t.Parallel()
	// leave puts a temporary file of that age where a crash would have.
	leave := func(t *testing.T, dir string, age time.Duration) string {
		name := "tmp/" + string(NewRef())
		path := filepath.Join(dir, name)
		when := time.Now().Add(-age)
		expect.OK(t, errors.Join(os.WriteFile(path, []byte("half"), 0o600), os.Chtimes(path, when, when)))
		return name
	}
	t.Run("OpenDisk removes temporary files nobody wrote to for an hour", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		openAt(t, dir, Options{})
		leave(t, dir, 61*time.Minute)
		fresh := leave(t, dir, 59*time.Minute)
		openAt(t, dir, Options{})
		if got := files(t, dir); !slices.Equal(got, []string{fresh}) {
			t.Errorf("left: %v, want %s", got, fresh)
		}
	})
	t.Run("alone, OpenDisk removes them all", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		b := put(t, openAt(t, dir, Options{}), []byte("x"))
		leave(t, dir, 0)
		leave(t, dir, -48*time.Hour) // by a clock that was wrong
		openAt(t, dir, Options{Alone: true})
		expect.Same(t, "left", files(t, dir), []string{Path(b.Ref)})
	})
	t.Run("List yields none of them, and removes those of an hour ago", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		d := openAt(t, dir, Options{})
		leave(t, dir, 2*time.Hour)
		fresh := leave(t, dir, 0)
		for ref, err := range d.List(t.Context(), time.Now().Add(time.Hour)) {
			t.Errorf("yielded %s, %v", ref, err)
		}
		if got := files(t, dir); !slices.Equal(got, []string{fresh}) {
			t.Errorf("left: %v, want %s", got, fresh)
		}
	})
	t.Run("a Put whose file was taken for one stores nothing", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		d := openAt(t, dir, Options{})
		stall := readerFunc(func([]byte) (int, error) {
			openAt(t, dir, Options{Alone: true}) // which was not true
			return 0, io.EOF
		})
		if _, err := d.Put(t.Context(), d.Name(), stall); err == nil {
			t.Error("no error")
		}
		if got := files(t, dir); len(got) > 0 {
			t.Errorf("left: %v", got)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestList(t *testing.T) {
	t.Parallel()
	t.Run("goes by the modification time", func(t *testing.T) {
		dir := testenv.MemoryDir(t)
		d := openAt(t, dir, Options{})
		old, young := put(t, d, []byte("old")), put(t, d, []byte("young"))
		when := time.Now().Add(-25 * time.Hour)
		expect.OK(t, os.Chtimes(filepath.Join(dir, Path(old.Ref)), when, when))
		var got []sandlot.BlobRef
		for ref, err := range d.List(t.Context(), time.Now().Add(-24*time.Hour)) {
			expect.OK(t, err)
			got = append(got, ref)
		}
		if !slices.Equal(got, []sandlot.BlobRef{old.Ref}) {
			t.Errorf("got %v, want %s and not %s", got, old.Ref, young.Ref)
		}
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	seen := map[sandlot.BlobRef]bool{}
	for range 1000 {
		ref := NewRef()
		if !Valid(ref) || seen[ref] {
			t.Fatalf("%q", ref)
		}
		seen[ref] = true
		for _, wrong := range []sandlot.BlobRef{ref[1:], ref + "0", "g" + ref[1:], ref[:27] + "u", ref[:27] + "A", ref[:27] + ".", ref[:5] + "/" + ref[6:]} {
			if Valid(wrong) {
				t.Errorf("%q is valid", wrong)
			}
		}
	}
}
