// Package blob keeps the bytes of published files.
//
// A blob is written once, under a random name that is never used again, and never changes. That one rule makes the rest
// simple: no locks between readers and writers, nothing to invalidate, and a blob that no record names is garbage
// whenever it was left behind.
//
// [Disk] keeps blobs in a folder:
//
//	tmp/           files being written, each under the name it will have
//	00/ .. ff/     blobs, by the first two characters of their names
//
// A write goes through these steps, each of which the next one needs: a new file in tmp, its bytes, sync, close,
// rename, sync of the folder. Whichever step fails, and wherever a crash falls, there is a whole blob or none.
//
// It cannot promise one thing: a disk that reports a sync without having done it loses acknowledged bytes, like any
// other program's data.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"sandlot"
	"sandlot/internal/base/durable"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/base/turns"
)

const (
	tempFolder = "tmp"

	// staleAfter is how long a temporary file must have gone unwritten to be treated as a left-over of another process:
	// an hour, far longer than any request may stall. If it was alive after all, its Put fails at the rename and
	// nothing is stored.
	staleAfter = time.Hour

	// pingFor is how long the answer of a Ping is repeated: a second, so that a flood of health checks does not become
	// a flood of syncs.
	pingFor = time.Second
)

// Options adjust a Disk. The zero value is right for a folder that several
// processes may share.
type Options struct {
	// Alone says that no other process uses the folder. Then every temporary
	// file found at the start was left by a crash and is removed at once, not
	// only after an hour.
	Alone bool

	// Existing opens a folder for reading only: it is not created, and List removes nothing.
	Existing bool

	// Unsynced says that a crash may lose any data in the folder, as in one for a cache.
	Unsynced bool
}

// Disk is publish.Blobs in a folder of the local file system. Its methods may
// be called concurrently, and several processes may share the folder. A name
// can never lead out of the folder. Folders have mode 0700, files 0600.
type Disk struct {
	fs       FS
	now      func() time.Time
	trust    *trust
	parts    *turns.Locks[part] // one caller at a time verifies a part, and the others wait
	hashers  chan struct{}
	writing  writing       // the names with a temporary file
	looking  bool          // nothing is removed in passing
	unsynced bool          // a crash may lose anything
	place    durable.Place // of the folder; empty if it has no name of its own
	pulse    Pulse
}

var _ sandlot.Blobs = (*Disk)(nil)

// OpenDisk opens the folder dir, and creates it if it is missing. It also removes temporary files that a crash left
// behind. A folder that cannot be written is an error, which names it.
func OpenDisk(dir string, opts Options) (*Disk, error) {
	if !opts.Existing {
		if err := makeFolder(dir); err != nil {
			return nil, fmt.Errorf("open blobs: %w", classify(err))
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open blobs: %w", classify(err))
	}
	place, err := placeOf(root)
	if err != nil {
		return nil, fmt.Errorf("open blobs: %w", errors.Join(classify(err), root.Close()))
	}
	d, err := OpenOn(rooted{root}, opts)
	if err != nil {
		return nil, fmt.Errorf("open blobs in %s: %w", dir, err)
	}
	d.place = place
	return d, nil
}

// OpenOn opens a Disk on a file system. It closes that file system on Close, or if the opening fails. The file system's
// root must be durable already.
func OpenOn(f FS, opts Options) (*Disk, error) {
	d := newDisk(f)
	d.looking, d.unsynced = opts.Existing, opts.Unsynced
	if d.looking {
		return d, nil
	}
	if err := d.prepare(opts); err != nil {
		f.Close()
		return nil, err
	}
	return d, nil
}

func newDisk(f FS) *Disk {
	return &Disk{
		fs: f, now: time.Now,
		trust: newTrust(mostTrusted), parts: turns.NewLocks[part](), hashers: make(chan struct{}, hashers),
	}
}

// Close closes the folder. Open readers continue.
func (d *Disk) Close() error { return d.fs.Close() }

// prepare creates the folders, all of them at once: later a Put has one folder to sync and never a new one, whose own
// entry would have to be synced too.
func (d *Disk) prepare(opts Options) error {
	for _, name := range append(folders(), tempFolder) {
		if err := d.fs.Mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
			return classify(err)
		}
	}
	failpoint.Hit(failpoint.MidFolders)
	// Also when all were there: the process that created them may have crashed before this line.
	if err := d.fs.SyncDir("."); err != nil {
		return classify(err)
	}
	before := d.now().Add(-staleAfter)
	if opts.Alone {
		before = d.now().AddDate(100, 0, 0) // also files dated by a clock that was ahead
	}
	return d.sweepTemp(context.Background(), before)
}

