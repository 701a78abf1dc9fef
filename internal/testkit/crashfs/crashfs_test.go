package crashfs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"sandlot/internal/storage/blob"
	"sandlot/internal/testkit/crashfs"
	"sandlot/internal/testkit/expect"
)

// state describes a file that two writes of 10,000 bytes each made.
func state(f *crashfs.FS, name string) string {
	file, err := f.Open(name)
	if err != nil {
		return "gone"
	}
	p, _ := io.ReadAll(file)
	switch {
	case len(p) == 0:
		return "empty"
	case p[0] == 0:
		return "a hole"
	case len(p) == 20_000:
		return "whole"
	case len(p) == 10_000:
		return "the first write"
	case len(p)%512 == 0:
		return "cut at a sector"
	}
	return "the second write torn"
}

func TestACrashKeepsWhatWasSyncedAndAnyPartOfTheRest(t *testing.T) {
	write := func(f *crashfs.FS, name string) blob.TempFile {
		file, err := f.Create(name)
		expect.OK(t, err)
		for _, c := range []string{"a", "b"} {
			_, err := file.Write(bytes.Repeat([]byte(c), 10_000))
			expect.OK(t, err)
		}
		return file
	}
	for name, c := range map[string]struct {
		do   func(f *crashfs.FS)
		want []string
	}{
		"bytes that were not synced": {
			func(f *crashfs.FS) { write(f, "dir/old"); expect.OK(t, f.SyncDir("dir")) },
			[]string{"whole gone", "empty gone", "a hole gone", "cut at a sector gone", "the first write gone", "the second write torn gone"},
		},
		"a rename between two folders": {
			func(f *crashfs.FS) {
				expect.OK(t, errors.Join(write(f, "dir/old").Sync(), f.SyncDir("dir"), f.Rename("dir/old", "other/new")))
			},
			[]string{"whole gone", "gone whole", "whole whole", "gone gone"},
		},
		"a sync in which the power goes": {
			func(f *crashfs.FS) {
				file := write(f, "dir/old")
				expect.OK(t, f.SyncDir("dir"))
				f.CutAfter(0)
				for _, err := range []error{file.Sync(), file.Sync(), f.Remove("dir/old"), f.SyncDir("."), f.Mkdir("x")} {
					expect.Is(t, "after the cut", err, crashfs.ErrPower)
				}
			},
			[]string{"whole gone", "empty gone", "a hole gone", "cut at a sector gone", "the first write gone", "the second write torn gone"},
		},
		"all synced": {
			func(f *crashfs.FS) { expect.OK(t, errors.Join(write(f, "dir/old").Sync(), f.SyncDir("dir"))) },
			[]string{"whole gone"},
		},
	} {
		found := map[string]int{}
		for seed := range uint64(200) {
			f := crashfs.New(time.Now)
			expect.OK(t, errors.Join(f.Mkdir("dir"), f.Mkdir("other"), f.SyncDir(".")))
			c.do(f)
			after := f.Crash(rand.New(rand.NewPCG(seed, 0)))
			found[state(after, "dir/old")+" "+state(after, "other/new")]++
		}
		for _, w := range c.want {
			if found[w] == 0 {
				t.Errorf("%s: %q never happened: %v", name, w, found)
			}
			delete(found, w)
		}
		expect.Equal(t, name+": it also happened that", fmt.Sprint(found), "map[]")
	}
}
