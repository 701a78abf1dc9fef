package certificate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/caddyserver/certmagic"

	"sandlot/internal/base/durable"
)

// A folder keeps the account and the certificates. A stored file survives a loss of power; files are for the service's
// user alone. Its locks are the process's own, for one process has the data folder.
type folder struct {
	certmagic.FileStorage
	locks names
}

// Store writes a file beside its place, puts it on the disk, and renames it.
func (f *folder) Store(ctx context.Context, key string, value []byte) (err error) {
	to := f.Filename(key)
	if err := f.makeFolder(filepath.Dir(to)); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(to), ".new-*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name()) // a leftover harms nobody
		}
	}()
	_, err = temporary.Write(value)
	if err = errors.Join(err, durable.Sync(temporary, nil)); err != nil {
		return err
	}
	if err = os.Rename(temporary.Name(), to); err != nil {
		return err
	}
	return durable.Sync(os.Open(filepath.Dir(to)))
}

// makeFolder makes a folder below the root with those above it, each put on the disk.
func (f *folder) makeFolder(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if path != f.Path {
		if err := f.makeFolder(filepath.Dir(path)); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return durable.Sync(os.Open(filepath.Dir(path)))
}

// Lock implements certmagic.Locker.
func (f *folder) Lock(ctx context.Context, name string) error { return f.locks.lock(ctx, name) }

// TryLock implements certmagic.TryLocker.
func (f *folder) TryLock(_ context.Context, name string) (bool, error) { return f.locks.try(name), nil }

// Unlock implements certmagic.Locker.
func (f *folder) Unlock(_ context.Context, name string) error {
	f.locks.unlock(name)
	return nil
}

// names are locks by name.
type names struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed by unlock
}

func (n *names) try(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held[name] != nil {
		return false
	}
	if n.held == nil {
		n.held = map[string]chan struct{}{}
	}
	n.held[name] = make(chan struct{})
	return true
}

func (n *names) lock(ctx context.Context, name string) error {
	for !n.try(name) {
		n.mu.Lock()
		held := n.held[name]
		n.mu.Unlock()
		if held == nil {
			continue
		}
		select {
		case <-held:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (n *names) unlock(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.held[name])
	delete(n.held, name)
}
