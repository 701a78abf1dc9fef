package unpack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sandlot/internal/testkit/expect"
)

// A drawing is a *rapid.T, which is no testing.TB.
type drawing interface {
	Helper()
	Fatal(args ...any)
}

func must(t drawing, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

func same(t drawing, got, want []file) {
	if !slices.Equal(got, want) {
		t.Helper()
		t.Fatal("other files came out: ", shown(got), ", wanted ", shown(want))
	}
}

func shown(list []file) (out []string) {
	for _, f := range list {
		out = append(out, fmt.Sprintf("%q %d %x", f.name, len(f.data), sumOf(f.data)))
	}
	return out
}

func sumOf(s string) uint32 { return crc32.ChecksumIEEE([]byte(s)) }

// drawFiles draws a tree of files, with a folder here and there.
func drawFiles(t *rapid.T) []file {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`([a-zä世][a-z0-9]{0,20}/){0,4}[a-zü]{1,90}\.[a-z]{1,4}`), 0, 12, rapid.ID).Draw(t, "names")
	var list []file
	for _, name := range names {
		data := rapid.OneOf(rapid.Just(""), rapid.StringN(0, 40, 100), rapid.Map(rapid.IntRange(0, 70_000), func(n int) string { return strings.Repeat("abc", n) })).Draw(t, "data")
		list = append(list, file{name, data})
	}
	return list
}

func TestEveryTreeComesOutOfAnArchiveAsItWentIn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		files := drawFiles(rt)
		got, err := unzip(drawZIP(rt, files), ample)
		must(rt, err)
		same(rt, got, files)
		plain := drawTar(rt, files)
		for f, b := range map[Format][]byte{Tar: plain, TarGzip: gzipped(t, plain), TarZstd: zstded(t, plain)} {
			got, err := untar(b, f, ample)
			must(rt, err)
			same(rt, got, files)
			if sniffed, ok := Sniff(b); len(files) > 0 && (!ok || sniffed != f) {
				rt.Errorf("%s looks like %q", f, sniffed)
			}
		}
	})
}

// drawZIP packs files as archive/zip does, in any of its ways.
func drawZIP(t *rapid.T, files []file) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		if rapid.Bool().Draw(t, "folder") {
			_, err := w.Create(f.name + ".d/")
			must(t, err)
		}
		h := &zip.FileHeader{Name: f.name, Method: rapid.SampledFrom([]uint16{zip.Store, zip.Deflate}).Draw(t, "method")}
		h.NonUTF8 = rapid.Bool().Draw(t, "no flag")
		if rapid.Bool().Draw(t, "raw") {
			h.Method, h.CRC32, h.UncompressedSize64, h.CompressedSize64 = zip.Store, sumOf(f.data), uint64(len(f.data)), uint64(len(f.data))
			part, err := w.CreateRaw(h)
			must(t, err)
			_, err = io.WriteString(part, f.data)
			must(t, err)
			continue
		}
		part, err := w.CreateHeader(h)
		must(t, err)
		_, err = io.WriteString(part, f.data)
		must(t, err)
	}
	must(t, w.SetComment(rapid.StringMatching(`[a-z]{0,30}`).Draw(t, "comment")))
	must(t, w.Close())
	return b.Bytes()
}

