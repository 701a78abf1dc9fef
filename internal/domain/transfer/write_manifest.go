package transfer

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/mediatype"
)

// The manifest: {"format", "exported_at", "account", "projects": [...]}. Format 2 is format 1 with the versions of each
// project. Readers of a format ignore unknown names, so an additional name is the same format.
const (
	plainFormat   = 1
	historyFormat = 2
)

type account struct {
	Handle   string     `json:"handle"`
	Portrait *fileEntry `json:"portrait,omitempty"`
}

type projectEntry struct {
	ProjectID   string      `json:"project_id"`
	Title       *string     `json:"title"`
	URL         string      `json:"url"`
	Version     int         `json:"version"`
	PrimaryFile string      `json:"primary_file"`
	Lang        *string     `json:"lang"`
	Description string      `json:"description"`
	Tags        []string    `json:"tags,omitempty"`
	Listed      bool        `json:"listed"`
	Threads     bool        `json:"threads"`
	CreatedAt   time.Time   `json:"created_at"`
	UpdatedAt   time.Time   `json:"updated_at"`
	Stats       stats       `json:"stats"`
	Cover       *fileEntry  `json:"cover,omitempty"` // the picture that its owner sent
	Files       []fileEntry `json:"files"`
}

// versionEntry is a kept version of a project, or an erased one, of which nothing else is left.
type versionEntry struct {
	Version      int         `json:"version"`
	CreatedAt    time.Time   `json:"created_at"`
	Title        *string     `json:"title"`
	PrimaryFile  string      `json:"primary_file,omitempty"`
	RestoredFrom int         `json:"restored_from,omitempty"`
	Erased       bool        `json:"erased,omitempty"`
	Files        []fileEntry `json:"files,omitempty"`
}

type stats struct {
	PlayerCount int   `json:"player_count"`
	Plays       int64 `json:"plays"`
	Likes       int64 `json:"likes"`
}

