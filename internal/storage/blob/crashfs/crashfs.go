// Package crashfs is a file system in memory that can lose its power. Only
// tests use it.
//
// It keeps two images. The volatile one is what a running process sees: every
// write, every new name. The durable one is what the disk has: the bytes of a
// file as of its last Sync, and the entries of a folder as of its last SyncDir.
// [FS.Crash] gives the file system that a machine finds when the power is back:
// the durable image, and of what was done since, any part.
//
// It is as unkind as the rules allow. A new file's name does not come with its
// bytes, nor its bytes with its name. Of several writes the later may be there
// without the earlier, which then reads as zeros. The last one that is there
// may end within itself, where a sector or a page ends. Each entry that was
// made or removed stands for itself, so that of a rename between two folders
// both names may be left, or none.
package crashfs

import (
	"errors"
	"io/fs"
	"path"
	"sync"
	"time"

	"sandlot/internal/storage/blob"
)

// ErrPower is the error of every step since the power went.
var ErrPower = errors.New("the power is gone")

// FS is a blob.FS. Its methods may be called concurrently.
type FS struct {
	now func() time.Time

	mu    sync.Mutex
	root  *folder
	steps int
	cutAt int // the step at which the power goes; 0: none
	dead  bool
	inode uint64 // the last one given
}

var _ blob.FS = (*FS)(nil)

// folder is one folder: what a process sees, and what the disk has.
type folder struct {
	entries map[string]*node
	durable map[string]*node
	pending []change // since the last SyncDir
}

// change is an entry that was made, or removed if there is no node.
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

// New makes an empty file system. Files get their times from now.
func New(now func() time.Time) *FS { return &FS{now: now, root: newFolder()} }

func newFolder() *folder {
	return &folder{entries: map[string]*node{}, durable: map[string]*node{}}
}

// CutAfter lets the power go during the step that follows n others. That step
// fails, and may all the same have happened in part.
func (f *FS) CutAfter(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cutAt = f.steps + n + 1
}

// Steps returns how many steps that change something were begun.
func (f *FS) Steps() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.steps
}

// step does one thing that changes something. In the step in which the power
// goes, do happens all the same: a crash keeps it or not, like all that was not
// synced. A sync that fails has synced nothing that can be relied on.
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

// look does one thing that changes nothing.
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

// parent returns the folder that has, or would have, the entry of that name.
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

// change makes or removes an entry.
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
