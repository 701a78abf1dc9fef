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
func (x *exchange) file(path string) {
	l, err := x.list(x.r.Context(), &x.project)
	if err != nil {
		x.fail(err)
		return
	}
	f, name, folder := l.find(path, x.project.Primary)
	switch {
	case folder:
		x.redirect(http.StatusPermanentRedirect, "./"+escape(name[lastSegment(name):])+"/")
	case f == nil && path == iconPath:
		x.icon(l)
	case f == nil:
		x.missing(l)
	case name == x.project.Primary:
		x.primary(f)
	default:
		x.send(f, f.form(x.r.Header), http.StatusOK)
	}
}

// primary answers with the primary file. A browser's own navigation gets the script with it, and a load is a play;
// neither on a version's address, which is the owner's preview.
func (x *exchange) primary(f *file) {
	o := f.form(x.r.Header)
	if x.place == onVersion {
		x.send(f, o, http.StatusOK)
		return
	}
	x.followed = f.html
	if f.html && navigates(x.r.Header) {
		var err error
		if o, err = x.scripted(f); err != nil {
			x.fail(err)
			return
		}
	}
	if status := x.send(f, o, http.StatusOK); x.plays(status) {
		x.gallery.Play(x.r.Context(), publish.Caller{}, x.project.ID, x.visitor(x.now()))
	}
}

// missing answers for a file that is not there: with the project's own page for that, if it has one.
func (x *exchange) missing(l *list) {
	if f := l.files["404.html"]; f != nil {
		x.send(f, f.form(x.r.Header), http.StatusNotFound)
		return
	}
	x.notFound()
}

// send answers with one form of a file and returns the status. Conditions and ranges count only where the status would
// be 200. Whatever can fail is done before the first byte; what fails later breaks the connection, so that a short
// answer never looks whole.
func (x *exchange) send(f *file, o *form, status int) int {
	if status == http.StatusOK {
		spans, part := x.ranges(f, o)
		if part {
			o = &f.plain
		}
		if done := x.conditions(f, o); done != 0 {
			return done
		}
		if part {
			return x.sendSpans(f, spans)
		}
	}
	p, err := x.ready(o)
	if err != nil && x.spare(f, o, err) {
		return x.send(f, x.whole(f, o), status)
	}
	if err != nil {
		x.fail(err)
		return http.StatusInternalServerError
	}
	if p.stream == nil && x.sendReady(f, o, status, p.body) {
		return status
	}
	defer p.Close()
	h := x.describe(f, o, status)
	h["Content-Length"] = o.length
	x.w.WriteHeader(status)
	if x.r.Method != http.MethodHead && x.copy(x.w, p) && len(o.after) > 0 {
		_, _ = x.w.Write(o.after)
	}
	return status
}

// ready opens what is to be sent of a form. For HEAD it goes as far as damage would be found, so that HEAD never
// promises what GET does not keep: bytes in memory cost nothing, others are compared once and then only opened.
func (x *exchange) ready(o *form) (piece, error) {
	n := o.size - int64(len(o.after))
	if x.r.Method != http.MethodHead || o.body != nil || o.blob.Size <= x.bodyMax {
		return x.open(x.r.Context(), o, 0, n)
	}
	rc, err := x.contents.Open(x.r.Context(), o.blob, 0, 0)
	if err != nil {
		return piece{}, blobError("open", o.blob, err)
	}
	return piece{stream: rc}, nil
}

// spare reports whether a form that failed is a damaged variant: then the plain bytes will do, which is logged.
func (x *exchange) spare(f *file, o *form, err error) bool {
	if o.coding == identity || f.encoded || !errors.Is(err, publish.ErrCorrupt) {
		return false
	}
	x.log.WarnContext(x.r.Context(), "skipped a damaged compressed copy", "project", x.project.ID, "path", x.r.URL.Path, "err", err)
	return true
}

// whole is the plain form of a file, followed by the script if o is.
func (x *exchange) whole(f *file, o *form) *form {
	if len(o.after) == 0 {
		return &f.plain
	}
	return f.follow(&f.plain, f.plain.size, []byte(x.tag()))
}

// describe sets the headers that tell what a form is.
func (x *exchange) describe(f *file, o *form, status int) http.Header {
	h := x.headers(x.fresh())
	if status == http.StatusNotFound {
		h["Cache-Control"] = revalidate
	} else {
		h["Etag"] = o.etag
	}
	if vary := varies(f.varies, x.moves() || x.followed); vary != nil {
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
		rc, err := h.contents.Open(ctx, o.blob, off, n)
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
func (x *exchange) copy(w io.Writer, p piece) bool {
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
		x.breakOff(src.err)
	}
	return err == nil
}

// breakOff ends an answer that has begun so that the client sees that it is not whole.
func (x *exchange) breakOff(err error) {
	if x.r.Context().Err() == nil {
		x.log.ErrorContext(x.r.Context(), "response ended early", "project", x.project.ID, "path", x.r.URL.Path, "err", err)
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
