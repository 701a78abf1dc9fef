package certificate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"sandlot/internal/testkit/expect"
)

func TestWhatIsKeptIsForTheServiceAlone(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "certificates")
	f := newFolder(root)
	for _, text := range []string{"first", "second"} {
		expect.OK(t, f.Store(t.Context(), "acme/users/kim/key.pem", []byte(text)))
		if got, err := f.Load(t.Context(), "acme/users/kim/key.pem"); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	files := 0
	expect.OK(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		info, ierr := d.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; info.Mode().Perm() != want {
			t.Errorf("%s is %s", path, info.Mode())
		}
		if !d.IsDir() {
			files++
		}
		return errors.Join(err, ierr)
	}))
	if files != 1 {
		t.Errorf("there are %d files", files)
	}
	if _, err := f.Load(t.Context(), "acme/missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	blocked := newFolder(filepath.Join(root, "file"))
	expect.OK(t, os.WriteFile(blocked.Path, nil, 0o600))
	if err := blocked.Store(t.Context(), "a/b", nil); err == nil {
		t.Error("it was stored below a file")
	}
}

func TestLocksByName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFolder("")
		expect.OK(t, f.Lock(t.Context(), "a"))
		if ok, err := f.TryLock(t.Context(), "a"); ok || err != nil {
			t.Errorf("a second holder: %v", err)
		}
		expect.OK(t, f.Lock(t.Context(), "b"))
		got := make(chan error)
		go func() { got <- f.Lock(t.Context(), "a") }()
		synctest.Wait()
		expect.OK(t, f.Unlock(t.Context(), "a"))
		expect.OK(t, <-got)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { got <- f.Lock(ctx, "a") }()
		synctest.Wait()
		cancel()
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}
