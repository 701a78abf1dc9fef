package blob

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// doing is a reader for Put that does something while it is read.
type doing struct {
	*bytes.Reader
	do func()
}

// Read implements io.Reader.
func (d doing) Read(p []byte) (int, error) {
	d.do()
	return d.Reader.Read(p)
}

func TestRegression09NothingIsStoredInAFolderThatIsNotInItsPlace(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(dir string) error{
		"renamed":  func(dir string) error { return os.Rename(dir, dir+".old") },
		"replaced": func(dir string) error { return errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o700)) },
		"replaced by a link to it": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir+".other", 0o700), os.Symlink(dir+".other", dir))
		},
		"its parent renamed": func(dir string) error { return os.Rename(filepath.Dir(dir), filepath.Dir(dir)+".old") },
		"deleted":            os.RemoveAll,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(testenv.MemoryDir(t), "data", "blobs")
			d, err := OpenDisk(dir, Options{})
			expect.OK(t, err)
			defer d.Close()
			kept, err := d.Put(t.Context(), d.Name(), bytes.NewReader([]byte("kept")))
			expect.OK(t, err)
			// The first is swapped in the middle, when all that it looked at before was well.
			once := false
			r := doing{bytes.NewReader(make([]byte, 1000)), func() {
				if !once {
					once = true
					if err := do(dir); err != nil {
						t.Error(err)
					}
				}
			}}
			for _, put := range []func() error{
				func() error { _, err := d.Put(t.Context(), d.Name(), r); return err },
				func() error { _, err := d.Put(t.Context(), d.Name(), bytes.NewReader([]byte("x"))); return err },
				func() error { return d.Ping(t.Context()) },
			} {
				if err := put(); !errors.Is(err, sandlot.ErrUnavailable) {
					t.Errorf("got %v", err)
				}
			}
			for _, err := range d.List(t.Context(), time.Now().Add(time.Hour)) {
				expect.Is(t, "the list", err, sandlot.ErrUnavailable)
			}
			if name != "renamed" {
				return
			}
			expect.OK(t, os.Rename(dir+".old", dir))
			if _, err := d.Put(t.Context(), d.Name(), bytes.NewReader([]byte("x"))); err != nil {
				t.Errorf("back in its place: %v", err)
			}
			var left []sandlot.BlobRef
			for ref := range d.List(t.Context(), time.Now().Add(time.Hour)) {
				left = append(left, ref)
			}
			if len(left) != 2 || (left[0] != kept.Ref && left[1] != kept.Ref) {
				t.Errorf("left: %v", left)
			}
		})
	}
}
