package play

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
)

// maxSpans is the most ranges of one request. Media players request one. A request for more gets the whole file, so
// that many small ranges do not cost more than the file.
const maxSpans = 16

// A span is n bytes from off.
type span struct{ off, n int64 }

// header returns the Content-Range of the span in a file of size bytes.
func (s span) header(size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", s.off, s.off+s.n-1, size)
}

// ranges returns the ranges of a GET. They refer to the plain bytes only: a client that requests a part gets it
// uncompressed. It returns false for the whole file: if there is no Range or it is malformed, if If-Range does not
// match, and if the chosen form cannot be cut, since it has the script after it or the client has to unpack it. True
// without spans means that no range lies within the file: the answer is 416.
func (x *exchange) ranges(f *file, chosen *form) ([]span, bool) {
	header := first(x.r.Header["Range"])
	if header == "" || x.r.Method != http.MethodGet || len(chosen.after) > 0 || f.encoded && chosen != &f.plain {
		return nil, false
	}
	if want := first(x.r.Header["If-Range"]); want != "" && want != f.plain.etag[0] {
		return nil, false
	}
	unit, set, ok := strings.Cut(header, "=")
	if !ok || !strings.EqualFold(strings.TrimSpace(unit), "bytes") || f.plain.size == 0 || strings.Count(set, ",") >= maxSpans {
		return nil, false
	}
	spans, ok := parseSpans(set, f.plain.size)
	var sum int64
	for _, s := range spans {
		sum += s.n
	}
	// Ranges larger than the whole overlap; the whole is cheaper.
	if ok && len(spans) > 1 && sum > f.plain.size {
		return nil, false
	}
	if !ok {
		return nil, true
	}
	return spans, true
}

// parseSpans returns the ranges of a file of size bytes, without those that begin after its end. It returns false if
// one is malformed.
func parseSpans(set string, size int64) ([]span, bool) {
	var spans []span
	for _, item := range strings.Split(set, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		first, last, ok := strings.Cut(item, "-")
		from, err1 := position(first)
		to, err2 := position(last)
		switch {
		case !ok || err1 != nil || err2 != nil || from < 0 && to < 0 || from >= 0 && to >= 0 && to < from:
			return nil, false
		case from < 0 && to > 0:
			n := min(to, size)
			spans = append(spans, span{size - n, n})
		case from < 0 || from >= size:
		case to < 0 || to >= size:
			spans = append(spans, span{from, size - from})
		default:
			spans = append(spans, span{from, to - from + 1})
		}
	}
	return spans, true
}

// position returns a number of a range, -1 if there is none.
func position(s string) (int64, error) {
	if s == "" {
		return -1, nil
	}
	n, err := strconv.ParseUint(s, 10, 63)
	return int64(n), err
}

// sendSpans answers with parts of a file's plain bytes, and returns the status: 206, or 416 if
// there are no spans.
func (x *exchange) sendSpans(f *file, spans []span) int {
	if len(spans) == 0 {
		x.w.Header().Set("Content-Range", "bytes */"+strconv.FormatInt(f.plain.size, 10))
		x.refuse(http.StatusRequestedRangeNotSatisfiable, "The file does not have the bytes that were asked for.")
		return http.StatusRequestedRangeNotSatisfiable
	}
	// All are opened before the status is sent, for each may lie in other MiBs, of which any may be damaged. The first
	// one stays open.
	var p piece
	for _, s := range slices.Backward(spans) {
		p.Close()
		var err error
		if p, err = x.open(x.r.Context(), &f.plain, s.off, s.n); err != nil {
			x.fail(err)
			return http.StatusInternalServerError
		}
	}
	defer p.Close()
	h := x.describe(f, &f.plain, http.StatusPartialContent)
	if len(spans) > 1 {
		x.sendParts(f, spans, p)
		return http.StatusPartialContent
	}
	h.Set("Content-Range", spans[0].header(f.plain.size))
	h.Set("Content-Length", strconv.FormatInt(spans[0].n, 10))
	x.w.WriteHeader(http.StatusPartialContent)
	x.copy(x.w, p)
	return http.StatusPartialContent
}

// sendParts answers with several spans as multipart/byteranges. first is the first of them, opened.
func (x *exchange) sendParts(f *file, spans []span, first piece) {
	h := x.w.Header()
	mediaType := h["Content-Type"]
	var size counter
	frame := multipart.NewWriter(&size)
	for _, s := range spans {
		_, _ = frame.CreatePart(partHeader(mediaType, s, f.plain.size)) // a counter never fails
		size += counter(s.n)
	}
	_ = frame.Close()
	h.Set("Content-Type", "multipart/byteranges; boundary="+frame.Boundary())
	h.Set("Content-Length", strconv.FormatInt(int64(size), 10))
	x.w.WriteHeader(http.StatusPartialContent)

	body := multipart.NewWriter(x.w)
	_ = body.SetBoundary(frame.Boundary()) // it was valid for the first writer
	for i, s := range spans {
		w, err := body.CreatePart(partHeader(mediaType, s, f.plain.size))
		if err != nil || i == 0 && !x.copy(w, first) || i > 0 && !x.sendLater(w, f, s) {
			return
		}
	}
	_ = body.Close() // an error means that the client is gone
}

// sendLater sends a span after the first, and reports whether the client got it. The header has already been sent, so
// unreadable bytes break the connection.
func (x *exchange) sendLater(w io.Writer, f *file, s span) bool {
	p, err := x.open(x.r.Context(), &f.plain, s.off, s.n)
	if err != nil {
		x.breakOff(err)
	}
	defer p.Close()
	return x.copy(w, p)
}

// partHeader returns the header of one part of a file of size bytes.
func partHeader(mediaType []string, s span, size int64) textproto.MIMEHeader {
	return textproto.MIMEHeader{"Content-Range": {s.header(size)}, "Content-Type": mediaType}
}

// A counter counts the bytes written to it.
type counter int64

// Write implements io.Writer. It never fails.
func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