type fileEntry struct {
	Filename    string `json:"filename"`
	Path        string `json:"path"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
	ContentType string `json:"content_type"`
}

// writeManifest writes one project after another, so that no list of all is held.
func writeManifest(ctx context.Context, z *zip.Writer, e publish.Export, l *plan) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: manifestName, Method: zip.Deflate, Modified: e.ExportedAt.UTC()})
	if err != nil {
		return err
	}
	who, err := json.Marshal(account{Handle: e.Account.Handle, Portrait: l.describePicture(e, "")})
	if err != nil {
		return err
	}
	format := plainFormat
	if e.History {
		format = historyFormat
	}
	const begin = "{\n\"format\": %d,\n\"exported_at\": %q,\n\"account\": %s,\n\"projects\": ["
	if _, err := fmt.Fprintf(w, begin, format, e.ExportedAt.UTC().Format(time.RFC3339), who); err != nil {
		return err
	}
	for i, v := range e.Projects {
		if _, err := io.WriteString(w, separator(i)); err != nil {
			return err
		}
		if err := writeEntry(ctx, w, v, e, l); err != nil {
			return fmt.Errorf("project %s: %w", v.Project.ID, err)
		}
	}
	_, err = io.WriteString(w, "\n]\n}\n")
	return err
}

// separator returns the text before the element i of a list.
func separator(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}

func writeEntry(ctx context.Context, w io.Writer, v publish.ProjectView, e publish.Export, l *plan) error {
	p := v.Project
	files, err := l.current(ctx, p)
	if err != nil {
		return err
	}
	l.due += len(files)
	d, err := l.Described(ctx, p.ID)
	if err != nil && !errors.Is(err, sandlot.ErrNotFound) { // of a project deleted meanwhile the files are still there
		return err
	}
	about := describe(v, files)
	about.Description, about.Cover = d.Description, l.describePicture(e, p.ID)
	text, err := json.Marshal(about)
	if err != nil {
		return err
	}
	if !e.History {
		_, err = w.Write(text)
		return err
	}
	if _, err = fmt.Fprintf(w, "%s, \"versions\": [", text[:len(text)-1]); err != nil {
		return err
	}
	if err := writeVersions(ctx, w, p, files, l); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n]}")
	return err
}

// writeVersions writes one version after another, the oldest first, because all of them may have very many files. A
// version that was erased, also since it was listed, comes without files.
func writeVersions(ctx context.Context, w io.Writer, p sandlot.Project, current []sandlot.File, l *plan) error {
	list, err := versionsOf(ctx, p, l)
	if err != nil {
		return err
	}
	at := pathsOf(p, current)
	for i, v := range list {
		files := current
		if v.N != p.Version && !v.Erased {
			files, err = l.FilesWith(ctx, p.ID, v.N, packed)
			v.Erased = errors.Is(err, sandlot.ErrNotFound)
			if err != nil && !v.Erased {
				return fmt.Errorf("version %d: %w", v.N, err)
			}
		}
		about, own := describeVersion(v, files, at)
		l.add(p.ID, own)
		text, err := json.Marshal(about)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s%s", separator(i), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// describeVersion also returns the files of the version that neither an earlier version nor the current one has.
func describeVersion(v sandlot.VersionChange, files []sandlot.File, at *paths) (versionEntry, pastVersion) {
	out := versionEntry{Version: v.N, CreatedAt: v.CreatedAt.UTC().Truncate(time.Second), Erased: v.Erased}
	own := pastVersion{n: v.N, at: v.CreatedAt}
	if v.Erased {
		return out, own
	}
	out.Title, out.PrimaryFile, out.RestoredFrom = optional(v.Title), v.Primary, v.RestoredFrom
	for _, f := range files {
		path, fresh := at.of(v.N, f)
		out.Files = append(out.Files, describeFile(f, path))
		if fresh {
			own.files = append(own.files, f)
		}
	}
	return out, own
}

func describe(v publish.ProjectView, files []sandlot.File) projectEntry {
	p := v.Project
	out := projectEntry{
		ProjectID: string(p.ID), Title: optional(p.Title), URL: v.Addresses.URL, Version: p.Version,
		PrimaryFile: p.Primary, Lang: optional(p.Lang), Listed: !p.Unlisted, Threads: p.Threads, Tags: p.Tags.List(),
		CreatedAt: p.CreatedAt.UTC().Truncate(time.Second), UpdatedAt: p.UpdatedAt.UTC().Truncate(time.Second),
		Stats: stats{v.Stats.Players, v.Stats.Plays, v.Stats.Likes}, Files: make([]fileEntry, 0, len(files)),
	}
	for _, f := range files {
		out.Files = append(out.Files, describeFile(f, entryName(p, f)))
	}
	return out
}

func describeFile(f sandlot.File, path string) fileEntry {
	return fileEntry{f.Name, path, f.Blob.Size, f.Blob.SHA256.String(), mediatype.Of(f.Name, f.Blob.Text)}
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// pictureOf returns the cover that the owner of a project sent or, without a project, the portrait as files of the
// archive. An export of less than an account has no portrait.
func pictureOf(e publish.Export, id sandlot.ProjectID) (f sandlot.File, ok bool) {
	if id == "" && !e.Whole {
		return f, false
	}
	p, ok := e.Pictures[id]
	return sandlot.File{Name: picturePath(p), Blob: p.Blob}, ok
}

// picturePath returns the path of a picture. No project id has a dot, so no file of a project lies there.
func picturePath(p publish.SentPicture) string {
	ending := ".jpg"
	if strings.HasPrefix(string(p.ID), sandlot.PNGPicture) {
		ending = ".png"
	}
	if p.Project == "" {
		return "portrait" + ending
	}
	return string(p.Project) + ".cover" + ending
}

func (l *plan) describePicture(e publish.Export, id sandlot.ProjectID) *fileEntry {
	f, ok := pictureOf(e, id)
	if !ok {
		return nil
	}
	l.due++
	out := describeFile(f, f.Name)
	return &out
}

func writePicture(
	ctx context.Context, z *zip.Writer, e publish.Export, id sandlot.ProjectID, at time.Time, l *plan,
) error {
	f, ok := pictureOf(e, id)
	if !ok {
		return nil
	}
	l.due--
	err := damaged(writeOpened(z, f.Name, at, openOne(ctx, f, l)), "the picture %s", f.Name)
	if e, refused := errors.AsType[*sandlot.Error](err); refused {
		return e.Note("Send that picture again on the website, then export again.")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}
