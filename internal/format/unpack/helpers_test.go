package unpack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"sandlot/internal/testkit/expect"
)

var ample = Limits{Entries: 1000, File: 1 << 20, Total: 4 << 20}

// A file is one of an archive.
type file struct {
	name, data string
}

// collect returns a function that keeps each file, and the kept files.
func collect() (*[]file, Each) {
	got := &[]file{}
	return got, func(e Entry, r io.Reader) error {
		b, err := io.ReadAll(r)
		if err == nil && int64(len(b)) != e.Size {
			err = errors.New("the size of " + e.Name + " is wrong")
		}
		*got = append(*got, file{e.Name, string(b)})
		return err
	}
}

func unzip(b []byte, lim Limits) ([]file, error) {
	got, each := collect()
	err := ReadZIP(bytes.NewReader(b), int64(len(b)), lim, each)
	return *got, err
}

func untar(b []byte, f Format, lim Limits) ([]file, error) {
	got, each := collect()
	err := ReadTar(bytes.NewReader(b), f, lim, each)
	return *got, err
}

// zipOf makes a ZIP of files; a name that ends in a slash is a folder.
func zipOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		part, err := w.Create(f.name)
		expect.OK(t, err)
		_, err = io.WriteString(part, f.data)
		expect.OK(t, err)
	}
	expect.OK(t, w.Close())
	return b.Bytes()
}

// plainZIP makes a ZIP of stored files without descriptors, in which offsets are easy to find.
func plainZIP(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, UncompressedSize64: uint64(len(f.data)), CompressedSize64: uint64(len(f.data)), CRC32: sumOf(f.data)}
		part, err := w.CreateRaw(h)
		expect.OK(t, err)
		_, err = io.WriteString(part, f.data)
		expect.OK(t, err)
	}
	expect.OK(t, w.Close())
	return b.Bytes()
}

func tarOf(t testing.TB, headers ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		expect.OK(t, w.WriteHeader(h))
		if h.Typeflag == tar.TypeReg || h.Typeflag == 0 {
			_, err := w.Write(bytes.Repeat([]byte("x"), int(h.Size)))
			expect.OK(t, err)
		}
	}
	expect.OK(t, w.Close())
	return b.Bytes()
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	expect.OK(t, err)
	expect.OK(t, w.Close())
	return out.Bytes()
}

func zstded(t testing.TB, b []byte, opts ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, opts...)
	expect.OK(t, err)
	return w.EncodeAll(b, nil)
}

// refused fails unless err is an *Error of that reason and entry.
func refused(t testing.TB, err error, reason Reason, entry string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Reason != reason || e.Entry != entry {
		t.Errorf("%v (%+v), wanted %s of %q", err, e, reason, entry)
	}
}
