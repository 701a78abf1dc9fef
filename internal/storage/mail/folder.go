package mail

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sandlot/internal/base/durable"
	"sandlot/internal/domain/account"
)

const (
	// unfinished begins the names of files that are being written.
	unfinished = ".unfinished-"
	// staleAfter is the age from which such a file is treated as a left-over of a crash: an hour, for a file that is
	// written in milliseconds.
	staleAfter = time.Hour
)

// Folder is an account.Mailer that writes each message as a file, complete as a mail server would get it, which any
// mail program opens. The name begins with the UTC time, so that a listing is in the order of sending. Messages stay
// until somebody removes them. Send may be called concurrently.
type Folder struct {
	dir    string
	writer *writer
}

var _ account.Mailer = (*Folder)(nil)

// NewFolder returns a Folder in dir, which it creates, with mode 0700, if it is missing. from is the sender: an
// address, or a name with an address in angle brackets.
func NewFolder(dir, from string) (*Folder, error) {
	w, err := newWriter(from)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open mail folder: %w", err)
	}
	f := &Folder{dir: dir, writer: w}
	if err := f.sweep(); err != nil {
		return nil, fmt.Errorf("open mail folder: %w", err)
	}
	return f, nil
}

// Send writes the message as a new file with mode 0600, which appears whole, or after a crash at worst not at all. An
// error of the disk may pass, and nothing is left of that message; an invalid Mail is an error that wraps
// account.ErrRefused.
func (f *Folder) Send(ctx context.Context, m account.Mail) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	msg, err := f.writer.write(m)
	if err != nil {
		return err
	}
	name := f.writer.now().UTC().Format("20060102T150405.000000000Z") + "-" + rand.Text()[:8] + ".eml"
	temp := filepath.Join(f.dir, unfinished+name)
	err = writeFile(temp, func(file *os.File) error {
		_, err := msg.WriteTo(file)
		return err
	})
	if err == nil {
		err = os.Rename(temp, filepath.Join(f.dir, name))
	}
	if err != nil {
		err = errors.Join(err, remove(temp))
		return fmt.Errorf("write message: %w", err)
	}
	return syncFolder(f.dir)
}

// syncFolder puts the new name on the disk too: the job of the message is about to be deleted.
func syncFolder(dir string) error {
	if err := durable.Sync(os.Open(dir)); err != nil {
		return fmt.Errorf("sync mail folder: %w", err)
	}
	return nil
}

// writeFile creates a file whose bytes are on the disk.
func writeFile(path string, write func(*os.File) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = write(file)
	if err == nil {
		// Before the rename, which could otherwise become durable first.
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// remove removes a file that need not exist.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sweep removes half-written files of a crash.
func (f *Folder) sweep() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	before := f.writer.now().Add(-staleAfter)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), unfinished) {
			continue
		}
		if fi, err := e.Info(); err == nil && fi.ModTime().Before(before) {
			if err := remove(filepath.Join(f.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
