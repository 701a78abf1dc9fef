package inbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sandlot/internal/base/worker"
)

// poll is how often a maildir is looked at: a person who reports a page waits longer for anything.
const poll = 2 * time.Second

// A Maildir takes the messages that a mail server puts into a folder.
type Maildir struct {
	Folder   string
	Inbox    *Inbox
	Failures *worker.Failures
}

// Prepare makes the three folders of a maildir, where they are missing.
func (m *Maildir) Prepare() error {
	for _, name := range []string{"tmp", "new", "cur"} {
		if err := os.MkdirAll(filepath.Join(m.Folder, name), 0o770); err != nil {
			return err
		}
	}
	return nil
}

// Run reads the messages in new, and moves them to cur, until ctx ends.
func (m *Maildir) Run(ctx context.Context) {
	worker.Every(ctx, poll, func() {
		switch err := m.Take(ctx); {
		case err == nil:
			m.Failures.Worked()
		case ctx.Err() == nil:
			m.Failures.Add(1)
			m.Inbox.Log.Warn("reports by mail wait in the folder", "folder", m.Folder, "error", err)
		}
	})
}

// Take takes the messages in the folder new, in the order of their names. A message that was recorded and not moved is taken
// again, and makes no second report. A message that is too large is moved alone; a message without permission to read it
// stays, and is an error after the others were taken.
func (m *Maildir) Take(ctx context.Context) error {
	entries, err := os.ReadDir(filepath.Join(m.Folder, "new"))
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if ctx.Err() != nil {
			break
		}
		err := m.one(ctx, e.Name())
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		errs = append(errs, fmt.Errorf("message %s: %w", e.Name(), err))
		if !errors.Is(err, fs.ErrPermission) { // the next would fail as well
			break
		}
	}
	return errors.Join(errs...)
}

func (m *Maildir) one(ctx context.Context, name string) error {
	path := filepath.Join(m.Folder, "new", name)
	raw, err := readMessage(path)
	if err == nil && len(raw) > MaxMessage {
		m.Inbox.Log.Warn("report by mail is too large", "message", name, "limit", MaxMessage)
	} else if err == nil {
		err = m.Inbox.take(ctx, raw, false)
	}
	if err != nil {
		return err
	}
	return os.Rename(path, filepath.Join(m.Folder, "cur", name+":2,S"))
}

// readMessage reads a message up to a byte above the limit. Anything but a file counts as missing.
func readMessage(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxMessage+1))
}