// makeFolder creates a folder and those above it, and syncs its parent, so that the blobs do not vanish with the entry
// of their folder.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	parent, err := filepath.Abs(filepath.Join(dir, ".."))
	if err != nil {
		return err
	}
	err = durable.Sync(os.Open(parent))
	// A folder that someone else created in a place we may not read is theirs to keep.
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// placeOf records the place of an open folder.
func placeOf(root *os.Root) (durable.Place, error) {
	p := durable.Place{What: "the folder of blobs"}
	name, err := filepath.Abs(root.Name())
	if err != nil {
		return p, err
	}
	opened, err := root.Stat(".")
	p.Add(name, opened)
	return p, err
}

// inPlace returns sandlot.ErrUnavailable unless the folder is where it was opened.
func (d *Disk) inPlace() error {
	if err := d.place.Check(); err != nil {
		return fmt.Errorf("%w: %w", sandlot.ErrUnavailable, err)
	}
	return nil
}

// Ping writes, syncs and removes a small file. It returns nil while Put can be expected to work, sandlot.ErrFull while
// there is no room, and otherwise sandlot.ErrUnavailable. An answer is repeated for a second.
func (d *Disk) Ping(ctx context.Context) error {
	return d.pulse.Ask(ctx, d.now(), d.probe)
}

// A Pulse repeats the answer of a probe for pingFor. The zero value has none.
type Pulse struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// Ask returns the answer of probe, or the last one if that is young enough. The answer of a probe during
// which ctx ended is not kept: it says nothing about the store.
func (p *Pulse) Ask(ctx context.Context, now time.Time, probe func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	// A clock that was set back must not prolong an answer.
	if age := now.Sub(p.at); age < 0 || age >= pingFor {
		err := probe()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.err, p.at = err, now
	}
	return p.err
}

func (d *Disk) probe() error {
	if err := d.inPlace(); err != nil {
		return fmt.Errorf("probe blobs: %w", err)
	}
	ref := NewRef()
	temp := tempPath(ref)
	defer d.writing.begin(ref)()
	err := d.writeTemp(temp, func(f TempFile) error {
		_, err := f.Write(make([]byte, 4096)) // one block: less might find room where a file would not
		return classify(err)
	})
	if err == nil {
		err = classify(d.fs.Remove(temp))
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sandlot.ErrFull), errors.Is(err, sandlot.ErrUnavailable):
		return fmt.Errorf("probe blobs: %w", err)
	}
	return fmt.Errorf("probe blobs: %w: %w", sandlot.ErrUnavailable, err)
}

// classify adds to an error of the file system its meaning for the caller. Errors that may or may not pass, such as
// EIO, stay as they are.
func classify(err error) error {
	is := func(all ...error) bool {
		return slices.ContainsFunc(all, func(one error) bool { return errors.Is(err, one) })
	}
	switch {
	case is(syscall.ENOSPC, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", sandlot.ErrFull, err)
	// A missing blob was handled before: here the folder is gone, as when its disk is not mounted.
	case is(syscall.EMFILE, syscall.ENFILE, syscall.EROFS, fs.ErrPermission, fs.ErrClosed, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", sandlot.ErrUnavailable, err)
	}
	return err
}
