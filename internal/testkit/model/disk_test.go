package model_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"

	"pgregory.net/rapid"

	"sandlot/internal/domain/publish"
	"sandlot/internal/storage/blob"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/testkit/crashfs"
	"sandlot/internal/testkit/testenv"
)

// disk is SQLite and a disk that loses at every crash what was not synced. It has one node.
type disk struct {
	path string // of the database
	fs   *crashfs.FS
}

// newDisk is an empty one; lay makes the database.
func newDisk(t *rapid.T, m *machine, lay func(path string)) *disk {
	d := &disk{fs: crashfs.New(m.clock.Now), path: filepath.Join(m.folder(t), "sandlot.db")}
	lay(d.path)
	return d
}

func (d *disk) open(t *rapid.T, m *machine) *node {
	db, err := sqlstore.OpenSQLite(context.Background(), d.path, sqlstore.Options{Now: m.clock.Now, CacheBytes: testenv.DatabaseCache})
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.OpenOn(d.fs, blob.Options{Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	n, err := m.newNode(t.Context(), db, publish.Stores{Store: db.Publish(), Management: db.Publish(), Blobs: blobs})
	if err != nil {
		t.Fatal(err)
	}
	n.blobs = blobs
	n.close = func(t *rapid.T) {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func (d *disk) cutAfter(_ *node, steps int) { d.fs.CutAfter(steps) }

func (*disk) power() error { return crashfs.ErrPower }

// sure: the records come after the bytes, and are not cut.
func (*disk) sure() bool { return true }

// crash drops the Service as it is. The blobs lose what was not synced; of the
// database's files all is kept that was written, as when a process is killed:
// that they are synced in time is shown by their own tests.
func (d *disk) crash(t *rapid.T, m *machine, n *node, seed uint64) {
	path := filepath.Join(m.folder(t), "sandlot.db")
	if err := testenv.CopyDatabase(d.path, path); err != nil {
		t.Fatal(err)
	}
	n.close(t)
	d.path = path
	d.fs = d.fs.Crash(rand.New(rand.NewPCG(seed, 0)))
}
