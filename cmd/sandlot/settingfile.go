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

// fileWait bounds the wait for what a pipe brings: the program that writes into it runs
// already, and a start that waits for one that never comes looks as if it had hung.
const fileWait = 10 * time.Second

// readBounded reads a file, or what comes through a pipe, of at most so many bytes. It
// neither waits without end nor reads without end, whatever the path leads to.
func readBounded(path string, most int64) ([]byte, error) {
	// So that a pipe into which nobody writes does not hold up the open.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_ = f.SetReadDeadline(time.Now().Add(fileWait)) // what has none never waits: a file, or a folder, which is an error to read
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
