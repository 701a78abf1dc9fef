package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// shelf is a Source in memory.
type shelf struct {
	said     map[sandlot.ProjectID]string
	versions map[sandlot.ProjectID][]sandlot.VersionChange // newest first
	old      map[oldVersion][]sandlot.File

	files  map[sandlot.ProjectID][]sandlot.File
	blobs  map[sandlot.BlobRef][]byte
	broken map[sandlot.BlobRef]error // what Open answers instead
	cut    map[sandlot.BlobRef]error // how reading ends in the middle
	opened []sandlot.BlobRef
	mu     sync.Mutex
	open   int // streams that are not closed
	most   int // of them at once

	forgets sandlot.ProjectID // the project that is gone when its files are asked for again
}

type oldVersion struct {
	id sandlot.ProjectID
	n  int
}

func newShelf() *shelf {
	return &shelf{
		files: map[sandlot.ProjectID][]sandlot.File{}, blobs: map[sandlot.BlobRef][]byte{},
		broken: map[sandlot.BlobRef]error{}, cut: map[sandlot.BlobRef]error{},
	}
}

func (s *shelf) Described(_ context.Context, id sandlot.ProjectID) (publish.Details, error) {
	if _, ok := s.files[id]; !ok {
		return publish.Details{}, sandlot.ErrNotFound
	}
	return publish.Details{Description: s.said[id]}, nil
}

func (s *shelf) VersionsBelow(_ context.Context, id sandlot.ProjectID, before, limit int) (list []sandlot.VersionChange, err error) {
	for _, v := range s.versions[id] {
		if v.N < before && len(list) < limit {
			list = append(list, v)
		}
	}
	return list, nil
}

func (s *shelf) FilesWith(_ context.Context, id sandlot.ProjectID, n int, _ string) ([]sandlot.File, error) {
	files, ok := s.files[id]
	if !ok {
		return nil, sandlot.ErrNotFound
	}
	if old, ok := s.old[oldVersion{id, n}]; ok {
		return old, nil
	}
	if id == s.forgets {
		delete(s.files, id)
	}
	return files, nil
}

func (s *shelf) Open(_ context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	s.opened = append(s.opened, b.Ref)
	if err := s.broken[b.Ref]; err != nil {
		return nil, err
	}
	data := s.blobs[b.Ref]
	if n < 0 {
		n = int64(len(data)) - off
	}
	part := data[off : off+n]
	if end, ok := s.cut[b.Ref]; ok {
		return s.stream(io.MultiReader(bytes.NewReader(part[:len(part)/2]), failing{end})), nil
	}
	return s.stream(bytes.NewReader(part)), nil
}

// stream is one that is counted until it is closed.
type stream struct {
	io.Reader
	s *shelf
}

func (s *shelf) stream(r io.Reader) io.ReadCloser {
	s.count(1)
	return stream{r, s}
}

func (s stream) Close() error {
	s.s.count(-1)
	return nil
}

func (s *shelf) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += n
	s.most = max(s.most, s.open)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func (s *shelf) blob(data []byte) sandlot.Blob {
	id := int64(len(s.blobs) + 1)
	b := sandlot.Blob{
		ID: id, Ref: sandlot.BlobRef(fmt.Sprintf("blob%d", id)), Size: int64(len(data)),
		SHA256: sha256.Sum256(data), Text: utf8.Valid(data),
	}
	s.blobs[b.Ref] = data
	return b
}

// add puts a file into a project, which it makes if need be.
func (s *shelf) add(id sandlot.ProjectID, name string, data []byte) *sandlot.File {
	s.files[id] = append(s.files[id], sandlot.File{Name: name, Blob: s.blob(data), Squeezed: true})
	return &s.files[id][len(s.files[id])-1]
}

// pack gives a file its gzip variant, made with the library and level that the service makes them with.
func (s *shelf) pack(tb testing.TB, f *sandlot.File, extra ...byte) {
	tb.Helper()
	data := s.blobs[f.Blob.Ref]
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, 8)
	expect.OK(tb, err)
	w.Extra = extra
	_, err = w.Write(data)
	expect.OK(tb, err)
	expect.OK(tb, w.Close())
	f.Variants = []sandlot.Variant{
		{Encoding: "br", Blob: s.blob([]byte("not looked at"))},
		{Encoding: "gzip", Blob: s.blob(out.Bytes()), CRC32: crc32.ChecksumIEEE(data)},
	}
}

var (
	created  = time.Date(2026, 3, 1, 9, 8, 7, 123456000, time.FixedZone("", 2*3600))
	updated  = time.Date(2026, 4, 2, 10, 11, 13, 999999000, time.FixedZone("", -5*3600))
	exported = time.Date(2026, 5, 3, 1, 2, 3, 4, time.FixedZone("", 3600))
)

// export is an export of the shelf's projects of these ids.
func (s *shelf) export(ids ...sandlot.ProjectID) publish.Export {
	e := publish.Export{Account: sandlot.Account{ID: 7, Handle: "merry-otter", Email: "not@for.export"}, ExportedAt: exported}
	for _, id := range ids {
		e.Projects = append(e.Projects, publish.ProjectView{
			Project: sandlot.Project{
				ID: id, Handle: "merry-otter", Primary: "index.html", Version: 3, Suffix: "secret",
				CreatedAt: created, UpdatedAt: updated,
			},
			Addresses: sandlot.Addresses{URL: "https://" + string(id) + ".example.test/", Version: "https://secret.example.test/"},
		})
	}
	return e
}

// write writes an export, which has to be whole.
func write(tb testing.TB, e publish.Export, src Source) []byte {
	tb.Helper()
	var out bytes.Buffer
	expect.OK(tb, Write(context.Background(), &out, e, src))
	if s, ok := src.(*shelf); ok {
		expect.Equal(tb, "streams that are left open", s.open, 0)
	}
	isWhole(tb, out.Bytes())
	return out.Bytes()
}

// isWhole fails the test unless each path that the manifest names leads to bytes of its hash.
func isWhole(tb testing.TB, data []byte) {
	tb.Helper()
	z := open(tb, data)
	held := map[string]string{}
	for _, f := range z.File {
		held[f.Name] = fmt.Sprintf("%x", sha256.Sum256(entry(tb, f)))
	}
	var m struct {
		Projects []struct {
			Files    []fileEntry
			Versions []versionEntry
		}
	}
	expect.OK(tb, json.Unmarshal(entry(tb, z.File[0]), &m))
	for _, p := range m.Projects {
		files := p.Files
		for _, v := range p.Versions {
			files = append(files, v.Files...)
		}
		for _, f := range files {
			if held[f.Path] != f.SHA256 {
				tb.Errorf("%s has other bytes, or is not there", f.Path)
			}
		}
	}
}
