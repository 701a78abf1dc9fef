package api

import (
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/mediatype"
)

// filePolicy keeps a file from acting as a page of this origin, which may be that of the website.
const filePolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

// file sends one file of a project to its owner, as it was published.
func (a *API) file(c *call) error {
	version, err := c.version()
	if err != nil {
		return err
	}
	v, err := a.Reader.File(c.R.Context(), c.By, c.param, c.filename, version)
	if err != nil {
		return err
	}
	h := c.W.Header()
	h.Set("Content-Type", mediatype.Of(v.File.Name, v.File.Blob.Text))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(v.File.Name)}))
	h.Set("Content-Security-Policy", filePolicy)
	h.Set("ETag", `"`+v.File.Blob.SHA256.String()+`"`)
	r := c.R
	if strings.Contains(r.Header.Get("Range"), ",") {
		r = r.Clone(r.Context())
		r.Header.Del("Range") // a request for several ranges may be answered with the whole file
	}
	out := &fileAnswer{ResponseWriter: c.W, ctx: r.Context(), open: a.Intake.Contents.Open, head: c.head(), blob: v.File.Blob}
	http.ServeContent(out, r, "", time.Time{}, out)
	return a.fileSent(c, out)
}

// version returns the version in the query, 0 if it names none.
func (c *call) version() (int, error) {
	query := c.R.URL.Query()
	if !query.Has("version") {
		return 0, nil
	}
	n, err := strconv.Atoi(query.Get("version"))
	if err != nil || n < 1 {
		return 0, sandlot.Refuse(sandlot.CodeInvalidField, "The parameter version is not a whole number from 1.").In("version").
			With(sandlot.OpVersions).Note("Leave it out for the current version. The project's versions are listed here:")
	}
	return n, nil
}

// fileSent ends the answer. It returns an error while it can still be answered, and breaks the connection later.
func (a *API) fileSent(c *call, out *fileAnswer) error {
	err := out.err
	if out.r != nil {
		_ = out.r.Close() // nothing was written
		return a.broken(c, &lateWriter{began: true}, err)
	}
	switch {
	case err == nil && out.status == http.StatusRequestedRangeNotSatisfiable:
		c.status = out.status
		err = sandlot.Refuse(sandlot.CodeInvalidField, "The file has %d bytes, and the range lies outside of them.", out.blob.Size).
			In("Range").With(sandlot.OpFile).Note("Leave the header Range out for the whole file:")
	case err == nil && out.status == http.StatusPreconditionFailed:
		err = sandlot.Refuse(sandlot.CodeVersionConflict, "The file is not the one that If-Match names.").In("If-Match").
			With(sandlot.OpFile).Note("Leave the header If-Match out for the file as it is:")
	case err == nil:
		return nil
	}
	for _, name := range []string{"Accept-Ranges", "Content-Disposition", "Content-Length", "Content-Security-Policy", "ETag"} {
		c.W.Header().Del(name)
	}
	c.W.Header().Set("Cache-Control", "no-store") // net/http removes it from an error
	return err
}

// A fileAnswer is the writer and the content of the answer of http.ServeContent with a blob. It opens the blob before
// the header goes out, for it may be damaged, and only the bytes to send. It sends no answer of an error.
type fileAnswer struct {
	http.ResponseWriter
	ctx    context.Context
	open   func(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
	head   bool // the answer to a HEAD
	blob   sandlot.Blob
	at     int64 // of the last Seek
	left   int64 // bytes still to come
	status int
	r      io.ReadCloser // nil before the header went out
	err    error         // of the blob
}

// WriteHeader implements http.ResponseWriter.
func (f *fileAnswer) WriteHeader(status int) {
	f.status = status
	if status >= http.StatusBadRequest {
		return // this package writes the error in its own form
	}
	f.left, _ = strconv.ParseInt(f.Header().Get("Content-Length"), 10, 64)
	if f.head {
		f.at, f.left = 0, 0 // a HEAD must not promise more than a GET keeps
	}
	if status != http.StatusNotModified {
		f.r, f.err = f.open(f.ctx, f.blob, f.at, f.left)
	}
	if f.err == nil {
		f.ResponseWriter.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (f *fileAnswer) Write(p []byte) (int, error) {
	if f.r == nil {
		return len(p), nil
	}
	return f.ResponseWriter.Write(p)
}

// Seek implements io.Seeker; it is not called after a Read.
func (f *fileAnswer) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		offset += f.blob.Size
	}
	f.at = offset
	return offset, nil
}

// Read implements io.Reader.
func (f *fileAnswer) Read(p []byte) (int, error) {
	if f.r == nil {
		return 0, io.EOF // nothing is sent
	}
	n, err := f.r.Read(p)
	if f.left -= int64(n); err == io.EOF && f.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != io.EOF {
		f.err = err
	}
	return n, err
}
