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

// ownFilesPage is how many files and folders the page of a project lists: each has forms of its own.
const ownFilesPage = 100

// foundFilesPage is how many of a search are: such a page is sent as it is, not packed.
const foundFilesPage = 10

// wantedFiles says which files of a project a page lists.
type wantedFiles struct {
	In    string // only those of this folder, which ends with a slash; empty: of the project's root
	Query string // only those whose path has this, from all folders; empty: In counts
	After string // only what comes after this path
	Must  string // the page has this file, whatever else was wanted
}

// A listing is a page of a project's files, with the folders among them.
type listing struct {
	wantedFiles
	Rows  []fileRow
	Next  string // the path that the next page comes after; empty: there is none
	Later bool   // whether others come before these
	Found int    // how many files and folders there are on all pages
}

// A fileRow is a file, or a folder with how much is in it.
type fileRow struct {
	sandlot.File
	Path  string // of a folder with its slash
	Label string // what it is called where it lies
	Count int    // files in the folder; 0: it is a file
	Size  int64
}

// Folder tells whether it is one.
func (r fileRow) Folder() bool { return r.Count > 0 }

// Removable tells whether it may be deleted: not what players open.
func (r fileRow) Removable(primary string) bool { return r.Path != primary && r.Path != "index.html" }

// listFiles lists files, which come by name. What it takes is bounded by how many they are.
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

// rowsOf are the rows of all pages: folders come where their first file does.
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

// folderOf is the folder of a file with its slash; empty for one at the root.
func folderOf(name string) string {
	i := strings.LastIndexByte(name, '/')
	return name[:i+1]
}

// A crumb is a folder on the way to another.
type crumb struct{ Name, Path string }

// Crumbs are the folders from the root to this one.
func (l listing) Crumbs() (list []crumb) {
	for i, r := range l.In {
		if r == '/' {
			list = append(list, crumb{path.Base(l.In[:i]), l.In[:i+1]})
		}
	}
	return list
}

// pictureAt is the address of a file that is a picture which a page may load as it is; else empty. It is that of the version, so that it never
// changes.
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

// fileAddressAt is where anybody opens a file.
func fileAddressAt(at sandlot.Addresses, name string) string { return fileAddress(at.URL, name) }

// fileKind names what a file is, for its sign: page, code, picture, sound, film, font, text, data.
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

// downloadFile sends one file of a project as it is, to be saved: under the website's own address no browser shows it.
func (o *ownPages) downloadFile(v *visit) error {
	version, err := strconv.Atoi(v.query("version"))
	if v.query("version") != "" && (err != nil || version < 1) {
		return sandlot.ErrNotFound
	}
	found, err := o.service.File(v.r.Context(), v.by, string(v.ownID()), v.query("name"), version)
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
		panic(http.ErrAbortHandler) // a short file must not look whole
	}
	return nil
}

// after is the version that a page of the versions comes before, to begin with n.
func after(n int) int { return n + 1 }
