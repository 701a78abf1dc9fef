package sqlite

import (
	"errors"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite maps the index of its log into memory. While a file system is frozen, as
// snapshots do, a write to a page of it waits in the kernel. That is no system call:
// Go cannot stop the thread, so the next garbage collection would hold up the whole
// process until the thaw.
//
// So the file system is asked before such writes, by a system call, which nothing
// but its caller waits for. They come after one of two things: a mark of what is
// read, under an exclusive lock, for which a reader that does not get it uses an
// older one; and the end of a commit or checkpoint, after a sync. This is a VFS of
// SQLite that asks there and leaves the rest to the one of the system.
//
// Between question and write there are microseconds. A freeze is in between only
// when it takes place while the thread has lost its processor just there.

const (
	vfsName      = "sandlot"
	vfsParameter = "&vfs=" + vfsName // of the name of a database
	firstMark    = 3                 // WAL_READ_LOCK(0): locks from here on are of marks
	// answerWait is how long an answer may take until the file system counts as frozen. It takes microseconds, on a busy machine
	// milliseconds; to be wrong costs a reader nothing.
	answerWait = 50 * time.Millisecond
)

// registered has made the VFS known to SQLite, once for the process, as SQLite's are.
var registered = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	base := sqlite3.Xsqlite3_vfs_find(tls, 0)
	own := libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(askingVFS{})))
	name, err := libc.CString(vfsName)
	if base == 0 || own == 0 || err != nil {
		return errors.New("there is no memory for a VFS of SQLite")
	}
	v := at[askingVFS](own)
	v.Tsqlite3_vfs = *at[sqlite3.Tsqlite3_vfs](base)
	v.base, v.baseSize = v.FxOpen, v.FszOsFile
	v.FzName, v.FxOpen = name, pointer(openAsking)
	v.FszOsFile += int32(unsafe.Sizeof(askingMethods{}))
	if rc := sqlite3.Xsqlite3_vfs_register(tls, own, 0); rc != sqlite3.SQLITE_OK {
		return errors.New("SQLite takes no VFS")
	}
	return nil
})

// askingVFS is the system's VFS but for xOpen.
type askingVFS struct {
	sqlite3.Tsqlite3_vfs
	base     uintptr // the system's xOpen
	baseSize int32   // of its files
}

// askingMethods are those of a file, which stand behind the file itself, where the
// VFS has asked for that much more.
type askingMethods struct {
	sqlite3.Tsqlite3_io_methods
	lock, sync uintptr // the system's
}

func openAsking(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	v := at[askingVFS](vfs)
	rc := as[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](v.base)(tls, vfs, name, file, flags, out)
	methods := &at[sqlite3.Tsqlite3_file](file).FpMethods
	if rc != sqlite3.SQLITE_OK || *methods == 0 {
		return rc
	}
	place := file + uintptr(v.baseSize)
	m := at[askingMethods](place)
	m.Tsqlite3_io_methods = *at[sqlite3.Tsqlite3_io_methods](*methods)
	m.lock, m.sync = m.FxShmLock, m.FxSync
	m.FxSync = pointer(syncAsking)
	if m.lock != 0 {
		m.FxShmLock = pointer(lockAsking)
	}
	*methods = place
	return rc
}

// lockAsking locks or unlocks bytes of the index. While the file system is frozen a
// lock that is for a mark is not given, as if another process had it.
func lockAsking(tls *libc.TLS, file uintptr, offset, n, flags int32) int32 {
	if flags == sqlite3.SQLITE_SHM_LOCK|sqlite3.SQLITE_SHM_EXCLUSIVE && offset >= firstMark && frozen.is(indexOf(file)) {
		return sqlite3.SQLITE_BUSY
	}
	m := at[askingMethods](at[sqlite3.Tsqlite3_file](file).FpMethods)
	return as[func(*libc.TLS, uintptr, int32, int32, int32) int32](m.lock)(tls, file, offset, n, flags)
}

// syncAsking ends when writes to the file system do not wait.
func syncAsking(tls *libc.TLS, file uintptr, flags int32) int32 {
	m := at[askingMethods](at[sqlite3.Tsqlite3_file](file).FpMethods)
	rc := as[func(*libc.TLS, uintptr, int32) int32](m.sync)(tls, file, flags)
	ask(int(at[sqlite3.TunixFile](file).Fh))
	return rc
}

// indexOf is the descriptor of a database's index, or -1.
func indexOf(file uintptr) int {
	inode := at[sqlite3.TunixFile](file).FpInode
	if inode == 0 {
		return -1
	}
	node := at[sqlite3.TunixInodeInfo](inode).FpShmNode
	if node == 0 {
		return -1
	}
	return int(at[sqlite3.TunixShmNode](node).FhShm)
}

// ask writes nothing to a file, for which it waits as a write would. What it is
// answered does not matter, not even if the descriptor was closed meanwhile.
func ask(fd int) { _, _ = syscall.Pwrite(fd, nil, 0) }

// frozen tells which files cannot be written, of all databases of the process.
var frozen questions

// questions are those that have no answer yet, one for each descriptor.
type questions struct {
	mu   sync.Mutex
	open map[int]question
}

type question struct {
	late     time.Time     // when a file without an answer counts as frozen
	answered chan struct{} // closed with the answer
}

// is reports whether writes to the file seem to wait, after answerWait at most for
// all who ask at once.
func (q *questions) is(fd int) bool {
	asked := q.ask(fd)
	late := time.NewTimer(time.Until(asked.late))
	defer late.Stop()
	select {
	case <-asked.answered:
		return false
	case <-late.C:
		return true
	}
}

func (q *questions) ask(fd int) question {
	q.mu.Lock()
	defer q.mu.Unlock()
	if asked, ok := q.open[fd]; ok {
		return asked
	}
	asked := question{late: time.Now().Add(answerWait), answered: make(chan struct{})}
	if q.open == nil {
		q.open = map[int]question{}
	}
	q.open[fd] = asked
	go func() {
		ask(fd)
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.open, fd)
		close(asked.answered)
	}()
	return asked
}

// at is what lies at an address of SQLite's memory, where nothing is moved.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// as is the function that SQLite knows by an address, and pointer the address of
// one of ours, which has to be a function of the package.
func as[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

func pointer(f any) uintptr {
	type iface [2]uintptr
	return (*iface)(unsafe.Pointer(&f))[1]
}
