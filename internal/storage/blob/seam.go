package blob

import (
	"io"
	"io/fs"
	"os"

	"sandlot/internal/base/durable"
)

// FS holds all methods of a file system that a Disk needs. It is separate so that a test can make any one step fail,
// can see their order, and can cut the power between two of them (package crashfs). Names are relative, with slashes.
// Errors are those of package os.
type FS interface {
	Create(name string) (TempFile, error) // an existing name is fs.ErrExist
	Open(name string) (File, error)       // a blob, or a folder
	Stat(name string) (fs.FileInfo, error)
	Mkdir(name string) error
	Rename(from, to string) error
	SyncDir(name string) error // makes the entries of a folder durable
	Remove(name string) error
	Close() error
}

// TempFile is a new file that is being written.
type TempFile interface {
	io.Writer
	// StartWriteback starts writing n bytes from off to the disk. It is a hint.
	StartWriteback(off, n int64)
	Sync() error // makes the bytes durable, not the name
	Close() error
}

// File is an open blob, or a folder, whose entries ReadDir returns.
type File interface {
	io.ReadSeekCloser
	Stat() (fs.FileInfo, error)
	ReadDir(n int) ([]fs.DirEntry, error)
}

// rooted is the real file system below a folder, which no name leaves.
type rooted struct{ root *os.Root }

func (r rooted) Create(name string) (TempFile, error) {
	f, err := r.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return rootedTemp{f}, nil
}

func (r rooted) Open(name string) (File, error) {
	f, err := r.root.Open(name)
	if err != nil {
		return nil, err // not f: a nil *os.File would make an interface that is not nil
	}
	return f, nil
}

func (r rooted) Stat(name string) (fs.FileInfo, error) { return r.root.Lstat(name) }
func (r rooted) Mkdir(name string) error               { return r.root.Mkdir(name, 0o700) }
func (r rooted) Rename(from, to string) error          { return r.root.Rename(from, to) }
func (r rooted) Remove(name string) error              { return r.root.Remove(name) }
func (r rooted) SyncDir(name string) error             { return durable.Sync(r.root.Open(name)) }
func (r rooted) Close() error                          { return r.root.Close() }

// rootedTemp hides the other methods of a file, above all ReadFrom, whose
// buffer is small.
type rootedTemp struct{ f *os.File }

func (t rootedTemp) Write(p []byte) (int, error) { return t.f.Write(p) }
func (t rootedTemp) Sync() error                 { return t.f.Sync() }
func (t rootedTemp) Close() error                { return t.f.Close() }
func (t rootedTemp) StartWriteback(off, n int64) { startWriteback(t.f, off, n) }
