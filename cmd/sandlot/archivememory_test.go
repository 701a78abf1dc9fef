package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// archiveMegabytes is how much the large archives unpack to; SANDLOT_TEST_ARCHIVE says another number.
const archiveMegabytes = 200

// TestSoakMemoryOfArchives: an archive of any size, sent as the body of a call, stays under 32 MiB over idle, with as many
// files as there may be. An import of so many also has the directory of the archive and what the manifest says of each: 48 MiB. An update
// also has the list of those that were there, and comes while the variants of all files are being made: 40 MiB.
func TestSoakMemoryOfArchives(t *testing.T) {
	testenv.Unraced(t)
	const limit, changed, imported = 32 << 20, 40 << 20, 48 << 20
	size := int64(archiveMegabytes)
	if told, err := strconv.ParseInt(os.Getenv("SANDLOT_TEST_ARCHIVE"), 10, 64); err == nil {
		size = told
	}
	once, twice := []string{"publish"}, []string{"publish", "update?replace=true"}
	for _, c := range []struct {
		what  string
		write func(io.Writer, int, int64) error
		typed string
		files int
		each  int64
		limit int64
		calls []string
	}{
		{"a few large files in a ZIP", writeZIP, "application/zip", 20, size * 1_000_000 / 20, limit, once},
		{"a few large files in a tar.gz", writeTarGzip, "application/gzip", 20, size * 1_000_000 / 20, limit, once},
		{"10,000 files in a ZIP", writeZIP, "application/zip", 10_000, 2000, limit, once},
		{"10,000 files in a tar.gz, twice", writeTarGzip, "application/gzip", 10_000, 2000, changed, twice},
		{"a few large files in an export", writeExport, "application/zip", 20, size * 1_000_000 / 40, limit, []string{"import"}},
		{"10,000 files in an export", writeExport, "application/zip", 10_000, 2000, imported, []string{"import"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel() // each has a server of its own
			s := testenv.Start(t, testenv.Binary(t))
			key := signUp(t, s)
			idle := peak(t, s)
			for _, call := range c.calls {
				sendArchive(t, s.URL()+"/v1/"+call, key, c.typed, func(w io.Writer) error { return c.write(w, c.files, c.each) })
			}
			over := peak(t, s) - idle
			t.Logf("peak memory over idle: %d KiB (idle %d KiB)", over>>10, idle>>10)
			if over > c.limit {
				t.Errorf("peak memory is %d bytes over idle, more than %d", over, c.limit)
			}
		})
	}
}

// sendArchive sends what write writes, as it is written.
func sendArchive(t *testing.T, url, key, typed string, write func(io.Writer) error) {
	t.Helper()
	r, w := io.Pipe()
	go func() { w.CloseWithError(write(w)) }()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, r)
	expect.OK(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", typed)
	resp, err := http.DefaultClient.Do(req)
	expect.OK(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	if resp.StatusCode >= http.StatusMultipleChoices || strings.Contains(string(text), `"failed":1`) {
		t.Fatalf("%s: %d %.300s", url, resp.StatusCode, text)
	}
}

// archived are the name and the bytes of the file of that number, which are text that is packed to a tenth or so.
func archived(i int, size int64) (string, io.Reader) {
	name := fmt.Sprintf("d%d/f%05d.txt", i%100, i)
	if i == 0 {
		name = "index.html"
	}
	line := fmt.Sprintf("file %d has lines such as this one, \u00e4nd ", i) + strings.Repeat("0123456789abcdef", 60) + "\n"
	return name, io.LimitReader(&lines{text: line}, size)
}

// lines repeats a text, each time after its number.
type lines struct {
	text string
	rest string
	n    int
}

func (l *lines) Read(b []byte) (int, error) {
	if l.rest == "" {
		l.n++
		l.rest = strconv.Itoa(l.n) + l.text
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func writeZIP(to io.Writer, files int, each int64) error {
	return writeFiles(zip.NewWriter(to), files, each)
}

func writeFiles(w *zip.Writer, files int, each int64) error {
	for i := range files {
		name, content := archived(i, each)
		f, err := w.Create(name)
		if err != nil {
			return err
		}
		if _, err := io.Copy(f, content); err != nil {
			return err
		}
	}
	return w.Close()
}

// writeExport writes an export of one project.
func writeExport(to io.Writer, files int, each int64) error {
	list := make([]map[string]any, files)
	for i := range list {
		name, content := archived(i, each)
		h := sha256.New()
		if _, err := io.Copy(h, content); err != nil {
			return err
		}
		list[i] = map[string]any{"filename": name, "path": name, "size": each, "sha256": hex.EncodeToString(h.Sum(nil))}
	}
	text, err := json.Marshal(map[string]any{"format": 1, "projects": []any{map[string]any{"project_id": "big-000000", "primary_file": "index.html", "files": list}}})
	if err != nil {
		return err
	}
	w := zip.NewWriter(to)
	f, err := w.Create("manifest.json")
	if err == nil {
		_, err = f.Write(text)
	}
	if err != nil {
		return err
	}
	return writeFiles(w, files, each)
}

func writeTarGzip(to io.Writer, files int, each int64) error {
	z := gzip.NewWriter(to)
	w := tar.NewWriter(z)
	for i := range files {
		name, content := archived(i, each)
		if err := w.WriteHeader(&tar.Header{Name: name, Size: each, Mode: 0o644}); err != nil {
			return err
		}
		if _, err := io.Copy(w, content); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), z.Close())
}
