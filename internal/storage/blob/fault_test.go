package blob

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// openFaulty opens a Disk whose steps can be failed, and gives its folder.
func openFaulty(t *testing.T) (*Disk, *faulty, string) {
	t.Helper()
	dir := testenv.MemoryDir(t)
	d := openAt(t, dir, Options{})
	f := &faulty{FS: d.fs}
	d.fs = f
	return d, f, dir
}

func TestPutSteps(t *testing.T) {
	t.Parallel()
	d, f, _ := openFaulty(t)
	b := put(t, d, make([]byte, bufferSize+1))
	temp, path := "tmp/"+string(b.Ref), Path(b.Ref)
	want := []step{
		{"create", temp},
		{"write", temp},
		{"write", temp},
		{"sync", temp},
		{"close", temp},
		{"rename", path},
		{"syncDir", path[:2]},
	}
	if !slices.Equal(f.trace, want) {
		t.Errorf("got %v\nwant %v", f.trace, want)
	}
}

func TestPutFaults(t *testing.T) {
	t.Parallel()
	meaning := map[syscall.Errno]error{
		syscall.ENOSPC: sandlot.ErrFull,
		syscall.EDQUOT: sandlot.ErrFull,
		syscall.EMFILE: sandlot.ErrUnavailable,
		syscall.ENFILE: sandlot.ErrUnavailable,
		syscall.EROFS:  sandlot.ErrUnavailable,
		syscall.EACCES: sandlot.ErrUnavailable,
		syscall.ENOENT: sandlot.ErrUnavailable,
		syscall.EIO:    syscall.EIO,
	}
	d, f, dir := openFaulty(t) // one for all: each leaves it as it was
	for _, op := range []string{"create", "write", "sync", "close", "rename", "syncDir"} {
		for errno, want := range meaning {
			t.Run(fmt.Sprintf("%s/%v", op, errno), func(t *testing.T) {
				f.failing(errno, op)
				b, err := d.Put(t.Context(), d.Name(), bytes.NewReader(make([]byte, 1000)))
				if !errors.Is(err, want) || !errors.Is(err, errno) || b.Ref != "" {
					t.Errorf("got %+v, %v; want %v and %v", b, err, want, errno)
				}
				if want == syscall.EIO && (errors.Is(err, sandlot.ErrFull) || errors.Is(err, sandlot.ErrUnavailable)) {
					t.Errorf("%v says more than is known", err)
				}
				if got := files(t, dir); len(got) > 0 {
					t.Errorf("left: %v", got)
				}
				if n := f.count("sync"); n > 1 {
					t.Errorf("synced %d times", n)
				}
				f.failing(nil)
				b = put(t, d, []byte("it works again"))
				if got, err := read(d, b); err != nil || string(got) != "it works again" {
					t.Errorf("later: %q, %v", got, err)
				}
				expect.OK(t, d.Delete(t.Context(), b.Ref))
			})
		}
	}
}

func TestPutLeavesTheReadersErrorAlone(t *testing.T) {
	t.Parallel()
	d, _, dir := openFaulty(t)
	_, err := d.Put(t.Context(), d.Name(), io.MultiReader(bytes.NewReader(make([]byte, 1000)), iotest.ErrReader(syscall.ENOSPC)))
	if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, sandlot.ErrFull) {
		t.Errorf("got %v: another disk's fault is not ours", err)
	}
	if got := files(t, dir); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
}

func TestListAndDeleteFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op   string
		err  error
		want error
	}{
		{"open", syscall.EMFILE, sandlot.ErrUnavailable},
		{"open", syscall.ENOENT, sandlot.ErrUnavailable}, // the folder is gone: not the same as empty
		{"readDir", syscall.EIO, syscall.EIO},
		{"stat", syscall.EIO, syscall.EIO},
	} {
		t.Run(fmt.Sprintf("List/%s/%v", c.op, c.err), func(t *testing.T) {
			d, f, _ := openFaulty(t)
			put(t, d, []byte("x"))
			f.failing(c.err, c.op)
			var last error
			for ref, err := range d.List(t.Context(), time.Now().Add(time.Hour)) {
				if last = err; err == nil || ref != "" {
					t.Errorf("yielded %q, %v", ref, err)
				}
			}
			if !errors.Is(last, c.want) {
				t.Errorf("got %v, want %v", last, c.want)
			}
		})
	}
	t.Run("List/a blob deleted meanwhile is passed over", func(t *testing.T) {
		d, f, _ := openFaulty(t)
		put(t, d, []byte("x"))
		f.failing(fs.ErrNotExist, "stat")
		for ref, err := range d.List(t.Context(), time.Now().Add(time.Hour)) {
			t.Errorf("yielded %q, %v", ref, err)
		}
	})
	t.Run("Delete", func(t *testing.T) {
		d, f, _ := openFaulty(t)
		b := put(t, d, []byte("x"))
		f.failing(syscall.EROFS, "remove")
		if err := d.Delete(t.Context(), b.Ref); !errors.Is(err, sandlot.ErrUnavailable) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
	})
}

func TestPing(t *testing.T) {
	t.Parallel()
	d, f, dir := openFaulty(t)
	now := time.Now()
	d.now = func() time.Time { return now }
	for _, op := range []string{"create", "write", "sync", "close", "remove"} {
		for errno, want := range map[syscall.Errno]error{
			syscall.ENOSPC: sandlot.ErrFull,
			syscall.EROFS:  sandlot.ErrUnavailable,
			syscall.EIO:    sandlot.ErrUnavailable,
		} {
			t.Run(fmt.Sprintf("%s/%v", op, errno), func(t *testing.T) {
				f.failing(errno, op)
				now = now.Add(pingFor)
				if err := d.Ping(t.Context()); !errors.Is(err, want) || !errors.Is(err, errno) {
					t.Errorf("got %v, want %v", err, want)
				}
				if got := files(t, dir); len(got) > 0 && op != "remove" {
					t.Errorf("left: %v", got)
				}
				f.failing(nil)
				now = now.Add(pingFor)
				expect.Is(t, "later", d.Ping(t.Context()), nil)
				// What could not be removed is a left-over like those of a crash.
				expect.OK(t, d.sweepTemp(t.Context(), now.Add(time.Hour)))
				if got := files(t, dir); len(got) > 0 {
					t.Errorf("left: %v", got)
				}
			})
		}
	}
	t.Run("an answer is repeated for a second, however many ask", func(t *testing.T) {
		now = now.Add(pingFor)
		f.failing(nil)
		for _, wait := range []time.Duration{0, 999 * time.Millisecond, time.Millisecond, 0, -time.Hour} {
			now = now.Add(wait)
			expect.OK(t, d.Ping(t.Context()))
		}
		// The first, the one a second later, and the one after the clock was set back.
		expect.Equal(t, "probes", f.count("sync"), 3)
	})
}

func TestOpenDiskFaults(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"mkdir", "syncDir", "open", "readDir"} {
		t.Run(op, func(t *testing.T) {
			d, f, _ := openFaulty(t)
			f.failing(syscall.EROFS, op)
			if err := d.prepare(Options{}); !errors.Is(err, sandlot.ErrUnavailable) {
				t.Errorf("got %v, want ErrUnavailable", err)
			}
		})
	}
}
