package testenv

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A Template is a file that takes long to make: it is made once for each test
// program, and copied for each test. Under the race detector the migrations of an
// empty database take two seconds, a copy of it a millisecond.
type Template struct {
	Make func(path string) error // writes the file; it must be complete in it when this returns

	once sync.Once
	data []byte
	err  error
}

// Lay writes a copy to path, unless there is a file already. It may be called
// concurrently for different paths.
func (m *Template) Lay(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	m.once.Do(m.make)
	if m.err != nil {
		t.Fatalf("make a template: %v", m.err)
	}
	if err := os.WriteFile(path, m.data, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func (m *Template) make() {
	dir, err := os.MkdirTemp("", "template")
	if err != nil {
		m.err = err
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "file")
	if m.err = m.Make(path); m.err == nil {
		m.data, m.err = os.ReadFile(path)
	}
}
