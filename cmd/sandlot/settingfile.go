package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// fileWait is the longest wait for the bytes of a pipe: the program that writes to it already runs, and a start that
// waits for ever looks as if it had hung.
const fileWait = 10 * time.Second

// readBounded reads a file or a pipe of at most so many bytes. It neither waits nor reads without end, wherever the
// path leads.
func readBounded(path string, most int64) ([]byte, error) {
	// A pipe without a writer must not block the open.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_ = f.SetReadDeadline(time.Now().Add(fileWait)) // files ignore it and never wait; a folder is an error to read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), err == nil && len(text) == 0 && info.Mode()&fs.ModeNamedPipe != 0:
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("nobody writes into this pipe, or not to its end")}
	case err != nil:
		return nil, err
	case int64(len(text)) > most:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is larger than %s", size(most))}
	}
	return text, nil
}
