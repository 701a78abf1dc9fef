package crashfs

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"sandlot/internal/storage/blob"
)

// Open implements blob.FS. An open file can be read to the end also after it was removed.
func (f *FS) Open(name string) (blob.File, error) {
	var out *file
	err := f.look(func() error {
		n, err := f.find("open", name)
		if err != nil {
			return err
		}
		out = &file{fs: f, node: n, name: path.Base(name)}
		if n.folder != nil {
			out.names = slices.Sorted(maps.Keys(n.folder.entries))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Stat implements blob.FS.
func (f *FS) Stat(name string) (out fs.FileInfo, err error) {
	err = f.look(func() error {
		n, err := f.find("stat", name)
		if err == nil {
			out = infoOf(path.Base(name), n)
		}
		return err
	})
	return out, err
}

// file is an open file or folder.
type file struct {
	fs    *FS
	node  *node
	name  string
	off   int64
	names []string // of a folder's entries, those still to be read
}

// Read implements blob.File.
func (o *file) Read(p []byte) (n int, err error) {
	err = o.fs.look(func() error {
		if o.off >= int64(len(o.node.bytes)) {
			return io.EOF
		}
		n = copy(p, o.node.bytes[o.off:])
		o.off += int64(n)
		return nil
	})
	return n, err
}

// Seek implements blob.File, for offsets from the beginning.
func (o *file) Seek(off int64, whence int) (int64, error) {
	if whence != io.SeekStart || off < 0 {
		return 0, errors.ErrUnsupported
	}
	o.off = off
	return off, nil
}

// Close implements blob.File.
func (o *file) Close() error { return nil }

// Stat implements blob.File.
func (o *file) Stat() (out fs.FileInfo, err error) {
	err = o.fs.look(func() error {
		out = infoOf(o.name, o.node)
		return nil
	})
	return out, err
}

// ReadDir implements blob.File: it returns the entries as of the opening, without those removed since.
func (o *file) ReadDir(n int) (out []fs.DirEntry, err error) {
	err = o.fs.look(func() error {
		for len(o.names) > 0 && (n <= 0 || len(out) < n) {
			if child, ok := o.node.folder.entries[o.names[0]]; ok {
				out = append(out, fs.FileInfoToDirEntry(infoOf(o.names[0], child)))
			}
			o.names = o.names[1:]
		}
		if n > 0 && len(out) == 0 {
			return io.EOF
		}
		return nil
	})
	return out, err
}

// info holds the facts about a file as of the call of Stat.
type info struct {
	name    string
	size    int64
	mode    fs.FileMode
	written time.Time
}

func infoOf(name string, n *node) info {
	mode := fs.FileMode(0o600)
	if n.folder != nil {
		mode = fs.ModeDir | 0o700
	}
	return info{name, int64(len(n.bytes)), mode, n.written}
}

// Name, Size, Mode, ModTime, IsDir and Sys implement fs.FileInfo.
func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.written }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
