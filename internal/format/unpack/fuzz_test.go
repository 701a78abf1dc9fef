package unpack

import (
	"archive/tar"
	"bytes"
	"io"
	"testing"
)

func FuzzUnpack(f *testing.F) {
	plain := tarOf(f, &tar.Header{Name: "a", Size: 700}, &tar.Header{Typeflag: tar.TypeDir, Name: "d/"}, &tar.Header{Name: "d/ä", Size: 1})
	for _, b := range [][]byte{zipOf(f, file{"a", "aaaaaaaa"}, file{"d/", ""}, file{"d/b", ""}), plainZIP(f, file{"a", "a"}), plain, gzipped(f, plain), zstded(f, plain)} {
		f.Add(b)
	}
	lim := Limits{Entries: 50, File: 64 << 10, Total: 128 << 10}
	f.Fuzz(func(t *testing.T, b []byte) {
		n := int64(0)
		each := func(e Entry, r io.Reader) error {
			m, err := io.Copy(io.Discard, r)
			n += m
			if m > e.Size || err == nil && m != e.Size {
				t.Errorf("%q has %d bytes and says %d", e.Name, m, e.Size)
			}
			return err
		}
		if format, ok := Sniff(b); !ok || format == ZIP {
			_ = ReadZIP(bytes.NewReader(b), int64(len(b)), lim, each)
		} else {
			_ = ReadTar(bytes.NewReader(b), format, lim, each)
		}
		if n > lim.Total {
			t.Errorf("%d bytes came out", n)
		}
	})
}
