package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// past is a shelf of a project with the versions 1 to 3, of which the second was erased.
func past(t *testing.T) (*shelf, publish.Export) {
	s := newShelf()
	page := s.add("maze-abc123", "index.html", []byte("third"))
	s.add("maze-abc123", "twin.html", []byte("third"))
	same := s.add("maze-abc123", "same.js", []byte("same"))
	s.pack(t, same)
	old := sandlot.File{Name: "index.html", Blob: s.blob([]byte("first")), Squeezed: true}
	moved := sandlot.File{Name: "moved/same.js", Blob: same.Blob, Variants: same.Variants, Squeezed: true}
	copied := sandlot.File{Name: "copied.html", Blob: old.Blob, Squeezed: true}
	version := func(n int, erased bool) sandlot.VersionChange {
		return sandlot.VersionChange{Version: sandlot.Version{N: n, Suffix: "secret", Title: "Maze", Primary: page.Name, CreatedAt: created.Add(time.Duration(n) * time.Hour)}, Erased: erased}
	}
	s.versions = map[sandlot.ProjectID][]sandlot.VersionChange{"maze-abc123": {version(4, false), version(3, false), version(2, true), version(1, false)}}
	s.versions["maze-abc123"][1].RestoredFrom = 1
	s.old = map[oldVersion][]sandlot.File{{"maze-abc123", 1}: {copied, old, moved}}
	e := s.export("maze-abc123")
	e.History = true
	return s, e
}

func TestHistory(t *testing.T) {
	s, e := past(t)
	first := write(t, e, s)
	z := open(t, first)
	var m struct {
		Format   int
		Projects []struct{ Versions []versionEntry }
	}
	expect.OK(t, json.Unmarshal(entry(t, z.File[0]), &m))
	t.Run("all versions up to the exported one are named, the oldest first, an erased one without files", func(t *testing.T) {
		var got []int
		for _, v := range m.Projects[0].Versions {
			got = append(got, v.Version, len(v.Files))
		}
		expect.Same(t, "versions and their files", got, []int{1, 3, 2, 0, 3, 3})
		expect.Same(t, "format", m.Format, 2)
		second, third := m.Projects[0].Versions[1], m.Projects[0].Versions[2]
		if !second.Erased || second.Title != nil || third.RestoredFrom != 1 || third.CreatedAt.Format(time.RFC3339) != "2026-03-01T10:08:07Z" {
			t.Errorf("%+v, %+v", second, third)
		}
	})
	t.Run("the current version lies under its names, and of earlier ones each content once", func(t *testing.T) {
		var names []string
		for _, f := range z.File {
			names = append(names, f.Name)
		}
		want := []string{"manifest.json", "maze-abc123/index.html", "maze-abc123/twin.html", "maze-abc123/same.js", "maze-abc123.v1/copied.html"}
		expect.Same(t, "entries", names, want)
	})
	t.Run("the same export gives the same bytes, and holds no secret", func(t *testing.T) {
		if !bytes.Equal(first, write(t, e, s)) || bytes.Contains(entry(t, z.File[0]), []byte("secret")) {
			t.Error("they differ, or an address of a version is in it")
		}
	})
}

func TestHistoryThatCannotBeReadBreaksTheExportOff(t *testing.T) {
	s, e := past(t)
	for _, files := range s.old {
		s.broken[files[0].Blob.Ref] = sandlot.ErrCorrupt
	}
	err := Write(t.Context(), &bytes.Buffer{}, e, s)
	expect.Is(t, "damaged bytes of an earlier version", err, sandlot.CodeBlobCorrupt)
}

// erasing is a shelf of which the first version is erased at the first file.
type erasing struct{ *shelf }

func (e erasing) Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error) {
	e.versions["maze-abc123"][3].Erased = true
	return e.shelf.Open(ctx, b, off, n)
}

func TestRegressionM01WhatTheManifestNamesIsWritten(t *testing.T) {
	s, e := past(t)
	z := open(t, write(t, e, erasing{s}))
	expect.Equal(t, "entry of the erased version", z.File[len(z.File)-1].Name, "maze-abc123.v1/copied.html")
}

// shrinking is a shelf whose lists have a file less each time.
type shrinking struct{ *shelf }

func (s shrinking) FilesWith(_ context.Context, id sandlot.ProjectID, _ int, _ string) ([]sandlot.File, error) {
	s.files[id] = s.files[id][1:]
	return s.files[id], nil
}

func TestRegressionM01AnArchiveWithoutWhatItsManifestNamesIsBroken(t *testing.T) {
	s := newShelf()
	one := s.blob([]byte("x"))
	for range listedFiles + 10 { // more than are remembered
		s.files["maze-abc123"] = append(s.files["maze-abc123"], sandlot.File{Name: "x.js", Blob: one})
	}
	if err := Write(t.Context(), io.Discard, s.export("maze-abc123"), shrinking{s}); err == nil {
		t.Error("an archive that lacks a file is written as a whole one")
	}
}
