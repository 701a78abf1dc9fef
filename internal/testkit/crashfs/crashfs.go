// Package crashfs is a file system in memory that can lose its power.
//
// It keeps two images. The volatile one is the view of a running process: every write, every new name. The durable one
// is the content of the disk: the bytes of a file as of its last Sync, and the entries of a folder as of its last
// SyncDir. [FS.Crash] returns the file system that a machine finds when the power is back: the durable image, and any
// part of the changes since then.
//
// It is as unkind as the rules allow. A new file's name does not come with its bytes, nor its bytes with its name. Of
// several writes the later may be there without the earlier, which then reads as zeros. The last one that is there may
// end within itself, where a sector ends. Each added or removed entry is independent, so that of a rename between two
// folders both names may be left, or none.
package crashfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"sync"
	"testing/fstest"
	"time"

	"sandlot/internal/storage/blob"
)

// ErrPower is the error of every step after the power cut.
var ErrPower = errors.New("the power is gone")

// FS is a blob.FS, with one level of folders. Its methods may be called concurrently.
type FS struct {
	now func() time.Time

	mu      sync.Mutex
	files   fstest.MapFS // as a process sees them
	durable fstest.MapFS // the entries on the disk
	changes []change     // of entries since the last SyncDir of their folders
	synced  map[*fstest.MapFile]synced
	steps   int
	cutAt   int // the step at which the power is cut; 0: none
	dead    bool
}

// change is an entry that was added, or removed if there is no file.
type change struct {
	name string
	file *fstest.MapFile
}

// synced holds the bytes of a file on the disk, and the ends of the writes since then.
type synced struct {
	bytes []byte
	ends  []int
}

// New returns an empty file system. Files get their times from now.
func New(now func() time.Time) *FS {
	return &FS{now: now, files: fstest.MapFS{}, durable: fstest.MapFS{}, synced: map[*fstest.MapFile]synced{}}
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

// Crash cuts the power, if it is still on, and returns the file system that the machine finds after the restart. rnd
// decides how much of the unsynced data is there: nothing, all, or any part. Every step on f is ErrPower from then on.
func (f *FS) Crash(rnd *rand.Rand) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
	odds := rnd.IntN(3)
	keeps := func() bool { return odds == 2 || odds == 1 && rnd.IntN(2) == 0 }
	for _, c := range f.changes {
		if keeps() {
			set(f.durable, c)
		}
	}
	out := New(f.now)
	left := map[*fstest.MapFile]*fstest.MapFile{}              // a file may have two names
	for _, name := range slices.Sorted(maps.Keys(f.durable)) { // the order of a map would make a seed mean nothing
		was := f.durable[name]
		if dir := path.Dir(name); dir != "." && out.files[dir] == nil {
			continue
		}
		if left[was] == nil {
			data := f.survives(was, keeps, func(n int) int {
				if odds == 1 {
					n = min(n, 512*rnd.IntN(n/512+2))
				}
				return n
			})
			left[was] = &fstest.MapFile{Data: data, Mode: was.Mode, ModTime: was.ModTime}
			out.synced[left[was]] = synced{bytes: bytes.Clone(data)}
		}
		out.files[name], out.durable[name] = left[was], left[was]
	}
	return out
}

