package sqlstore

import (
	"os"
	"path/filepath"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestFault10FilesThatAreGone: a write to a file that was deleted or replaced is synced and yet lost, so it is not
// acknowledged.
func TestFault10FilesThatAreGone(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(path string) error{
		"the folder is deleted":     func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"the file is moved away":    func(path string) error { return os.Rename(path, path+".old") },
		"the file is replaced":      replace,
		"the log alone is deleted":  func(path string) error { return os.Remove(path + "-wal") },
		"the log alone is replaced": func(path string) error { return replace(path + "-wal") },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(testenv.MemoryDir(t), "data", "sandlot.db")
			expect.OK(t, os.Mkdir(filepath.Dir(path), 0o700))
			db := mustOpen(t, path)
			p := mustProject(t, db, 1)
			expect.OK(t, do(path))
			count := map[sandlot.ProjectID]gallery.Counts{p.ID: {Plays: 1}}
			expect.Is(t, "a write", second(db.Gallery().AddCounts(t.Context(), count)), sandlot.ErrUnavailable)
			expect.Is(t, "another", second(db.Gallery().AddCounts(t.Context(), count)), sandlot.ErrUnavailable)
			expect.Is(t, "ping", db.Ping(t.Context()), sandlot.ErrUnavailable)
			_, err := db.Publish().Project(t.Context(), p.ID)
			expect.Is(t, "a read", err, nil)
		})
	}
	t.Run("a fresh Ping finds out by itself", func(t *testing.T) {
		path := filepath.Join(testenv.MemoryDir(t), "sandlot.db")
		db := mustOpen(t, path)
		expect.Is(t, "ping before", db.Ping(t.Context()), nil)
		expect.OK(t, os.Remove(path))
		expect.Is(t, "ping", db.Ping(t.Context()), sandlot.ErrUnavailable)
	})
}

// replace puts a copy in the place of a file, as a backup that is recovered under a running server.
func replace(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
