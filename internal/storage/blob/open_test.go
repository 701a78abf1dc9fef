package blob

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// noise makes n random bytes, always the same.
func noise(n int) []byte {
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(data)
	return data
}

// later gives a file another modification time, as any real change would; in
// a test two changes may fall into one tick of the clock.
func later(path string) error {
	when := time.Now().Add(time.Minute)
	return os.Chtimes(path, when, when)
}

// damages are the possible damages to the file of a blob.
var damages = []struct {
	name string
	do   func(path string, data []byte) error
	want error
}{
	{"flipped", func(path string, data []byte) error {
		data[len(data)/2] ^= 1
		return errors.Join(os.WriteFile(path, data, 0o600), later(path))
	}, sandlot.ErrCorrupt},
	{"cut", func(path string, data []byte) error {
		return os.Truncate(path, int64(len(data)-1))
	}, sandlot.ErrCorrupt},
	{"longer", func(path string, data []byte) error {
		return os.WriteFile(path, append(data, 0), 0o600)
	}, sandlot.ErrCorrupt},
	{"empty", func(path string, data []byte) error {
		return os.Truncate(path, 0)
	}, sandlot.ErrCorrupt},
	{"replaced by a file of the same size and time", func(path string, data []byte) error {
		fi, err := os.Stat(path)
		if err != nil {
			return err
		}
		data[0] ^= 1
		return errors.Join(
			os.WriteFile(path+".new", data, 0o600),
			os.Chtimes(path+".new", fi.ModTime(), fi.ModTime()),
			os.Rename(path+".new", path))
	}, sandlot.ErrCorrupt},
	{"replaced by a folder", func(path string, data []byte) error {
		return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
	}, sandlot.ErrCorrupt},
	{"missing", func(path string, data []byte) error {
		return os.Remove(path)
	}, sandlot.ErrNotFound},
}

func TestDamage(t *testing.T) {
	t.Parallel()
	for _, c := range damages {
		for _, seen := range []bool{false, true} {
			name := c.name + "/before it was first opened"
			if seen {
				name = c.name + "/after it was verified"
			}
			t.Run(name, func(t *testing.T) {
				dir := testenv.MemoryDir(t)
				d := openAt(t, dir, Options{})
				data := noise(3*bufferSize + 1)
				b, sound := put(t, d, data), put(t, d, []byte("sound"))
				if seen {
					_, err := read(d, b)
					expect.OK(t, err)
				}
				expect.OK(t, c.do(filepath.Join(dir, Path(b.Ref)), bytes.Clone(data)))
				for range 2 {
					if rc, err := d.Open(t.Context(), b, 0, 1); !errors.Is(err, c.want) || rc != nil {
						t.Errorf("got %v, %v; want %v", rc, err, c.want)
					}
				}
				if got, err := read(d, sound); err != nil || string(got) != "sound" {
					t.Errorf("another blob: %q, %v", got, err)
				}
			})
		}
	}
}

func TestTrust(t *testing.T) {
	t.Parallel()
	t.Run("a blob is read whole once, then trusted", func(t *testing.T) {
		d, f, _ := openFaulty(t)
		b := put(t, d, noise(10000))
		for i := range 5 {
			rc, err := d.Open(t.Context(), b, 0, -1)
			expect.OK(t, err)
			rc.Close()
			if f.read != 10000 {
				t.Errorf("open %d: %d bytes read, want 10000", i+1, f.read)
			}
		}
	})
}

func TestFirstOpens(t *testing.T) {
	t.Run("callers that come at once wait for one reading", func(t *testing.T) {
		d, f, _ := openFaulty(t)
		b := put(t, d, noise(10*bufferSize))
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				rc, err := d.Open(t.Context(), b, 0, -1)
				if err != nil {
					t.Error(err)
					return
				}
				rc.Close()
			})
		}
		wg.Wait()
		if f.read != b.Size {
			t.Errorf("%d bytes read, want %d", f.read, b.Size)
		}
	})
	t.Run("a bounded number of blobs is read at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d, f, _ := openFaulty(t)
			blobs := make([]sandlot.Blob, 3*hashers)
			for i := range blobs {
				blobs[i] = put(t, d, noise(100+i))
			}
			var reading atomic.Int64
			gate := make(chan bool)
			f.fail = func(op, _ string) error {
				if op == "read" {
					reading.Add(1)
					<-gate
				}
				return nil
			}
			for _, b := range blobs {
				go func() {
					if rc, err := d.Open(t.Context(), b, 0, -1); err != nil {
						t.Error(err)
					} else {
						rc.Close()
					}
				}()
			}
			synctest.Wait()
			if n := reading.Load(); n != hashers {
				t.Errorf("%d at once, want %d", n, hashers)
			}
			close(gate)
			synctest.Wait()
		})
	})
}

func TestReader(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T) (io.ReadCloser, sandlot.Blob, *Disk, string) {
		dir := testenv.MemoryDir(t)
		d := openAt(t, dir, Options{})
		b := put(t, d, noise(100000))
		rc, err := d.Open(t.Context(), b, 10, 50000)
		expect.OK(t, err)
		t.Cleanup(func() { rc.Close() })
		return rc, b, d, filepath.Join(dir, Path(b.Ref))
	}
	want := noise(100000)[10:50010]
	t.Run("a blob deleted meanwhile is read to the end", func(t *testing.T) {
		rc, b, d, _ := open(t)
		expect.OK(t, d.Delete(t.Context(), b.Ref))
		if got, err := io.ReadAll(rc); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
	t.Run("WriteTo gives the range, also after a Read", func(t *testing.T) {
		rc, _, _, _ := open(t)
		var buf bytes.Buffer
		_, err := io.CopyN(&buf, rc, 7)
		expect.OK(t, err)
		n, err := rc.(io.WriterTo).WriteTo(&buf)
		if err != nil || n != int64(len(want)-7) || !bytes.Equal(buf.Bytes(), want) {
			t.Errorf("%d bytes, %v", n, err)
		}
		if n, err := rc.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("after the end: %d, %v", n, err)
		}
	})
	t.Run("a file cut meanwhile is io.ErrUnexpectedEOF", func(t *testing.T) {
		for _, through := range []func(io.Reader) error{
			func(r io.Reader) error { _, err := io.ReadAll(r); return err },
			func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err },
		} {
			rc, _, _, path := open(t)
			expect.OK(t, os.Truncate(path, 20000))
			if err := through(rc); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("got %v", err)
			}
		}
	})
}
