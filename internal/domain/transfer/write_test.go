package transfer

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

func open(tb testing.TB, data []byte) *zip.Reader {
	tb.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	expect.OK(tb, err)
	return z
}

// entry reads a whole entry; archive/zip checks its CRC and size.
func entry(tb testing.TB, f *zip.File) []byte {
	tb.Helper()
	r, err := f.Open()
	expect.OK(tb, err, f.Name)
	defer r.Close()
	data, err := io.ReadAll(r)
	expect.OK(tb, err, f.Name)
	return data
}

func TestManifest(t *testing.T) {
	s := newShelf()
	page := s.add("maze-abc123", "index.html", []byte("<p>Grüße"))
	s.add("maze-abc123", "data/level 1.bin", []byte{0xff, 0})
	s.add("dusk-def456", "index.html", nil)
	e := s.export("maze-abc123", "dusk-def456")
	e.Projects[0].Project.Title, e.Projects[0].Project.Lang = `A "Maze" <3`, "de"
	e.Projects[0].Project.Unlisted, e.Projects[0].Project.Threads = true, true
	s.said = map[sandlot.ProjectID]string{"maze-abc123": `Find "out".`}
	e.Projects[0].Stats = sandlot.Stats{Players: 2, Plays: 1 << 40, Likes: 5}
	z := open(t, write(t, e, s))
	text := entry(t, z.File[0])

	t.Run("is the first entry", func(t *testing.T) {
		var names []string
		for _, f := range z.File {
			names = append(names, f.Name)
		}
		want := []string{"manifest.json", "maze-abc123/index.html", "maze-abc123/data/level 1.bin", "dusk-def456/index.html"}
		expect.Same(t, "entries", names, want)
	})
	t.Run("has exactly the contract's fields, in its forms", func(t *testing.T) {
		const none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // SHA-256 of nothing
		want := map[string]any{
			"format": 1.0, "exported_at": "2026-05-03T00:02:03Z",
			"account": map[string]any{"handle": "merry-otter"},
			"projects": []any{
				map[string]any{
					"project_id": "maze-abc123", "title": `A "Maze" <3`, "url": "https://maze-abc123.example.test/", "version": 3.0,
					"primary_file": "index.html", "lang": "de", "description": "Find \"out\".", "listed": false, "threads": true, "created_at": "2026-03-01T07:08:07Z", "updated_at": "2026-04-02T15:11:13Z",
					"stats": map[string]any{"player_count": 2.0, "plays": float64(1 << 40), "likes": 5.0},
					"files": []any{
						map[string]any{
							"filename": "index.html", "path": "maze-abc123/index.html", "size": 10.0,
							"sha256": page.Blob.SHA256.String(), "content_type": "text/html; charset=utf-8",
						},
						map[string]any{
							"filename": "data/level 1.bin", "path": "maze-abc123/data/level 1.bin", "size": 2.0,
							"sha256":       "ea5dbf9596d187e9500f23e9a680109475341cf4e81f7e043f7d97152c10772f",
							"content_type": "application/octet-stream",
						},
					},
				},
				map[string]any{
					"project_id": "dusk-def456", "title": nil, "url": "https://dusk-def456.example.test/", "version": 3.0,
					"primary_file": "index.html", "lang": nil, "description": "", "listed": true, "threads": false, "created_at": "2026-03-01T07:08:07Z", "updated_at": "2026-04-02T15:11:13Z",
					"stats": map[string]any{"player_count": 0.0, "plays": 0.0, "likes": 0.0},
					"files": []any{map[string]any{
						"filename": "index.html", "path": "dusk-def456/index.html", "size": 0.0,
						"sha256": none, "content_type": "text/html; charset=utf-8",
					}},
				},
			},
		}
		var got any
		expect.OK(t, json.Unmarshal(text, &got))
		expect.Same(t, "manifest", got, any(want))
	})
	t.Run("an account without projects has an empty list", func(t *testing.T) {
		var got map[string]any
		expect.OK(t, json.Unmarshal(entry(t, open(t, write(t, s.export(), s)).File[0]), &got))
		expect.Same(t, "projects", got["projects"], any([]any{}))
	})
	t.Run("no key, address or secret of the owner is in it", func(t *testing.T) {
		for _, word := range []string{"not@for.export", "secret"} {
			if strings.Contains(string(text), word) {
				t.Errorf("it has %q", word)
			}
		}
	})
	t.Run("a published manifest.json does not clash with it", func(t *testing.T) {
		s := newShelf()
		s.add("maze-abc123", "manifest.json", []byte("mine"))
		z := open(t, write(t, s.export("maze-abc123"), s))
		if got := z.File[1].Name; got != "maze-abc123/manifest.json" || string(entry(t, z.File[1])) != "mine" {
			t.Errorf("entry %q", got)
		}
	})
}

