package blob

import (
	"io/fs"
	"sync"
)

// faulty is a file system that records its calls, and fails in places that a test sets.
type faulty struct {
	FS

	mu    sync.Mutex
	trace []step
	read  int64                       // bytes read from files
	fail  func(op, name string) error // may be nil; asked before each step
}

// step is one thing that was asked: "sync", "tmp/00...".
type step struct{ op, name string }

func (f *faulty) do(op, name string) error {
	f.mu.Lock()
	f.trace = append(f.trace, step{op, name})
	fail := f.fail
	f.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(op, name)
}

// failing makes the steps of the given operations fail from now on.
func (f *faulty) failing(err error, ops ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trace = nil
	f.fail = func(op, _ string) error {
		for _, o := range ops {
			if o == op {
				return err
			}
		}
		return nil
	}
}

// count returns how often an operation was called since failing was called.
func (f *faulty) count(op string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.trace {
		if s.op == op {
			n++
		}
	}
	return n
}

func (f *faulty) Create(name string) (TempFile, error) {
	if err := f.do("create", name); err != nil {
		return nil, err
	}
	t, err := f.FS.Create(name)
	return faultyTemp{t, f, name}, err
}

func (f *faulty) Open(name string) (File, error) {
	if err := f.do("open", name); err != nil {
		return nil, err
	}
	o, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return faultyFile{o, f, name}, nil
}

func (f *faulty) Stat(name string) (fs.FileInfo, error) {
	if err := f.do("stat", name); err != nil {
		return nil, err
	}
	return f.FS.Stat(name)
}

func (f *faulty) Mkdir(name string) error {
	if err := f.do("mkdir", name); err != nil {
		return err
	}
	return f.FS.Mkdir(name)
}

func (f *faulty) Rename(from, to string) error {
	if err := f.do("rename", to); err != nil {
		return err
	}
	return f.FS.Rename(from, to)
}

func (f *faulty) SyncDir(name string) error {
	if err := f.do("syncDir", name); err != nil {
		return err
	}
	return f.FS.SyncDir(name)
}

func (f *faulty) Remove(name string) error {
	if err := f.do("remove", name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

type faultyTemp struct {
	TempFile
	f    *faulty
	name string
}

func (t faultyTemp) Write(p []byte) (int, error) {
	if err := t.f.do("write", t.name); err != nil {
		n, _ := t.TempFile.Write(p[:len(p)/2]) // torn
		return n, err
	}
	return t.TempFile.Write(p)
}

func (t faultyTemp) Sync() error {
	if err := t.f.do("sync", t.name); err != nil {
		return err
	}
	return t.TempFile.Sync()
}

// Close closes in any case, as the kernel does.
func (t faultyTemp) Close() error {
	err := t.f.do("close", t.name)
	if cerr := t.TempFile.Close(); err == nil {
		err = cerr
	}
	return err
}

type faultyFile struct {
	File
	f    *faulty
	name string
}

func (o faultyFile) Read(p []byte) (int, error) {
	if err := o.f.do("read", o.name); err != nil {
		return 0, err
	}
	n, err := o.File.Read(p)
	o.f.mu.Lock()
	o.f.read += int64(n)
	o.f.mu.Unlock()
	return n, err
}

func (o faultyFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if err := o.f.do("readDir", o.name); err != nil {
		return nil, err
	}
	return o.File.ReadDir(n)
}

func (o faultyFile) Stat() (fs.FileInfo, error) {
	if err := o.f.do("fstat", o.name); err != nil {
		return nil, err
	}
	return o.File.Stat()
}

// Close closes in any case. Nothing fails by it.
func (o faultyFile) Close() error {
	_ = o.f.do("closeFile", o.name)
	return o.File.Close()
}
