package blob

import (
	"bytes"
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestRegression36AFolderThatCannotBeReadHidesNoOther(t *testing.T) {
	t.Parallel()
	dir := testenv.MemoryDir(t)
	d, err := OpenDisk(dir, Options{})
	expect.OK(t, err)
	defer d.Close()
	var want []sandlot.BlobRef
	for range 8 {
		want = append(want, put(t, d, []byte("bytes")).Ref)
	}
	first := slices.Min(want)[:2]
	want = slices.DeleteFunc(want, func(ref sandlot.BlobRef) bool { return ref[:2] == first })
	for _, folder := range []string{string(first), tempFolder} {
		expect.OK(t, os.RemoveAll(filepath.Join(dir, folder)))
		expect.OK(t, os.WriteFile(filepath.Join(dir, folder), nil, 0o600))
	}
	var got []sandlot.BlobRef
	var last error
	for ref, err := range d.List(t.Context(), time.Now().Add(time.Hour)) {
		if last = err; err == nil {
			got = append(got, ref)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if last == nil || !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v; %v", got, want, last)
	}
}

// between calls do before it yields its bytes.
type between struct {
	do func()
	io.Reader
}

func (b *between) Read(p []byte) (int, error) {
	if b.do != nil {
		b.do()
		b.do = nil
	}
	return b.Reader.Read(p)
}

// TestRegression33WhatIsBeingWrittenIsKnownByItsName: on a file system whose clock is off, every temporary file looks
// like a left-over of a crash.
func TestRegression33WhatIsBeingWrittenIsKnownByItsName(t *testing.T) {
	t.Parallel()
	for what, off := range map[string]time.Duration{"a day behind": 24 * time.Hour, "a day ahead": -24 * time.Hour} {
		t.Run(what, func(t *testing.T) {
			dir := testenv.MemoryDir(t)
			d := openAt(t, dir, Options{})
			left := filepath.Join(dir, tempFolder, string(NewRef()))
			expect.OK(t, os.WriteFile(left, nil, 0o600))
			d.now = func() time.Time { return time.Now().Add(off) }
			data := []byte("bytes that come slowly")
			collect := func() {
				for range d.List(t.Context(), time.Now().Add(-time.Hour)) {
				}
			}
			b, err := d.Put(t.Context(), d.Name(), &between{collect, bytes.NewReader(data)})
			expect.OK(t, err, "a collection ended what was being written")
			b.SHA256 = sha256.Sum256(data)
			if got, err := read(d, b); err != nil || !bytes.Equal(got, data) {
				t.Errorf("read %q, %v", got, err)
			}
			_, err = os.Stat(left)
			expect.Is(t, "what a crash left is there still", err, fs.ErrNotExist)
			expect.Equal(t, "names are remembered", len(d.writing.names), 0)
		})
	}
}
