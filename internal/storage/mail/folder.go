package mail

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	netmail "net/mail"
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
func NewFolder(dir, from, site string) (*Folder, error) {
	w, err := newWriter(from, site)
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
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = msg.WriteTo(file)
		// Before the rename, which could otherwise become durable first.
		err = errors.Join(err, durable.Sync(file, nil))
	}
	if err == nil {
		err = os.Rename(temp, filepath.Join(f.dir, name))
	}
	if err != nil {
		return fmt.Errorf("write message: %w", errors.Join(err, remove(temp)))
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
		info, gone := e.Info()
		if strings.HasPrefix(e.Name(), unfinished) && gone == nil && info.ModTime().Before(before) {
			err = errors.Join(err, remove(filepath.Join(f.dir, e.Name())))
		}
	}
	return err
}

// headMax bounds how much of a message is read to find its recipient: ours have less than 1 KiB before the body.
const headMax = 16 << 10

// Forget deletes all messages to an address from the folder dir, in which a Folder wrote them, and syncs it. Case makes
// no difference. A missing folder has none. Files that are no messages stay. After a failure it continues with the
// other files.
func Forget(ctx context.Context, dir, address string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read mail folder: %w", err)
	}
	var failed []error
	gone := false
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".eml") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		to, err := recipient(path)
		if err == nil && strings.EqualFold(to, address) {
			err, gone = remove(path), true
		}
		if err != nil && len(failed) < 3 {
			failed = append(failed, fmt.Errorf("delete message: %w", err))
		}
	}
	if gone {
		failed = append(failed, syncFolder(dir))
	}
	return errors.Join(failed...)
}

// recipient reads the recipient of a message; empty if the file is none.
func recipient(path string) (string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	if m, err := netmail.ReadMessage(io.LimitReader(file, headMax)); err == nil {
		if to, err := netmail.ParseAddress(m.Header.Get("To")); err == nil {
			return to.Address, nil
		}
	}
	return "", nil
}
