package blob

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestCloneTo(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]bool{"linked": true, "copied": false} {
		t.Run(name, func(t *testing.T) {
			fromDir, toDir := testenv.MemoryDir(t), testenv.MemoryDir(t)
			from, to := openAt(t, fromDir, Options{}), openAt(t, toDir, Options{})
			b := put(t, from, noise(300_000))
			for range 2 { // an existing blob is left alone
				expect.OK(t, from.CloneTo(t.Context(), to, b.Ref, link))
			}
			expect.OK(t, to.SyncFolders())
			path := filepath.FromSlash(Path(b.Ref))
			one, err := os.Stat(filepath.Join(fromDir, path))
			expect.OK(t, err)
			other, err := os.Stat(filepath.Join(toDir, path))
			if err != nil || os.SameFile(one, other) != link || other.Mode().Perm() != 0o600 {
				t.Errorf("one file: %v, mode %v, %v", os.SameFile(one, other), other.Mode(), err)
			}
			expect.OK(t, from.Delete(t.Context(), b.Ref))
			if got, err := read(to, b); err != nil || !bytes.Equal(got, noise(300_000)) {
				t.Errorf("the clone has %d bytes, %v", len(got), err)
			}
			if got := files(t, toDir); len(got) != 1 {
				t.Errorf("there are %v", got)
			}
			for _, ref := range []sandlot.BlobRef{NewRef(), "../escape", ""} {
				expect.Is(t, string(ref), from.CloneTo(t.Context(), to, ref, link), sandlot.ErrNotFound)
			}
		})
	}
}
