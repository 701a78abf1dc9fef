package blob

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"sandlot/internal/publish"
)

func TestCloneTo(t *testing.T) {
	for name, link := range map[string]bool{"linked": true, "copied": false} {
		t.Run(name, func(t *testing.T) {
			fromDir, toDir := t.TempDir(), t.TempDir()
			from, to := openAt(t, fromDir, Options{}), openAt(t, toDir, Options{})
			b := put(t, from, noise(300_000))
			for range 2 { // one that is there already is left alone
				if err := from.CloneTo(t.Context(), to, b.Ref, link); err != nil {
					t.Fatal(err)
				}
			}
			if err := to.SyncFolders(); err != nil {
				t.Error(err)
			}
			path := filepath.FromSlash(blobPath(b.Ref))
			one, err := os.Stat(filepath.Join(fromDir, path))
			if err != nil {
				t.Fatal(err)
			}
			other, err := os.Stat(filepath.Join(toDir, path))
			if err != nil || os.SameFile(one, other) != link || other.Mode().Perm() != 0o600 {
				t.Errorf("one file: %v, mode %v, %v", os.SameFile(one, other), other.Mode(), err)
			}
			if err := from.Delete(t.Context(), b.Ref); err != nil {
				t.Fatal(err)
			}
			if got, err := read(to, b); err != nil || !bytes.Equal(got, noise(300_000)) {
				t.Errorf("the clone has %d bytes, %v", len(got), err)
			}
			if got := files(t, toDir); len(got) != 1 {
				t.Errorf("there are %v", got)
			}
			for _, ref := range []publish.BlobRef{newRef(), "../escape", ""} {
				if err := from.CloneTo(t.Context(), to, ref, link); !errors.Is(err, publish.ErrNotFound) {
					t.Errorf("%q: %v", ref, err)
				}
			}
		})
	}
}
