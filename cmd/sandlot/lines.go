package main

import (
	"io"
	"sync"
	"time"
)

const (
	// heldBytes bounds the lines that wait to be written.
	heldBytes = 32 << 10
	// heldTime is how long a line waits at the most: whoever follows the log does not notice, and what a crash of the
	// process loses of it is short.
	heldTime = 100 * time.Millisecond
)

// A lineWriter writes a log. What is written to it goes out at once, with all that
// was held before; what is held goes out a little later, together: a write of its
// own would cost more than many a request. It may be used concurrently.
type lineWriter struct {
	mu    sync.Mutex
	w     io.Writer
	held  []byte
	timer *time.Timer // runs while lines are held
}

func newLineWriter(w io.Writer) *lineWriter {
	l := &lineWriter{w: w, held: make([]byte, 0, heldBytes)}
	l.timer = time.AfterFunc(heldTime, func() { _ = l.Flush() }) // as slog, which does not hear of it either
	l.timer.Stop()
	return l
}

// Write writes a line now.
func (l *lineWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.flush(); err != nil {
		return 0, err
	}
	return l.w.Write(line)
}

// Hold writes a line within heldTime.
func (l *lineWriter) Hold(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.held)+len(line) > heldBytes {
		_ = l.flush() // as slog, which does not hear of it either
	}
	if len(l.held) == 0 {
		l.timer.Reset(heldTime)
	}
	l.held = append(l.held, line...)
}

// Flush writes what is held.
func (l *lineWriter) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flush()
}

func (l *lineWriter) flush() error {
	if len(l.held) == 0 {
		return nil
	}
	l.timer.Stop()
	_, err := l.w.Write(l.held)
	l.held = l.held[:0]
	return err
}
