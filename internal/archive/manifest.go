package archive

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"sandlot/internal/mediatype"
	"sandlot/internal/publish"
)

// manifestName is the first entry. No project id has a dot, so nothing clashes.
const manifestName = "manifest.json"

// The manifest, format 1: {"format", "exported_at", "account", "projects": [...]}.
type account struct {
	Handle string `json:"handle"`
}

type project struct {
	ProjectID   string    `json:"project_id"`
	Title       *string   `json:"title"`
	URL         string    `json:"url"`
	Version     int       `json:"version"`
	PrimaryFile string    `json:"primary_file"`
	Lang        *string   `json:"lang"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	Stats       stats     `json:"stats"`
	Files       []file    `json:"files"`
}

type stats struct {
	PlayerCount int   `json:"player_count"`
	Plays       int64 `json:"plays"`
	Likes       int64 `json:"likes"`
}

type file struct {
	Filename    string `json:"filename"`
	Path        string `json:"path"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
	ContentType string `json:"content_type"`
}

// writeManifest writes one project after another, so that no list of all is held.
func writeManifest(ctx context.Context, z *zip.Writer, e publish.Export, src Source) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: manifestName, Method: zip.Deflate, Modified: e.ExportedAt.UTC()})
	if err != nil {
		return err
	}
	who, err := json.Marshal(account{Handle: e.Account.Handle})
	if err != nil {
		return err
	}
	at := e.ExportedAt.UTC().Format(time.RFC3339)
	if _, err := fmt.Fprintf(w, "{\n\"format\": 1,\n\"exported_at\": %q,\n\"account\": %s,\n\"projects\": [", at, who); err != nil {
		return err
	}
	for i, v := range e.Projects {
		if err := writeEntry(ctx, w, i, v, src); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "\n]\n}\n")
	return err
}

func writeEntry(ctx context.Context, w io.Writer, i int, v publish.ProjectView, src Source) error {
	files, err := src.FilesWith(ctx, v.Project.ID, v.Project.Version, packed)
	if err != nil {
		return fmt.Errorf("project %s: %w", v.Project.ID, err)
	}
	text, err := json.Marshal(describe(v, files))
	if err != nil {
		return err
	}
	separator := ",\n"
	if i == 0 {
		separator = "\n"
	}
	_, err = fmt.Fprintf(w, "%s%s", separator, text)
	return err
}

func describe(v publish.ProjectView, files []publish.File) project {
	p := v.Project
	out := project{
		ProjectID: string(p.ID), Title: optional(p.Title), URL: v.Addresses.URL, Version: p.Version,
		PrimaryFile: p.Primary, Lang: optional(p.Lang),
		CreatedAt: p.CreatedAt.UTC().Truncate(time.Second), UpdatedAt: p.UpdatedAt.UTC().Truncate(time.Second),
		Stats: stats{v.Stats.Players, v.Stats.Plays, v.Stats.Likes}, Files: make([]file, 0, len(files)),
	}
	for _, f := range files {
		out.Files = append(out.Files, file{f.Name, entryName(p, f), f.Blob.Size, f.Blob.SHA256.String(), mediatype.Of(f.Name, f.Blob.Text)})
	}
	return out
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
