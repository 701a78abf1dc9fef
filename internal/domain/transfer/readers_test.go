package transfer

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/format/names"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// medley is a shelf of two projects with names that some readers find hard, and files of 0 to 2 MiB; every other one
// has a gzip variant.
func medley(t *testing.T) *shelf {
	s := newShelf()
	for _, id := range []sandlot.ProjectID{"maze-abc123", "dusk-def456"} {
		s.add(id, "index.html", nil)
		for i, name := range []string{
			"a b/_~+=@.js", "#$&'();,.!x", "a/[]{}^`.css", "äßéλЖ/日本한.png", "אא😀", "deep/er/file;1", "A/UPPER.JS",
		} {
			safe, err := names.Filename(name)
			expect.OK(t, err, name)
			size := []int{0, 1, 18, 300, 65_535, 65_536, 2 << 20}[i]
			f := s.add(id, safe, bytes.Repeat([]byte("a"), size))
			if i%2 == 0 {
				s.pack(t, f)
			}
		}
	}
	return s
}

// want is every file of the shelf by its path in the archive.
func (s *shelf) want() map[string]string {
	out := map[string]string{}
	for id, files := range s.files {
		for _, f := range files {
			out[string(id)+"/"+f.Name] = string(s.blobs[f.Blob.Ref])
		}
	}
	return out
}

func TestReaders(t *testing.T) {
	s := medley(t)
	data := write(t, s.export("maze-abc123", "dusk-def456"), s)
	path := filepath.Join(t.TempDir(), "export.zip")
	expect.OK(t, os.WriteFile(path, data, 0o600))
	z := open(t, data)

	t.Run("archive/zip reads the original bytes of every file", func(t *testing.T) {
		got := map[string]string{}
		for _, f := range z.File[1:] {
			got[f.Name] = string(entry(t, f))
		}
		same(t, s.want(), got)
	})
	// unzip without -V takes ";" with digits at the end of a name for a version of VMS, and drops it.
	for name, unpack := range map[string][]string{
		"unzip":           {"unzip", "-qV", path},
		"bsdtar":          {"bsdtar", "-xf", path},
		"python3 zipfile": {"python3", "-m", "zipfile", "-e", path, "."},
	} {
		t.Run(name+" unpacks every file", func(t *testing.T) {
			t.Parallel()
			testenv.Need(t, unpack[0])
			dir := t.TempDir()
			command(t, dir, unpack)
			got := tree(t, dir)
			delete(got, "manifest.json")
			same(t, s.want(), got)
		})
	}
}

func same(t *testing.T, want, got map[string]string) {
	t.Helper()
	for name, data := range want {
		if g, ok := got[name]; !ok || g != data {
			t.Errorf("%q: there is %v, %d bytes, want %d", name, ok, len(g), len(data))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%q should not be there", name)
		}
	}
}

// run runs a program in a folder, in a locale with UTF-8, for some read file names by the locale.
func run(dir string, args []string) ([]byte, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C.UTF-8")
	return cmd.CombinedOutput()
}

func command(t *testing.T, dir string, args []string) {
	t.Helper()
	if out, err := run(dir, args); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		out[path] = string(data)
		return err
	})
	expect.OK(t, err)
	return out
}

// refuses proves that nobody takes data for a whole archive.
func refuses(t *testing.T, data []byte) {
	t.Helper()
	if _, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		t.Error("archive/zip takes it for whole")
	}
	path := filepath.Join(t.TempDir(), "export.zip")
	expect.OK(t, os.WriteFile(path, data, 0o600))
	testenv.Need(t, "unzip")
	if out, err := run(t.TempDir(), []string{"unzip", "-t", path}); err == nil {
		t.Errorf("unzip takes it for whole:\n%s", out)
	}
}
