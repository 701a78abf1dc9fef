package play

import (
	"context"
	"errors"
	"io"
	"net/http"

	"sandlot/internal/content"
	"sandlot/internal/publish"
)

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

// openForm opens what is to be sent of a form. For HEAD it goes as far as damage would be found, so that HEAD never
// promises what GET does not keep: bytes in memory cost nothing, others are compared once and then only opened.
func (x *exchange) openForm(o *form) (piece, error) {
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

// copy sends a piece and reports whether all of it went to the client.
func (x *exchange) copy(w io.Writer, p piece) bool {
	if p.stream == nil {
		_, err := w.Write(p.body)
		return err == nil
	}
	src := content.Source{Reader: io.LimitReader(p.stream, p.n)}
	n, err := io.Copy(w, &src)
	if src.Err == nil && err == nil && n < p.n {
		src.Err = io.ErrUnexpectedEOF
	}
	if src.Err != nil {
		x.breakOff(src.Err)
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
