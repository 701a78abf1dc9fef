package main

import (
	"testing"

	"sandlot/internal/testenv"
)

// TestUnracedFault05PowerLoss: what was acknowledged survives a power loss at each kill. The soak with -power is the longer one.
func TestUnracedFault05PowerLoss(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	dir := t.TempDir()
	tagged, made := tagged(t, false)
	images := testenv.MemoryDir(t)
	c := newCounts()
	e, err := newEpoch(t.Context(), config{Workers: 4, Seed: testenv.Seed(t), Dir: dir, Plain: testenv.Binary(t), Tagged: tagged, Power: images, Migrations: made}, c)
	if err != nil {
		t.Log(err)
		testenv.Skip(t, "a file system of its own (root, a loop device)")
	}
	defer func() {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	}()
	if err := e.run(t.Context(), killsADisk); err != nil {
		t.Error(err)
	}
	if e.disk.cuts < killsADisk {
		t.Errorf("the power was cut %d times", e.disk.cuts)
	}
}
