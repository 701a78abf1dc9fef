package transfer

import (
	"bytes"
	"context"
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
