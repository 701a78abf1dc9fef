// Package crashfs is a file system in memory that can lose its power. Only tests use it.
//
// It keeps two images. The volatile one is the view of a running process: every write, every new name. The durable one
// is the content of the disk: the bytes of a file as of its last Sync, and the entries of a folder as of its last
// SyncDir. [FS.Crash] returns the file system that a machine finds when the power is back: the durable image, and any
// part of the changes since then.
//
// It is as unkind as the rules allow. A new file's name does not come with its bytes, nor its bytes with its name. Of
// several writes the later may be there without the earlier, which then reads as zeros. The last one that is there may
// end within itself, where a sector or a page ends. Each added or removed entry is independent, so that of a rename
// between two folders both names may be left, or none.
package crashfs

import (
	"errors"
	"io/fs"
	"path"
	"sync"
	"time"

	"sandlot/internal/storage/blob"
)

// ErrPower is the error of every step after the power cut.
var ErrPower = errors.New("the power is gone")

// FS is a blob.FS. Its methods may be called concurrently.
type FS struct {
	now func() time.Time

	mu    sync.Mutex
	root  *folder
	steps int
	cutAt int // the step at which the power is cut; 0: none
	dead  bool
	inode uint64 // the last one given
}

var _ blob.FS = (*FS)(nil)

// folder is one folder: the view of a process, and the content of the disk.
type folder struct {
	entries map[string]*node
	durable map[string]*node
	pending []change // since the last SyncDir
}

// change is an entry that was added, or removed if there is no node.
type change struct {
	name string
	node *node
}

// node is a file or a folder.
type node struct {
	folder  *folder // nil for a file
	inode   uint64
	written time.Time
	bytes   []byte
	durable []byte
	pending []write // since the last Sync
}

type write struct {
	off   int
	bytes []byte
}

// New returns an empty file system. Files get their times from now.
func New(now func() time.Time) *FS { return &FS{now: now, root: newFolder()} }

func newFolder() *folder {
	return &folder{entries: map[string]*node{}, durable: map[string]*node{}}
}

// CutAfter cuts the power during the step that follows n others. That step fails, and may still have happened in part.
func (f *FS) CutAfter(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cutAt = f.steps + n + 1
}

// Steps returns how many changing steps were begun.
func (f *FS) Steps() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.steps
}

// step runs one changing step. In the step with the power cut, do still happens: a crash keeps it or not, like all
// unsynced data. A failed sync has synced nothing reliably.
func (f *FS) step(syncs bool, do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead {
		return ErrPower
	}
	f.steps++
	if f.dead = f.steps == f.cutAt; f.dead && syncs {
		return ErrPower
	}
	err := do()
	if f.dead {
		return ErrPower
	}
	return err
}

// look runs one step that changes nothing.
func (f *FS) look(do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dead {
		return ErrPower
	}
	return do()
}

// find returns the node of that name, "." being the root.
func (f *FS) find(op, name string) (*node, error) {
	if name == "." {
		return &node{folder: f.root}, nil
	}
	parent, err := f.parent(op, name)
	if err != nil {
		return nil, err
	}
	n, ok := parent.entries[path.Base(name)]
	if !ok {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

// parent returns the folder of the entry of that name, which need not exist.
func (f *FS) parent(op, name string) (*folder, error) {
	dir, err := f.find(op, path.Dir(name))
	if err == nil && dir.folder == nil {
		err = &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return nil, err
	}
	return dir.folder, nil
}

// change adds or removes an entry.
func (d *folder) change(name string, n *node) {
	d.pending = append(d.pending, change{name, n})
	apply(d.entries, change{name, n})
}

func apply(entries map[string]*node, c change) {
	if c.node == nil {
		delete(entries, c.name)
		return
	}
	entries[c.name] = c.node
}
