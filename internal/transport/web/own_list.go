package web

import (
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/format/mediatype"
	"sandlot/internal/format/names"
)

// ownFilesPage is the number of files and folders on the page of a project: each has forms of its own.
const ownFilesPage = 100

// foundFilesPage is the same for a search: its page is sent uncompressed.
const foundFilesPage = 10

// wantedFiles selects the files of a project that a page lists.
type wantedFiles struct {
	In    string // only files in this folder, which ends with a slash; empty: the project's root
	Query string // only files whose path contains this, from all folders; empty: In counts
	After string // only rows after this path
	Must  string // a file that must be on the page; it overrides the other fields
}

// A listing is a page of a project's files and folders.
type listing struct {
	wantedFiles
	Rows  []fileRow
	Next  string // the path before the next page; empty: there is none
	Later bool   // whether there is a page before this one
	Found int    // the number of files and folders on all pages
}

// A fileRow is a file, or a folder with the count and size of its files.
type fileRow struct {
	sandlot.File
	Path  string // of a folder with its slash
	Label string // its name relative to the folder
	Count int    // files in the folder; 0: it is a file
	Size  int64
}

// Folder reports whether the row is a folder.
func (r fileRow) Folder() bool { return r.Count > 0 }

// Removable reports whether the file may be deleted: the file that players open may not.
func (r fileRow) Removable(primary string) bool { return r.Path != primary && r.Path != "index.html" }

// listFiles lists files, which are sorted by name. Its cost is bounded by their number.
func listFiles(files []sandlot.File, want wantedFiles) listing {
	if want.Must != "" {
		want.In, want.Query, want.After = folderOf(want.Must), "", ""
	}
	rows := rowsOf(files, want)
	if len(rows) == 0 && want.Query == "" && want.In != "" { // its last file is gone
		want.In = ""
		rows = rowsOf(files, want)
	}
	start := 0
	for i, r := range rows {
		switch {
		case r.Path == want.After:
			start = i + 1
		case r.Path == want.Must:
			start = i - i%ownFilesPage
		}
	}
	size := ownFilesPage
	if want.Query != "" {
		size = foundFilesPage
	}
	end := min(start+size, len(rows))
	l := listing{wantedFiles: want, Rows: rows[start:end], Later: start > 0, Found: len(rows)}
	if end < len(rows) {
		l.Next = rows[end-1].Path
	}
	return l
}

// rowsOf returns the rows of all pages: a folder takes the place of its first file.
func rowsOf(files []sandlot.File, want wantedFiles) (rows []fileRow) {
	query := names.Fold(want.Query)
	for _, f := range files {
		if query != "" {
			if strings.Contains(f.Folded, query) {
				rows = append(rows, fileRow{File: f, Path: f.Name, Label: f.Name, Size: f.Blob.Size})
			}
			continue
		}
		rest, inside := strings.CutPrefix(f.Name, want.In)
		if !inside {
			continue
		}
		folder, _, deeper := strings.Cut(rest, "/")
		if !deeper {
			rows = append(rows, fileRow{File: f, Path: f.Name, Label: rest, Size: f.Blob.Size})
			continue
		}
		at := want.In + folder + "/"
		if n := len(rows); n == 0 || rows[n-1].Path != at {
			rows = append(rows, fileRow{Path: at, Label: folder + "/"})
		}
		last := &rows[len(rows)-1]
		last.Count, last.Size = last.Count+1, last.Size+f.Blob.Size
	}
	return rows
}

// folderOf returns the folder of a file with its slash; empty for one at the root.
func folderOf(name string) string {
	i := strings.LastIndexByte(name, '/')
	return name[:i+1]
}

// A crumb is a folder on the path to another.
type crumb struct{ Name, Path string }

// Crumbs returns the folders from the root to this one.
func (l listing) Crumbs() (list []crumb) {
	for i, r := range l.In {
		if r == '/' {
			list = append(list, crumb{path.Base(l.In[:i]), l.In[:i+1]})
		}
	}
	return list
}

// pictureAt returns the address of a picture that a page may load as it is, or "" for any other file. It is the address
// in the version, so its content never changes.
func pictureAt(at sandlot.Addresses, f sandlot.File) string {
	base := at.Version
	if base == "" {
		base = at.URL
	}
	if !showable(f) {
		return ""
	}
	return fileAddress(base, f.Name)
}

// fileAddressAt returns the public address of a file.
func fileAddressAt(at sandlot.Addresses, name string) string { return fileAddress(at.URL, name) }

// fileKind returns the kind of a file, for its icon: page, code, image, audio, video, font, text or data.
func fileKind(f sandlot.File) string {
	kind, _, _ := strings.Cut(mediatype.Of(f.Name, true), ";")
	group, _, _ := strings.Cut(kind, "/")
	switch {
	case mediatype.IsHTML(f.Name):
		return "page"
	case group == "image", group == "audio", group == "video", group == "font":
		return group
	case strings.Contains(kind, "javascript"), kind == "text/css", kind == "application/wasm", kind == "application/json":
		return "code"
	case f.Blob.Text:
		return "text"
	}
	return "data"
}

// downloadFile sends one file of a project as a download: on the website's own origin no browser displays it.
func (o *ownPages) downloadFile(v *visit) error {
	version, err := strconv.Atoi(v.query("version"))
	if v.query("version") != "" && (err != nil || version < 1) {
		return sandlot.ErrNotFound
	}
	found, err := o.reader.File(v.r.Context(), v.by, string(v.ownID()), v.query("name"), version)
	if err != nil {
		return err
	}
	body, err := o.contents.Open(v.r.Context(), found.File.Blob, 0, -1)
	if err != nil {
		return err
	}
	defer body.Close()
	h := v.w.Header()
	h.Set("Content-Type", mediatype.Unknown)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(found.File.Name)}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Length", strconv.FormatInt(found.File.Blob.Size, 10))
	if v.r.Method == http.MethodHead {
		return nil
	}
	if _, err := io.Copy(v.w, body); err != nil {
		panic(http.ErrAbortHandler) // a truncated file must not look whole
	}
	return nil
}

// after returns the cursor for a page of the versions that begins with n.
func after(n int) int { return n + 1 }
