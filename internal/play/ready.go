package play

import (
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
)

// A readyWriter sends an answer whose fields are ready-made lines of a header, all
// but the date. It returns false, and has done nothing, where that cannot be done.
type readyWriter interface {
	WriteReady(status int, common, own, body []byte) bool
}

// lines are lines of a header, made when they are first wanted.
type lines = atomic.Pointer[[]byte]

// ready are the lines that only one form has, for a 200 and for a 304.
type ready [2]lines

// common are the lines that answers share, for each combination of what they depend on.
type common [1 << 5]lines

const (
	// readyWeight is about how many bytes the lines of a form take.
	readyWeight = 400
	// readyFiles is up to how many files a list has ready-made lines: they must not fill the cache for files that are
	// asked for seldom.
	readyFiles = 1000
)

// sendReady sends a whole answer from ready-made lines, if there can be any: to a request for a project's own address,
// and for a form that is sent as it is. The lines are of the same fields as in any other answer. The body is empty or
// all of the form's; a HEAD gets none.
func (x *exchange) sendReady(f *file, o *form, status int, body []byte) bool {
	w, ok := x.w.(readyWriter)
	if !ok || o.ready == nil || x.place != onProject || status != http.StatusOK && status != http.StatusNotModified {
		return false
	}
	unchanged := status == http.StatusNotModified
	shared, own := &x.common[combination(unchanged, x.project.Verified, x.project.Threads, x.followed, f.varies)], &o.ready[combination(unchanged)]
	if shared.Load() == nil || own.Load() == nil {
		x.makeReady(f, o, status, shared, own)
	}
	if x.r.Method == http.MethodHead {
		body = nil
	}
	return w.WriteReady(status, *shared.Load(), *own.Load(), body)
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

// makeReady makes the lines of the fields that describe sets.
func (x *exchange) makeReady(f *file, o *form, status int, shared, own *lines) {
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
