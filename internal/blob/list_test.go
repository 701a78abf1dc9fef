package blob

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sandlot/internal/publish"
)

func TestRegression36AFolderThatCannotBeReadHidesNoOther(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDisk(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var want []publish.BlobRef
	for range 8 {
		want = append(want, put(t, d, []byte("bytes")).Ref)
	}
	first := slices.Min(want)[:2]
	want = slices.DeleteFunc(want, func(ref publish.BlobRef) bool { return ref[:2] == first })
	for _, folder := range []string{string(first), tempFolder} {
		if err := os.RemoveAll(filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []publish.BlobRef
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
