package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/format/check"
	"sandlot/internal/format/picture"
)

// Bounds of the evidence for a judge.
const (
	maxText    = 64 << 10  // bytes of the text of all pages
	maxPicture = 100 << 10 // bytes of the picture
	maxHosts   = 50
	maxFiles   = 1000 // that are read
)

// evidence holds the facts about a version that a judge gets. Title, Text and Hosts are words of strangers.
type evidence struct {
	Project   sandlot.ProjectID `json:"project_id"`
	URL       string            `json:"url"`
	Host      string            `json:"host"`
	Version   int               `json:"version"`
	New       bool              `json:"new"`
	Untrusted bool              `json:"untrusted"` // always true
	Title     string            `json:"title"`
	Text      string            `json:"text"`
	Hosts     []string          `json:"hosts"`
	Picture   []byte            `json:"picture"`
}

// Contents reads the files of projects; *publish.Contents is one.
type Contents interface {
	Files(ctx context.Context, id sandlot.ProjectID, version int) ([]sandlot.File, error)
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
}

// Pictures finds the screenshots of the play-tester; a cover.Store is one.
type Pictures interface {
	Cover(ctx context.Context, id sandlot.ProjectID) (sandlot.Project, cover.State, error)
	Picture(ctx context.Context, id sandlot.PictureID, width int) (cover.Kept, error)
}

// gather returns the evidence about a version as JSON. A version that is gone is sandlot.ErrNotFound.
func (r *Runner) gather(ctx context.Context, d Due) ([]byte, error) {
	p := d.Project
	address := r.Places.Project(p.ID, p.Version, p.Suffix)
	e := evidence{Project: p.ID, URL: address.URL, Version: p.Version, New: p.Version == 1, Untrusted: true, Title: p.Title, Hosts: []string{}}
	if e.URL == "" {
		e.URL = address.Path
	}
	if at, err := url.Parse(e.URL); err == nil {
		e.Host = at.Hostname()
	}
	if err := r.read(ctx, p, &e); err != nil {
		return nil, err
	}
	if d.Shot {
		var err error
		if e.Picture, err = r.picture(ctx, p.ID); err != nil {
			return nil, err
		}
	}
	return json.Marshal(e)
}

// read reads the pages of a version, the primary one first, and the scripts and styles beside them.
func (r *Runner) read(ctx context.Context, p sandlot.Project, e *evidence) error {
	files, err := r.Contents.Files(ctx, p.ID, p.Version)
	if err != nil {
		return fmt.Errorf("read the files: %w", err)
	}
	files = slices.DeleteFunc(files, func(f sandlot.File) bool { return !isPage(f.Name) && !check.Reads(f.Name) })
	slices.SortStableFunc(files, func(a, b sandlot.File) int { return rank(a, p) - rank(b, p) })
	var text strings.Builder
	found := map[string]bool{}
	left := int64(check.SampleAll)
	for _, f := range files[:min(len(files), maxFiles)] {
		n := min(f.Blob.Size, check.Sample, left)
		bytes, err := r.head(ctx, f.Blob, n)
		if err != nil {
			return fmt.Errorf("read %s: %w", f.Name, err)
		}
		left -= n
		if isPage(f.Name) {
			writeText(&text, f.Name, bytes)
		}
		for _, host := range check.Hosts(bytes, maxHosts) {
			if of, _ := r.Places.Hosts().Of(host); of == sandlot.NoOwner && len(found) < maxHosts {
				found[host] = true
			}
		}
	}
	e.Text = cut(text.String(), maxText)
	for host := range found {
		e.Hosts = append(e.Hosts, host)
	}
	slices.Sort(e.Hosts)
	return nil
}

// head returns the first n bytes of a blob. Damaged bytes are none.
func (r *Runner) head(ctx context.Context, b sandlot.Blob, n int64) ([]byte, error) {
	in, err := r.Contents.Open(ctx, b, 0, n)
	if errors.Is(err, sandlot.ErrCorrupt) {
		return nil, nil // they are shown to nobody
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// rank orders the files of a project: the primary one, the other pages, and the rest.
func rank(f sandlot.File, p sandlot.Project) int {
	switch {
	case f.Name == p.Primary:
		return 0
	case isPage(f.Name):
		return 1
	}
	return 2
}

// isPage reports whether browsers show a file of that name as a page with text.
func isPage(name string) bool {
	return slices.Contains([]string{".html", ".htm", ".xhtml", ".svg"}, strings.ToLower(path.Ext(name)))
}

// picture returns the screenshot of the last trial in the largest width that a judge takes, nil if there is none.
func (r *Runner) picture(ctx context.Context, id sandlot.ProjectID) ([]byte, error) {
	_, state, err := r.Pictures.Cover(ctx, id)
	if err != nil || state.Shot == "" {
		return nil, err
	}
	for _, width := range picture.Cover().Widths {
		kept, err := r.Pictures.Picture(ctx, state.Shot, width.Pixels)
		switch {
		case errors.Is(err, sandlot.ErrNotFound) || err == nil && kept.Blob.Size > maxPicture:
			continue
		case err != nil:
			return nil, err
		}
		return r.head(ctx, kept.Blob, -1)
	}
	return nil, nil
}
