// Package spool holds bytes of a call that are too many for the memory: the first of them in memory, the rest in a
// temporary file without a name, so that nothing is left of it when the process ends.
package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Memory is how many bytes of a spool are kept in memory: enough for most calls. More would be noticeable where one
// call has two, and the system caches a short-lived file in memory anyway.
const Memory = 256 << 10

// A Spool holds the bytes written to it until it is closed. One goroutine at a time writes; several may read the
// written bytes at once.
type Spool struct {
	dir  string
	head []byte
	file *os.File
	name string // of the file, if the system keeps an open file's name
	rest int64

	full, failed error
}

// New returns a spool whose file, if it needs one, is in the folder dir. An error of the disk is the error full if it
// has no room, and otherwise failed, such as when the folder is gone or no more files can be opened.
func New(dir string, full, failed error) *Spool { return &Spool{dir: dir, full: full, failed: failed} }

// Size returns the number of bytes written.
func (s *Spool) Size() int64 { return int64(len(s.head)) + s.rest }

// Write implements io.Writer. If there is no room, it undoes the part of p that it wrote.
func (s *Spool) Write(p []byte) (int, error) {
	kept := min(Memory-len(s.head), len(p))
	if kept < len(p) {
		if err := s.append(p[kept:]); err != nil {
			return 0, err
		}
	}
	s.head = append(s.head, p[:kept]...)
	return len(p), nil
}

// append writes to the end of the file.
func (s *Spool) append(p []byte) error {
	if s.file == nil {
		if err := s.open(); err != nil {
			return s.refused(fmt.Errorf("open temporary file: %w", err))
		}
	}
	if _, err := s.file.WriteAt(p, s.rest); err != nil {
		return s.refused(fmt.Errorf("write temporary file: %w", err))
	}
	s.rest += int64(len(p))
	return nil
}

// open creates the file, and removes its name.
func (s *Spool) open() error {
	file, err := os.CreateTemp(s.dir, ".spool-*")
	if err != nil {
		return err
	}
	s.file = file
	if os.Remove(file.Name()) != nil {
		s.name = file.Name() // Windows
	}
	return nil
}

// refused returns full or failed for an error of the disk.
func (s *Spool) refused(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", s.full, err)
	}
	return fmt.Errorf("%w: %w", s.failed, err)
}

// ReadAt implements io.ReaderAt.
func (s *Spool) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("read spool at %d", off)
	}
	head := int64(len(s.head))
	if off < head {
		n = copy(p, s.head[off:])
	}
	if left := s.rest - (off + int64(n) - head); n < len(p) && left > 0 {
		more, err := s.file.ReadAt(p[n:min(len(p), n+int(left))], off+int64(n)-head)
		if n += more; err != nil {
			return n, s.refused(fmt.Errorf("read temporary file: %w", err))
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close frees the memory and the file. It may be called more than once.
func (s *Spool) Close() error {
	s.head, s.rest = nil, 0
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.file = nil; s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	return err
}