func drawTar(t *rapid.T, files []file) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	format := rapid.SampledFrom([]tar.Format{tar.FormatPAX, tar.FormatGNU}).Draw(t, "format")
	for _, f := range files {
		if rapid.Bool().Draw(t, "folder") {
			must(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: f.name + ".d/", Mode: 0o755, Format: format}))
		}
		must(t, w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.data)), Mode: 0o644, Format: format}))
		_, err := io.WriteString(w, f.data)
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func library(b []byte) (list []file, err error) {
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	for _, f := range r.File {
		name := strings.ReplaceAll(f.Name, `\`, "/")
		if strings.HasSuffix(name, "/") || f.FileInfo().IsDir() {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		list = append(list, file{name, string(data)})
	}
	return list, nil
}

func TestLimitsHoldOnWhatIsUnpacked(t *testing.T) {
	t.Parallel()
	bomb := strings.Repeat("\x00", 3<<20)
	header := &tar.Header{Name: "a", Size: 3 << 20, Mode: 0o600}
	packed := map[Format][]byte{ZIP: zipOf(t, file{"a", bomb}, file{"b", "b"}), Tar: tarOf(t, header, &tar.Header{Name: "b", Size: 1})}
	packed[TarGzip], packed[TarZstd] = gzipped(t, packed[Tar]), zstded(t, packed[Tar])
	for f, b := range packed {
		read := func(lim Limits, each Each) error {
			if f == ZIP {
				return ReadZIP(bytes.NewReader(b), int64(len(b)), lim, each)
			}
			return ReadTar(bytes.NewReader(b), f, lim, each)
		}
		t.Run(string(f), func(t *testing.T) {
			_, each := collect()
			refused(t, read(Limits{Entries: 1, File: 4 << 20, Total: 4 << 20}, each), TooMany, "")
			refused(t, read(Limits{Entries: 2, File: 1 << 20, Total: 4 << 20}, each), TooLarge, "a")
			refused(t, read(Limits{Entries: 2, File: 4 << 20, Total: 3 << 20}, each), TotalLarge, "b")
			expect.OK(t, read(Limits{Entries: 2, File: 3 << 20, Total: 3<<20 + 1}, each))
			leftOut := func(Entry, io.Reader) error { return nil }
			expect.OK(t, read(Limits{Entries: 2, File: 1, Total: 4 << 20}, leftOut)) // of a file that nobody reads
		})
	}
}

func TestHeadersWithoutEntriesCostNoMoreThanTheLimits(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	for range 40 { // extensions that belong to no entry
		w := tar.NewWriter(&b)
		expect.OK(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": strings.Repeat("x", 1<<19)}}))
		expect.OK(t, w.Flush())
	}
	_, err := untar(gzipped(t, b.Bytes()), TarGzip, Limits{Entries: 100, File: 1, Total: 1 << 20})
	refused(t, err, TotalLarge, "")
}

func TestAnErrorOfEitherSideComesBackUnchanged(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	b := zipOf(t, file{"a", "a"})
	plain := tarOf(t, &tar.Header{Name: "a", Size: 5000})
	each := func(Entry, io.Reader) error { return stop }
	for f, b := range map[Format][]byte{Tar: plain, TarGzip: gzipped(t, plain), TarZstd: zstded(t, plain)} {
		expect.Is(t, string(f), ReadTar(bytes.NewReader(b), f, ample, each), stop)
		_, keep := collect()
		cut := io.MultiReader(bytes.NewReader(b[:len(b)/2]), failing{stop})
		if err := ReadTar(cut, f, ample, keep); !errors.Is(err, stop) {
			t.Errorf("%s: %v", f, err)
		}
	}
	expect.Is(t, "zip", ReadZIP(bytes.NewReader(b), int64(len(b)), ample, each), stop)
	_, keep := collect()
	if err := ReadZIP(failing{stop}, int64(len(b)), ample, keep); !errors.Is(err, stop) {
		t.Error(err)
	}
}

// failing reads nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error)          { return 0, f.err }
func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

func TestNamesAreHandedOnAsTheyAre(t *testing.T) {
	t.Parallel()
	names := []string{`js\a.js`, "../x", "/etc/passwd", "a//b", "./c", "C:/d"}
	want := []string{"js/a.js", "../x", "/etc/passwd", "a//b", "./c", "C:/d"}
	var files []file
	var headers []*tar.Header
	for _, name := range names {
		files = append(files, file{name: name})
		headers = append(headers, &tar.Header{Name: name})
	}
	zipped, err := unzip(zipOf(t, files...), ample)
	expect.OK(t, err)
	tarred, err := untar(tarOf(t, headers...), Tar, ample)
	expect.OK(t, err)
	for i, name := range want {
		if zipped[i].name != name || tarred[i].name != name {
			t.Errorf("%q and %q, wanted %q", zipped[i].name, tarred[i].name, name)
		}
	}
}

func TestSniffTellsNothingOfOtherBytes(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"", "P", "<!doctype html>", "\x89PNG\r\n", "BZh9", "7z\xbc\xaf\x27\x1c", strings.Repeat("\x00", 512), fmt.Sprint(make([]int, 600))} {
		if f, ok := Sniff([]byte(head)); ok {
			t.Errorf("%q looks like %s", head, f)
		}
	}
}
