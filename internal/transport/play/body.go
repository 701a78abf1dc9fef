package play

import (
	"context"
	"errors"
	"io"
	"net/http"

	"sandlot"
	"sandlot/internal/format/content"
)

// A piece holds bytes to send: body, or the first n bytes of stream.
type piece struct {
	body   []byte
	stream io.ReadCloser // nil if the bytes are in body
	n      int64
}

// Close closes the stream, if there is one.
func (p piece) Close() {
	if p.stream != nil {
		_ = p.stream.Close() // nothing was written
	}
}

// openForm opens the bytes of a form, without the script after them; for HEAD, too, so that damage is found and a HEAD
// never promises more than a GET keeps.
func (x *exchange) openForm(o *form) (piece, error) {
	n := o.size - int64(len(o.after))
	if x.r.Method != http.MethodHead || o.body != nil || o.blob.Size <= x.bodyMax {
		return x.open(x.r.Context(), o, 0, n)
	}
	rc, err := x.Contents.Open(x.r.Context(), o.blob, 0, 0)
	if err != nil {
		return piece{}, blobError("open", o.blob, err)
	}
	return piece{stream: rc}, nil
}

// open returns n of a form's own bytes from off, without the script after them. Small forms come from the cache, whose
// bytes must not be changed. A damaged form is sandlot.ErrCorrupt, before the first byte or while a stream is read.
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
		rc, err := h.Contents.Open(ctx, o.blob, off, n)
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

// spare reports whether a form that failed to open is a damaged compressed variant, and logs it if so. The caller then
// sends the plain bytes instead. A file that its author compressed has no others.
func (x *exchange) spare(f *file, o *form, err error) bool {
	if o.coding == identity || f.encoded || !errors.Is(err, sandlot.ErrCorrupt) {
		return false
	}
	x.Log.WarnContext(x.r.Context(), "skipped a damaged compressed copy",
		"project", x.project.ID, "path", x.r.URL.Path, "err", err)
	return true
}

// whole returns the form to send in place of the variant o: the plain one, followed by the script if o is.
func (f *file) whole(o *form, root string) *form {
	if len(o.after) == 0 {
		return &f.plain
	}
	return f.follow(&f.plain, f.plain.size, []byte(tag(root)))
}

// copy sends a piece and reports whether all of it was written to the client. If the bytes cannot be read to their end,
// it breaks the answer off and does not return.
func (x *exchange) copy(p piece) bool {
	if p.stream == nil {
		_, err := x.w.Write(p.body)
		return err == nil
	}
	src := content.Source{Reader: io.LimitReader(p.stream, p.n)}
	n, err := io.Copy(x.w, &src)
	if src.Err == nil && err == nil && n < p.n {
		src.Err = io.ErrUnexpectedEOF
	}
	if src.Err != nil {
		if x.r.Context().Err() == nil {
			x.Log.ErrorContext(x.r.Context(), "response ended early", "project", x.project.ID, "path", x.r.URL.Path, "err", src.Err)
		}
		panic(http.ErrAbortHandler) // so that the client sees that the answer is incomplete
	}
	return err == nil
}
