package blob

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestListPassesForeignFilesOver(t *testing.T) {
	t.Parallel()
	dir := testenv.MemoryDir(t)
	d := openAt(t, dir, Options{})
	b := put(t, d, noise(100))
	old := time.Now().Add(-time.Hour)
	plant := func(name string, at time.Time) {
		t.Helper()
		path := filepath.Join(dir, name)
		expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		expect.OK(t, os.WriteFile(path, []byte("x"), 0o600))
		expect.OK(t, os.Chtimes(path, at, at))
	}
	other := string(NewRef())
	wrong := "00"
	if other[:2] == wrong {
		wrong = "01"
	}
	for _, name := range []string{"notes.txt", "00/readme", "tmp/thumbs.db", wrong + "/" + other, "00/" + string(b.Ref) + ".bak"} {
		plant(name, old)
	}
	plant("00/new", time.Now().Add(time.Hour))
	plant("extra/deep", old)
	expect.OK(t, os.Chtimes(filepath.Join(dir, "extra"), old, old))
	for ref, err := range d.List(t.Context(), time.Now().Add(time.Hour)) {
		expect.OK(t, err)
		expect.Equal(t, "a listed blob", ref, b.Ref)
	}
}

func TestExistingLeavesAFolderAsItIs(t *testing.T) {
	t.Parallel()
	dir := testenv.MemoryDir(t)
	if _, err := OpenDisk(filepath.Join(dir, "none"), Options{Existing: true}); !os.IsNotExist(err) && err == nil {
		t.Error("a folder that is not there was opened")
	}
	left := filepath.Join(dir, tempFolder, string(NewRef()))
	expect.OK(t, os.MkdirAll(filepath.Dir(left), 0o700))
	expect.OK(t, os.WriteFile(left, nil, 0o600))
	old := time.Now().Add(-48 * time.Hour)
	expect.OK(t, os.Chtimes(left, old, old))
	d := openAt(t, dir, Options{Existing: true})
	for _, err := range d.List(t.Context(), time.Now()) {
		expect.OK(t, err)
	}
	entries, err := os.ReadDir(dir)
	if _, gone := os.Stat(left); gone != nil || err != nil || len(entries) != 1 {
		t.Errorf("the folder has changed: %v %v %v", gone, err, entries)
	}
}