func TestDeterministic(t *testing.T) {
	s := newShelf()
	for _, id := range []sandlot.ProjectID{"maze-abc123", "dusk-def456"} {
		s.add(id, "plain.png", bytes.Repeat([]byte{1, 2, 3}, 50_000))
		s.pack(t, s.add(id, "index.html", bytes.Repeat([]byte("<p>text"), 999)))
	}
	e := s.export("maze-abc123", "dusk-def456")
	first := write(t, e, s)
	t.Run("the same export gives the same bytes", func(t *testing.T) {
		if !bytes.Equal(first, write(t, e, s)) {
			t.Error("they differ")
		}
	})
	t.Run("the time zone in which a store gives times makes no difference", func(t *testing.T) {
		e := s.export("maze-abc123", "dusk-def456")
		e.ExportedAt = e.ExportedAt.UTC()
		for i := range e.Projects {
			e.Projects[i].Project.UpdatedAt = e.Projects[i].Project.UpdatedAt.UTC()
		}
		if !bytes.Equal(first, write(t, e, s)) {
			t.Error("they differ")
		}
	})
	t.Run("a later export differs in exported_at and the time of its entry only", func(t *testing.T) {
		e := e
		e.ExportedAt = e.ExportedAt.Add(time.Hour)
		a, b := open(t, first), open(t, write(t, e, s))
		was, is := "2026-05-03T00:02:03Z", "2026-05-03T01:02:03Z"
		if got := string(entry(t, b.File[0])); got != strings.Replace(string(entry(t, a.File[0])), was, is, 1) {
			t.Errorf("manifest %s", got)
		}
		for i := range a.File {
			x, y := a.File[i].FileHeader, b.File[i].FileHeader
			if i == 0 {
				//lint:ignore SA1019 the whole header is compared
				y.Modified, y.ModifiedTime, y.CRC32, y.Extra = x.Modified, x.ModifiedTime, x.CRC32, x.Extra
			}
			expect.Same(t, x.Name, y, x)
			if ra, rb := raw(t, a.File[i]), raw(t, b.File[i]); i > 0 && !bytes.Equal(ra, rb) {
				t.Errorf("%s: other bytes", x.Name)
			}
		}
	})
}

func raw(tb testing.TB, f *zip.File) []byte {
	tb.Helper()
	r, err := f.OpenRaw()
	expect.OK(tb, err)
	data, err := io.ReadAll(r)
	expect.OK(tb, err)
	return data
}

func TestVariant(t *testing.T) {
	text := bytes.Repeat([]byte("let player = spawn(level);\n"), 4000)
	t.Run("its deflate stream is copied, nothing is compressed", func(t *testing.T) {
		s := newShelf()
		f := s.add("maze-abc123", "game.js", text)
		s.pack(t, f)
		got := open(t, write(t, s.export("maze-abc123"), s)).File[1]
		member := s.blobs[f.Variants[1].Blob.Ref]
		if stream := member[10 : len(member)-8]; !bytes.Equal(raw(t, got), stream) {
			t.Errorf("%d bytes, which are not the %d of the variant", got.CompressedSize64, len(stream))
		}
		if got.CRC32 != crc32.ChecksumIEEE(text) || got.UncompressedSize64 != uint64(len(text)) {
			t.Errorf("CRC %08x, size %d", got.CRC32, got.UncompressedSize64)
		}
		if !bytes.Equal(entry(t, got), text) {
			t.Error("it unpacks to something else")
		}
		expect.Same(t, "opened", s.opened, []sandlot.BlobRef{f.Variants[1].Blob.Ref})
	})
	t.Run("without one the plain bytes are framed, not compressed", func(t *testing.T) {
		s := newShelf()
		s.add("maze-abc123", "game.js", text)
		got := open(t, write(t, s.export("maze-abc123"), s)).File[1]
		if most := uint64(len(text) + len(text)/1000 + 16); got.CompressedSize64 < uint64(len(text)) || got.CompressedSize64 > most {
			t.Errorf("%d bytes became %d", len(text), got.CompressedSize64)
		}
	})
	t.Run("both kinds of entry have the same form", func(t *testing.T) {
		s := newShelf()
		s.add("maze-abc123", "ä ~1.js", text)
		s.pack(t, s.add("maze-abc123", "ä ~2.js", text))
		z := open(t, write(t, s.export("maze-abc123"), s))
		type form struct {
			Flags, Creator, Reader uint16
			Mode                   string
			Modified               time.Time
			DOS                    [2]uint16
			Extra                  []byte
		}
		of := func(f *zip.File) form {
			const descriptor = 8 // only one of them has its sizes afterwards
			return form{
				f.Flags &^ descriptor, f.CreatorVersion, f.ReaderVersion, f.Mode().String(), f.Modified.UTC(),
				[2]uint16{f.ModifiedDate, f.ModifiedTime},
				f.Extra,
			}
		}
		expect.Same(t, "the copied beside the plain", of(z.File[2]), of(z.File[1]))
		got := of(z.File[2])
		if got.Flags != utf8Name || got.Mode != "-rw-r--r--" || !got.Modified.Equal(updated.Truncate(time.Second)) {
			t.Errorf("form %+v", got)
		}
	})
}

func TestDamagedVariant(t *testing.T) {
	text := bytes.Repeat([]byte("let player = spawn(level);\n"), 4000)
	for name, damage := range map[string]func(*shelf, *sandlot.File){
		"is corrupt":                       func(s *shelf, f *sandlot.File) { s.broken[f.Variants[1].Blob.Ref] = sandlot.ErrCorrupt },
		"is gone":                          func(s *shelf, f *sandlot.File) { s.broken[f.Variants[1].Blob.Ref] = sandlot.ErrNotFound },
		"has a header of another length":   func(s *shelf, f *sandlot.File) { s.pack(t, f, 'x', 'y') },
		"is no gzip":                       func(s *shelf, f *sandlot.File) { clear(s.blobs[f.Variants[1].Blob.Ref]) },
		"is shorter than header and trail": func(s *shelf, f *sandlot.File) { f.Variants[1].Blob = s.blob(make([]byte, 18)) },
	} {
		t.Run("one that "+name+" is replaced by the plain bytes", func(t *testing.T) {
			s := newShelf()
			f := s.add("maze-abc123", "game.js", text)
			s.pack(t, f)
			damage(s, f)
			z := open(t, write(t, s.export("maze-abc123"), s))
			if len(z.File) != 2 || !bytes.Equal(entry(t, z.File[1]), text) {
				t.Errorf("%d entries, or other bytes", len(z.File))
			}
		})
	}
}