// survives returns the bytes of the last sync, with some of the writes since then. The last of these is torn.
func (f *FS) survives(file *fstest.MapFile, keeps func() bool, torn func(int) int) []byte {
	out := bytes.Clone(f.synced[file].bytes)
	var kept [][2]int
	from := len(out)
	for _, end := range f.synced[file].ends {
		if keeps() {
			kept = append(kept, [2]int{from, end})
		}
		from = end
	}
	for i, w := range kept {
		if i == len(kept)-1 {
			w[1] = w[0] + torn(w[1]-w[0])
		}
		out = append(out, make([]byte, w[0]-len(out))...)
		out = append(out, file.Data[w[0]:w[1]]...)
	}
	return out
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

func set(files fstest.MapFS, c change) {
	if files[c.name] = c.file; c.file == nil {
		delete(files, c.name)
	}
}

func (f *FS) change(name string, file *fstest.MapFile) {
	f.changes = append(f.changes, change{name, file})
	set(f.files, change{name, file})
}

func (f *FS) add(name string, mode fs.FileMode) (made *fstest.MapFile, err error) {
	return made, f.step(false, func() error {
		if f.files[name] != nil {
			return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
		}
		if dir := path.Dir(name); dir != "." && f.files[dir] == nil {
			return &fs.PathError{Op: "create", Path: name, Err: fs.ErrNotExist}
		}
		made = &fstest.MapFile{Mode: mode, ModTime: f.now()}
		f.change(name, made)
		return nil
	})
}

// Create implements blob.FS.
func (f *FS) Create(name string) (blob.TempFile, error) {
	made, err := f.add(name, 0o600)
	return &tempFile{f, made}, err
}

// Mkdir implements blob.FS.
func (f *FS) Mkdir(name string) error {
	_, err := f.add(name, fs.ModeDir|0o700)
	return err
}

// Rename implements blob.FS. It replaces a file with the new name.
func (f *FS) Rename(from, to string) error {
	return f.step(false, func() error {
		file := f.files[from]
		if file == nil || f.files[path.Dir(to)] == nil {
			return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
		}
		f.change(to, file)
		f.change(from, nil)
		return nil
	})
}

// Remove implements blob.FS, for files.
func (f *FS) Remove(name string) error {
	return f.step(false, func() error {
		if f.files[name] == nil {
			return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
		}
		f.change(name, nil)
		return nil
	})
}

// SyncDir implements blob.FS.
func (f *FS) SyncDir(name string) error {
	return f.step(true, func() error {
		f.changes = slices.DeleteFunc(f.changes, func(c change) bool {
			if path.Dir(c.name) != name {
				return false
			}
			set(f.durable, c)
			return true
		})
		return nil
	})
}

// Stat implements blob.FS.
func (f *FS) Stat(name string) (out fs.FileInfo, err error) {
	return out, f.look(func() (err error) {
		out, err = f.files.Stat(name)
		return err
	})
}

// Close implements blob.FS. It changes nothing, and open files stay open.
func (f *FS) Close() error { return nil }

// Open implements blob.FS. An open file can be read to the end also after it was removed.
func (f *FS) Open(name string) (blob.File, error) {
	o := &file{fs: f}
	return o, f.look(func() (err error) {
		o.File, err = f.files.Open(name)
		return err
	})
}

// file is an open file or folder.
type file struct {
	fs *FS
	fs.File
}

// Read implements blob.File.
func (o *file) Read(p []byte) (n int, err error) {
	return n, o.fs.look(func() (err error) {
		n, err = o.File.Read(p)
		return err
	})
}

// Seek implements blob.File.
func (o *file) Seek(off int64, whence int) (int64, error) {
	return o.File.(io.Seeker).Seek(off, whence)
}

// ReadDir implements blob.File: it returns the entries as of the opening.
func (o *file) ReadDir(n int) (out []fs.DirEntry, err error) {
	return out, o.fs.look(func() (err error) {
		out, err = o.File.(fs.ReadDirFile).ReadDir(n)
		return err
	})
}

// tempFile is a file that is being written.
type tempFile struct {
	fs   *FS
	file *fstest.MapFile
}

// Write implements blob.TempFile.
func (t *tempFile) Write(p []byte) (int, error) {
	return len(p), t.fs.step(false, func() error {
		t.file.Data, t.file.ModTime = append(t.file.Data, p...), t.fs.now()
		on := t.fs.synced[t.file]
		on.ends = append(on.ends, len(t.file.Data))
		t.fs.synced[t.file] = on
		return nil
	})
}

// StartWriteback implements blob.TempFile. A hint promises nothing.
func (t *tempFile) StartWriteback(int64, int64) {}

// Sync implements blob.TempFile.
func (t *tempFile) Sync() error {
	return t.fs.step(true, func() error {
		t.fs.synced[t.file] = synced{bytes: bytes.Clone(t.file.Data)}
		return nil
	})
}

// Close implements blob.TempFile.
func (t *tempFile) Close() error { return t.fs.step(false, func() error { return nil }) }
