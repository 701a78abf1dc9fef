package crashfs

import (
	"bytes"
	"io/fs"
	"maps"
	"path"

	"sandlot/internal/storage/blob"
)

// Create implements blob.FS.
func (f *FS) Create(name string) (blob.TempFile, error) {
	var made *node
	err := f.step(false, func() (err error) {
		made, err = f.add("create", name, &node{written: f.now()})
		return err
	})
	if err != nil {
		return nil, err
	}
	return &tempFile{f, made}, nil
}

// Mkdir implements blob.FS.
func (f *FS) Mkdir(name string) error {
	return f.step(false, func() error {
		_, err := f.add("mkdir", name, &node{folder: newFolder(), written: f.now()})
		return err
	})
}

// add adds the entry of a new node.
func (f *FS) add(op, name string, n *node) (*node, error) {
	parent, err := f.parent(op, name)
	if err != nil {
		return nil, err
	}
	if _, taken := parent.entries[path.Base(name)]; taken {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrExist}
	}
	f.inode++
	n.inode = f.inode
	parent.change(path.Base(name), n)
	return n, nil
}

// Rename implements blob.FS. It replaces a file with the new name.
func (f *FS) Rename(from, to string) error {
	return f.step(false, func() error {
		n, err := f.find("rename", from)
		if err != nil {
			return err
		}
		target, err := f.parent("rename", to)
		if err != nil {
			return err
		}
		source, err := f.parent("rename", from)
		if err != nil {
			return err
		}
		target.change(path.Base(to), n)
		source.change(path.Base(from), nil)
		return nil
	})
}

// Remove implements blob.FS. A folder that is not empty is fs.ErrExist.
func (f *FS) Remove(name string) error {
	return f.step(false, func() error {
		n, err := f.find("remove", name)
		if err != nil {
			return err
		}
		if n.folder != nil && len(n.folder.entries) > 0 {
			return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrExist}
		}
		parent, err := f.parent("remove", name)
		if err != nil {
			return err
		}
		parent.change(path.Base(name), nil)
		return nil
	})
}

// SyncDir implements blob.FS.
func (f *FS) SyncDir(name string) error {
	return f.step(true, func() error {
		n, err := f.find("sync", name)
		if err != nil {
			return err
		}
		if n.folder == nil {
			return &fs.PathError{Op: "sync", Path: name, Err: fs.ErrInvalid}
		}
		n.folder.durable, n.folder.pending = maps.Clone(n.folder.entries), nil
		return nil
	})
}

// Close implements blob.FS. It changes nothing, and open files stay open.
func (f *FS) Close() error { return nil }

// tempFile is a file that is being written.
type tempFile struct {
	fs   *FS
	node *node
}

// Write implements blob.TempFile.
func (t *tempFile) Write(p []byte) (int, error) {
	err := t.fs.step(false, func() error {
		n := t.node
		n.pending = append(n.pending, write{len(n.bytes), bytes.Clone(p)})
		n.bytes = append(n.bytes, p...)
		n.written = t.fs.now()
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// StartWriteback implements blob.TempFile. A hint promises nothing.
func (t *tempFile) StartWriteback(int64, int64) {}

// Sync implements blob.TempFile.
func (t *tempFile) Sync() error {
	return t.fs.step(true, func() error {
		t.node.durable, t.node.pending = bytes.Clone(t.node.bytes), nil
		return nil
	})
}

// Close implements blob.TempFile.
func (t *tempFile) Close() error { return t.fs.step(false, func() error { return nil }) }
