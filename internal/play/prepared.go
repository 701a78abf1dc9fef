package play

import (
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
)

// A preparedWriter sends a whole answer whose header fields, all but the date, are prepared lines. It returns false, and
// has done nothing, where that cannot be done. *front.Answer is one.
type preparedWriter interface {
	WritePrepared(status int, shared, own, body []byte) bool
}

// lines are lines of a header, made when they are first wanted.
type lines = atomic.Pointer[[]byte]

// A preparedAnswer has the lines that are those of one form alone, for a 200 and for a 304.
type preparedAnswer [2]lines

// sharedLines are those that many answers have, for each combination of what they depend on.
type sharedLines [1 << 5]lines

const (
	// preparedWeight is about how many bytes the lines of a form take.
	preparedWeight = 400
	// preparedFiles is up to how many files a list has prepared answers: they must not fill the cache for files that
	// are asked for seldom.
	preparedFiles = 1000
)

// sendPrepared sends a whole answer from prepared lines, if there can be any: to a request for a project's own address,
// and for a form that is sent as it is. The lines are of the same fields as in any other answer. The body is empty or
// all of the form's; a HEAD gets none.
func (x *exchange) sendPrepared(f *file, o *form, status int, body []byte) bool {
	w, ok := x.w.(preparedWriter)
	if !ok || o.prepared == nil || x.place != onProject || status != http.StatusOK && status != http.StatusNotModified {
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

// combination makes a number of what is true.
func combination(set ...bool) (n int) {
	for i, b := range set {
		if b {
			n |= 1 << i
		}
	}
	return n
}

// ownFields are those that tell one form from another.
var ownFields = [...]string{"Accept-Ranges", "Content-Encoding", "Content-Length", "Content-Type", "Etag"}

// prepare makes the lines of the fields that describe sets.
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

// headerOnly takes the fields of an answer and nothing else.
type headerOnly http.Header

func (h headerOnly) Header() http.Header       { return http.Header(h) }
func (headerOnly) Write(p []byte) (int, error) { return len(p), nil }
func (headerOnly) WriteHeader(int)             {}
