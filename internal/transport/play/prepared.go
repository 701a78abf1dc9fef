package play

import (
	"maps"
	"net/http"
	"slices"
	"sync/atomic"

	"sandlot"
)

// A preparedWriter sends a whole answer whose header fields, except for the date, are prepared lines, or returns false.
// *front.Answer implements it; answers through net/http are not prepared.
type preparedWriter interface {
	WritePrepared(status int, shared, own, body []byte) bool
}

// lines holds lines of a header, made on first use. They never change then.
type lines = atomic.Pointer[[]byte]

// A preparedAnswer holds the lines that belong to one form alone: those of a 200 and those of a 304.
type preparedAnswer [2]lines

// sharedLines holds the lines that many answers have in common, for each combination of their conditions.
type sharedLines [1 << 5]lines

const (
	// preparedWeight is the approximate size of a form's lines, in bytes.
	preparedWeight = 400
	// preparedFiles is the most files of a list whose answers are prepared, so that lines do not fill the cache.
	preparedFiles = 1000
)

// sendPrepared sends a whole answer from prepared lines, and reports whether it did: a 200 or a 304 on a project's own
// origin, if the form has room for prepared answers and the connection takes them. The header has the same fields as
// any other answer's. body is all of the form's bytes, or empty for a 304; a HEAD gets none.
func (x *exchange) sendPrepared(f *file, o *form, status int, body []byte) bool {
	w, ok := x.w.(preparedWriter)
	if !ok || o.prepared == nil || x.place != onProject || x.project.Held.Rule != sandlot.NotHeld ||
		status != http.StatusOK && status != http.StatusNotModified {
		return false
	}
	unchanged := status == http.StatusNotModified
	shared := &x.shared[combination(unchanged, x.project.Verified, x.project.Threads, x.followed, f.varies)]
	own := &o.prepared[combination(unchanged)]
	if shared.Load() == nil || own.Load() == nil {
		x.prepare(f, o, status, shared, own)
	}
	if x.r.Method == http.MethodHead {
		body = nil
	}
	return w.WritePrepared(status, *shared.Load(), *own.Load(), body)
}

// combination returns the number whose bits are the given values, the first one lowest.
func combination(set ...bool) (n int) {
	for i, b := range set {
		if b {
			n |= 1 << i
		}
	}
	return n
}

// ownFields are the fields that differ between forms.
var ownFields = [...]string{"Accept-Ranges", "Content-Encoding", "Content-Length", "Content-Type", "Etag"}

// prepare makes both parts of the lines, from the fields that describe sets for any other answer.
func (x *exchange) prepare(f *file, o *form, status int, shared, own *lines) {
	aside := *x
	aside.w = headerOnly{}
	h := aside.describe(f, o, status)
	if status == http.StatusOK {
		h["Content-Length"] = o.length
	}
	var ours, others []byte
	for _, name := range slices.Sorted(maps.Keys(h)) {
		to := &others
		if slices.Contains(ownFields[:], name) {
			to = &ours
		}
		for _, value := range h[name] {
			*to = append(append(append(append(*to, name...), ": "...), value...), "\r\n"...)
		}
	}
	shared.Store(&others)
	own.Store(&ours)
}

// headerOnly is an http.ResponseWriter that keeps the header and discards the rest.
type headerOnly http.Header

func (h headerOnly) Header() http.Header       { return http.Header(h) }
func (headerOnly) Write(p []byte) (int, error) { return len(p), nil }
func (headerOnly) WriteHeader(int)             {}
