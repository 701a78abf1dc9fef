package certificate

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/caddyserver/certmagic"

	"sandlot/internal/base/durable"
	"sandlot/internal/base/turns"
)

// A folder keeps the account and the certificates. A stored file survives a loss of power; files are for the service's
// user alone. Its locks are the process's own, for one process has the data folder.
type folder struct {
	certmagic.FileStorage
	locks *turns.Locks[string]
	held  sync.Map // the function that releases a lock, by the lock's name
}

func newFolder(path string) *folder {
	return &folder{FileStorage: certmagic.FileStorage{Path: path}, locks: turns.NewLocks[string]()}
}

// Store writes a file beside its place, syncs it, and renames it. Then it syncs all folders above, which may be new.
func (f *folder) Store(ctx context.Context, key string, value []byte) error {
	if err := f.FileStorage.Store(ctx, key, value); err != nil {
		return err
	}
	for path := f.Filename(key); path != f.Path; {
		path = filepath.Dir(path)
		if err := durable.Sync(os.Open(path)); err != nil {
			return err
		}
	}
	return durable.Sync(os.Open(filepath.Dir(f.Path)))
}

// Lock implements certmagic.Locker.
func (f *folder) Lock(ctx context.Context, name string) error {
	unlock, err := f.locks.Lock(ctx, name)
	if err == nil {
		f.held.Store(name, unlock)
	}
	return err
}

// TryLock implements certmagic.TryLocker.
func (f *folder) TryLock(_ context.Context, name string) (bool, error) {
	unlock, ok := f.locks.Try(name)
	if ok {
		f.held.Store(name, unlock)
	}
	return ok, nil
}

// Unlock implements certmagic.Locker.
func (f *folder) Unlock(_ context.Context, name string) error {
	unlock, _ := f.held.LoadAndDelete(name)
	unlock.(func())()
	return nil
}
