package crashfs_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"
	"time"

	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/blob/crashfs"
	"sandlot/internal/testkit/expect"
)

// seeds is how many crashes are tried for each test of possible outcomes.
const seeds = 200

// must fails the test for an error.
func must(t *testing.T, err error) {
	t.Helper()
	expect.OK(t, err)
}

// create makes a file of several writes, and returns it open.
func create(t *testing.T, f *crashfs.FS, name string, writes ...[]byte) blob.TempFile {
	t.Helper()
	file, err := f.Create(name)
	must(t, err)
	for _, p := range writes {
		_, err := file.Write(p)
		must(t, err)
	}
	return file
}

// content returns the bytes of a file, or false if there is none.
func content(t *testing.T, f *crashfs.FS, name string) ([]byte, bool) {
	t.Helper()
	file, err := f.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	must(t, err)
	defer file.Close()
	p, err := io.ReadAll(file)
	must(t, err)
	return p, true
}

// outcomes crashes the file system of build many times, and counts the results of look.
func outcomes(t *testing.T, build func(f *crashfs.FS), look func(f *crashfs.FS) string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for seed := range uint64(seeds) {
		f := crashfs.New(time.Now)
		must(t, f.Mkdir("dir"))
		must(t, f.SyncDir("."))
		build(f)
		found[look(f.Crash(rand.New(rand.NewPCG(seed, 0))))]++
	}
	return found
}

// only fails the test unless each of the outcomes was seen, and no other.
func only(t *testing.T, found map[string]int, want ...string) {
	t.Helper()
	for _, w := range want {
		if found[w] == 0 {
			t.Errorf("%q never happened: %v", w, found)
		}
		delete(found, w)
	}
	if len(found) > 0 {
		t.Errorf("it also happened that %v", found)
	}
}

func TestCrash(t *testing.T) {
	a, b := bytes.Repeat([]byte("a"), 10_000), bytes.Repeat([]byte("b"), 10_000)
	state := func(name string) func(f *crashfs.FS) string {
		return func(f *crashfs.FS) string {
			switch p, there := content(t, f, name); {
			case !there:
				return "gone"
			case bytes.Equal(p, append(bytes.Clone(a), b...)):
				return "whole"
			case len(p) == 0:
				return "empty"
			case p[0] == 0:
				return "a hole"
			case len(p)%512 == 0:
				return "cut at a sector"
			case len(p) == len(a):
				return "the first write"
			}
			return "something else"
		}
	}
	t.Run("of bytes that were not synced any part may be there", func(t *testing.T) {
		found := outcomes(t, func(f *crashfs.FS) {
			must(t, create(t, f, "dir/x", a, b).Close())
			must(t, f.SyncDir("dir"))
		}, state("dir/x"))
		only(t, found, "whole", "empty", "a hole", "cut at a sector", "the first write", "something else")
	})
	t.Run("of a rename between folders each name stands for itself", func(t *testing.T) {
		found := outcomes(t, func(f *crashfs.FS) {
			must(t, create(t, f, "dir/old", a, b).Sync())
			must(t, f.SyncDir("dir"))
			must(t, f.Rename("dir/old", "new"))
		}, func(f *crashfs.FS) string { return state("dir/old")(f) + ", " + state("new")(f) })
		only(t, found, "whole, gone", "gone, whole", "whole, whole", "gone, gone")
	})
}

func TestCutAfter(t *testing.T) {
	steps := []struct {
		name string
		do   func(f *crashfs.FS) error
	}{
		{"create", func(f *crashfs.FS) error { _, err := f.Create("y"); return err }},
		{"mkdir", func(f *crashfs.FS) error { return f.Mkdir("d") }},
		{"rename", func(f *crashfs.FS) error { return f.Rename("x", "z") }},
		{"remove", func(f *crashfs.FS) error { return f.Remove("x") }},
		{"syncDir", func(f *crashfs.FS) error { return f.SyncDir(".") }},
	}
	for _, s := range steps {
		t.Run("the step in which the power goes fails, and all after it: "+s.name, func(t *testing.T) {
			f := crashfs.New(time.Now)
			file := create(t, f, "x", []byte("before"))
			f.CutAfter(1)
			must(t, file.Sync())
			if err := s.do(f); !errors.Is(err, crashfs.ErrPower) {
				t.Errorf("got %v", err)
			}
			_, werr := file.Write([]byte("after"))
			_, oerr := f.Open("x")
			for _, err := range []error{werr, oerr, file.Sync(), f.SyncDir("."), s.do(f)} {
				expect.Is(t, "later", err, crashfs.ErrPower)
			}
		})
	}
	t.Run("a sync in which the power goes makes nothing durable", func(t *testing.T) {
		lost := 0
		for seed := range uint64(seeds) {
			f := crashfs.New(time.Now)
			file := create(t, f, "x", []byte("bytes"))
			must(t, f.SyncDir("."))
			f.CutAfter(0)
			if err := file.Sync(); !errors.Is(err, crashfs.ErrPower) {
				t.Fatal(err)
			}
			if p, _ := content(t, f.Crash(rand.New(rand.NewPCG(seed, 0))), "x"); len(p) == 0 {
				lost++
			}
		}
		if lost == 0 || lost == seeds {
			t.Errorf("lost in %d of %d crashes", lost, seeds)
		}
	})
}
