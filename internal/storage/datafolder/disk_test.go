package datafolder_test

import (
	"testing"
	"testing/synctest"

	"sandlot/internal/storage/datafolder"
	"sandlot/internal/testkit/testenv"
)

func TestTheDiskIsLookedAtOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, percent, unused, known := 0, uint64(94), uint64(0), true
		d := &datafolder.Disk{Limit: 95, Usage: func(string) (uint64, uint64, bool) { looks++; return percent, 100 - percent, known }, Unused: func() uint64 { return unused }}
		for range 100 {
			if !d.Room() {
				t.Fatal("94 % are full")
			}
		}
		if percent = 95; !d.Room() || looks != 1 {
			t.Errorf("it looked %d times in no time", looks)
		}
		testenv.Pass(datafolder.DiskEvery)
		if d.Room() {
			t.Error("95 % are not full")
		}
		unused = 1
		testenv.Pass(datafolder.DiskEvery)
		if !d.Room() {
			t.Error("95 % are full, although one of them holds nothing")
		}
		unused = 0
		known = false
		testenv.Pass(datafolder.DiskEvery)
		if !d.Room() {
			t.Error("a disk that cannot be looked at is full")
		}
	})
}
