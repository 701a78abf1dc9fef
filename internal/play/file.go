package play

import (
	"context"
	"errors"
	"io"
	"net/http"

	"sandlot/internal/mediatype"
	"sandlot/internal/publish"
)

// unknownType is what the bytes of a pre-compressed file are to a client that does not unpack them.
var unknownType = []string{mediatype.Unknown}

// file answers a GET or HEAD of a decoded path.
func (v *visit) file(path string) {
	l, err := v.list(v.r.Context(), &v.project)
	if err != nil {
		v.fail(err)
		return
	}
	f, name, folder := l.find(path, v.project.Primary)
	switch {
	case folder:
		v.redirect(http.StatusPermanentRedirect, "./"+escape(name[lastSegment(name):])+"/")
	case f == nil && path == iconPath:
		v.icon(l)
	case f == nil:
		v.missing(l)
	case name == v.project.Primary:
		v.primary(f)
	default:
		v.send(f, f.form(v.r.Header), http.StatusOK)
	}
}

// primary answers with the primary file. A browser's own navigation gets the script with it, and a load is a play;
// neither on a version's address, which is the owner's preview.
func (v *visit) primary(f *file) {
	o := f.form(v.r.Header)
	if v.place == onVersion {
		v.send(f, o, http.StatusOK)
		return
	}
	v.followed = f.html
	if f.html && navigates(v.r.Header) {
		var err error
		if o, err = v.scripted(f); err != nil {
			v.fail(err)
			return
		}
	}
	if status := v.send(f, o, http.StatusOK); v.plays(status) {
		v.gallery.Play(v.r.Context(), publish.Caller{}, v.project.ID, v.visitor(v.now()))
	}
}

// missing answers for a file that is not there: with the project's own page for that, if it has one.
func (v *visit) missing(l *list) {
	if f := l.files["404.html"]; f != nil {
		v.send(f, f.form(v.r.Header), http.StatusNotFound)
		return
	}
	v.notFound()
}

// send answers with one form of a file and returns the status. Conditions and ranges count only where the status would
// be 200. Whatever can fail is done before the first byte; what fails later breaks the connection, so that a short
// answer never looks whole.
func (v *visit) send(f *file, o *form, status int) int {
	if status == http.StatusOK {
		spans, part := v.ranges(f, o)
		if part {
			o = &f.plain
		}
		if done := v.conditions(f, o); done != 0 {
			return done
		}
		if part {
			return v.sendSpans(f, spans)
		}
	}
	p, err := v.ready(o)
	if err != nil && v.spare(f, o, err) {
		return v.send(f, v.whole(f, o), status)
	}
	if err != nil {
		v.fail(err)
		return http.StatusInternalServerError
	}
	if p.stream == nil && v.sendReady(f, o, status, p.body) {
		return status
	}
	defer p.Close()
	h := v.describe(f, o, status)
	h["Content-Length"] = o.length
	v.w.WriteHeader(status)
	if v.r.Method != http.MethodHead && v.copy(v.w, p) && len(o.after) > 0 {
		_, _ = v.w.Write(o.after)
	}
	return status
}

// ready opens what is to be sent of a form. For HEAD it goes as far as damage would be found, so that HEAD never
// promises what GET does not keep: bytes in memory cost nothing, others are compared once and then only opened.
func (v *visit) ready(o *form) (piece, error) {
	n := o.size - int64(len(o.after))
	if v.r.Method != http.MethodHead || o.body != nil || o.blob.Size <= v.bodyMax {
		return v.open(v.r.Context(), o, 0, n)
	}
	rc, err := v.service.Open(v.r.Context(), o.blob, 0, 0)
	if err != nil {
		return piece{}, blobError("open", o.blob, err)
	}
	return piece{stream: rc}, nil
}

// spare reports whether a form that failed is a damaged variant: then the plain bytes will do, which is logged.
func (v *visit) spare(f *file, o *form, err error) bool {
	if o.coding == identity || f.encoded || !errors.Is(err, publish.ErrCorrupt) {
		return false
	}
	v.log.WarnContext(v.r.Context(), "skipped a damaged compressed copy", "project", v.project.ID, "path", v.r.URL.Path, "err", err)
	return true
}

// whole is the plain form of a file, followed by the script if o is.
func (v *visit) whole(f *file, o *form) *form {
	if len(o.after) == 0 {
		return &f.plain
	}
	return f.follow(&f.plain, f.plain.size, []byte(v.tag()))
}

// describe sets the headers that tell what a form is.
func (v *visit) describe(f *file, o *form, status int) http.Header {
	h := v.headers(v.fresh())
	if status == http.StatusNotFound {
		h["Cache-Control"] = revalidate
	} else {
		h["Etag"] = o.etag
	}
	if vary := varies(f.varies, v.moves() || v.followed); vary != nil {
		h["Vary"] = vary
	}
	if status == http.StatusNotModified {
		return h
	}
	h["Content-Type"] = f.mediaType
	switch {
	case o.encoding != nil:
		h["Content-Encoding"] = o.encoding
	case f.encoded:
		h["Content-Type"] = unknownType
	}
	if o == &f.plain {
		h["Accept-Ranges"] = inBytes
	}
	return h
}

// lastSegment returns where the last segment of a name begins.
func lastSegment(name string) int {
	for i := len(name); i > 0; i-- {
		if name[i-1] == '/' {
			return i
		}
	}
	return 0
}

// A piece is bytes about to be sent: in memory, or a stream of n.
type piece struct {
	body   []byte
	stream io.ReadCloser
	n      int64
}

// Close ends a stream.
func (p piece) Close() {
	if p.stream != nil {
		// Nothing was written; there is nothing to lose.
		_ = p.stream.Close()
	}
}

// open returns n bytes of a form from off, not counting what follows it.
func (h *Handler) open(ctx context.Context, o *form, off, n int64) (piece, error) {
	body := o.body
	switch {
	case n <= 0 || body != nil:
	case o.blob.Size <= h.bodyMax:
		var err error
		if body, err = h.body(ctx, o.blob); err != nil {
			return piece{}, err
		}
	default:
		rc, err := h.service.Open(ctx, o.blob, off, n)
		if err != nil {
			return piece{}, blobError("open", o.blob, err)
		}
		return piece{stream: rc, n: n}, nil
	}
	if n <= 0 {
		return piece{}, nil
	}
	return piece{body: body[off : off+n]}, nil
}

// copy sends a piece and reports whether all of it went to the client.
func (v *visit) copy(w io.Writer, p piece) bool {
	if p.stream == nil {
		_, err := w.Write(p.body)
		return err == nil
	}
	src := source{r: io.LimitReader(p.stream, p.n)}
	n, err := io.Copy(w, &src)
	if src.err == nil && err == nil && n < p.n {
		src.err = io.ErrUnexpectedEOF
	}
	if src.err != nil {
		v.breakOff(src.err)
	}
	return err == nil
}

// breakOff ends an answer that has begun so that the client sees that it is not whole.
func (v *visit) breakOff(err error) {
	if v.r.Context().Err() == nil {
		v.log.ErrorContext(v.r.Context(), "response ended early", "project", v.project.ID, "path", v.r.URL.Path, "err", err)
	}
	panic(http.ErrAbortHandler)
}

// A source tells a failure of reading from one of the client's.
type source struct {
	r   io.Reader
	err error
}

// Read reads, and keeps the error.
func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
