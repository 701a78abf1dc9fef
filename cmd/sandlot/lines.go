package main

import (
	"io"
	"sync"
	"time"
)

const (
	// heldBytes is the most bytes of lines that wait to be written.
	heldBytes = 32 << 10
	// heldTime is the longest wait of a line: a reader of the log does not notice it, and a crash of the process loses
	// little.
	heldTime = 100 * time.Millisecond
)

// A lineWriter writes a log. Write writes a line at once, with all that are held; held lines are written a little
// later, together: a separate write would cost more than many a request. It may be used concurrently.
type lineWriter struct {
	mu    sync.Mutex
	w     io.Writer
	held  []byte
	timer *time.Timer // runs while lines are held
}

func newLineWriter(w io.Writer) *lineWriter {
	l := &lineWriter{w: w, held: make([]byte, 0, heldBytes)}
	l.timer = time.AfterFunc(heldTime, func() { _ = l.Flush() }) // slog, too, ignores its error
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
		_ = l.flush() // slog, too, ignores its error
	}
	if len(l.held) == 0 {
		l.timer.Reset(heldTime)
	}
	l.held = append(l.held, line...)
}

// Flush writes the held lines.
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
