package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// The files in the folder of settings have one JSON object a line. Lines are only ever added, all that belong together at once, so
// that no two commands that run at the same time lose what the other has written.

// linesMax bounds such a file, in bytes: a line has 200, and each publish adds one to three.
const linesMax = 8 << 20

// appendLines adds lines, which are durable when it returns. Without lines it only finds out whether it could.
func appendLines[T any](path string, list []T) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, errors.New("it is no plain file"))
	}
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	text, err := lines(list, endsWithin(f, info.Size()))
	if err != nil || len(text) == 0 {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Sync()
}

// lines writes a list, on lines of their own even if the file ends within one.
func lines[T any](list []T, within bool) ([]byte, error) {
	var out bytes.Buffer
	if within && len(list) > 0 {
		out.WriteByte('\n')
	}
	for _, one := range list {
		if err := json.NewEncoder(&out).Encode(one); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// endsWithin reports whether a file of that size ends within a line.
func endsWithin(f *os.File, size int64) bool {
	last := make([]byte, 1)
	if size == 0 {
		return false
	}
	_, err := f.ReadAt(last, size-1)
	return err != nil || last[0] != '\n'
}

// readLines yields the lines of a file, oldest first, but for those that are damaged. A file that is not there has none.
func readLines[T any](path string, yield func(T)) error {
	info, err := os.Stat(path) // before it is opened, which waits where it is a pipe
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no plain file")
	}
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, linesMax+1))
	if err == nil && len(text) > linesMax {
		err = errors.New("it is larger than such a file can be")
	}
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		var one T
		if json.Unmarshal(line, &one) == nil {
			yield(one)
		}
	}
	return nil
}
