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

// filePolicy keeps a file from acting as a page of this origin, which may be that of the website: no browser may show
// or run it.
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
	out := &fileWriter{ResponseWriter: c.W, bytes: &fileBytes{ctx: r.Context(), open: a.Intake.Contents.Open, blob: v.File.Blob}}
	defer out.bytes.Close()
	if c.head() {
		out.bytes.check() // a HEAD must not promise more than a GET keeps
	}
	http.ServeContent(out, r, "", time.Time{}, out.bytes)
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

// fileSent ends the answer. It returns a failure of the file while an error can still be answered, and breaks the
// connection later.
func (a *API) fileSent(c *call, out *fileWriter) error {
	err := out.bytes.err
	switch {
	case err != nil && out.began:
		return a.broken(c, &lateWriter{began: true}, err)
	case err == nil && out.status == http.StatusRequestedRangeNotSatisfiable:
		err = &special{status: out.status, refusal: sandlot.Refuse(sandlot.CodeInvalidField, "The file has %d bytes; the range that was asked for lies outside of them.", out.bytes.blob.Size).
			In("Range").With(sandlot.OpFile).Note("Leave the header Range out for the whole file:")}
	case err == nil && out.status == http.StatusPreconditionFailed:
		err = sandlot.Refuse(sandlot.CodeVersionConflict, "The file is not the one that If-Match names.").In("If-Match").
			With(sandlot.OpFile).Note("Leave the header If-Match out for the file as it is:")
	case err == nil:
		out.send()
		return nil
	}
	for _, name := range []string{"Accept-Ranges", "Content-Disposition", "Content-Length", "Content-Security-Policy", "ETag"} {
		c.W.Header().Del(name)
	}
	c.W.Header().Set("Cache-Control", "no-store") // net/http removes it from an error
	return err
}

// A fileWriter holds back the header of an answer until the first bytes are read, for a file may turn out to be
// damaged.
type fileWriter struct {
	http.ResponseWriter
	bytes  *fileBytes
	status int
	began  bool
}

// WriteHeader implements http.ResponseWriter.
func (w *fileWriter) WriteHeader(status int) {
	w.status = status
	if n, err := strconv.ParseInt(w.Header().Get("Content-Length"), 10, 64); err == nil {
		w.bytes.length = n
	}
}

// Write implements http.ResponseWriter.
func (w *fileWriter) Write(p []byte) (int, error) {
	if w.status >= http.StatusBadRequest {
		return len(p), nil // this package writes the error in its own form
	}
	w.send()
	return w.ResponseWriter.Write(p)
}

// send sends the header.
func (w *fileWriter) send() {
	if !w.began {
		w.began = true
		w.ResponseWriter.WriteHeader(w.status)
	}
}

// fileBytes reads at most length bytes of a blob from the offset of the last Seek. The first Read opens the blob, so
// that only the bytes to send are read and compared with their hash.
type fileBytes struct {
	ctx    context.Context
	open   func(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
	blob   sandlot.Blob
	at     int64
	length int64 // bytes still to come
	r      io.ReadCloser
	err    error // of the blob
}

// Seek implements io.Seeker; it is not called after a Read.
func (f *fileBytes) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.blob.Size
	}
	f.at = offset
	return offset, nil
}

// Read implements io.Reader.
func (f *fileBytes) Read(p []byte) (n int, err error) {
	if f.r == nil && f.err == nil {
		f.r, f.err = f.open(f.ctx, f.blob, f.at, f.length)
	}
	if f.err != nil {
		return 0, f.err
	}
	n, err = f.r.Read(p)
	f.length -= int64(n)
	if err == io.EOF && f.length > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

// check compares the blob with its hash.
func (f *fileBytes) check() {
	r, err := f.open(f.ctx, f.blob, 0, 0)
	if f.err = err; err == nil {
		_ = r.Close() // nothing was written
	}
}

// Close closes the blob, if it was opened.
func (f *fileBytes) Close() {
	if f.r != nil {
		_ = f.r.Close() // nothing was written
	}
}
