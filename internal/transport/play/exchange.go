package play

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"sandlot"
)

// A place is the kind of address that a request came to.
type place int

const (
	onProject place = iota // the project's own origin
	onVersion              // a version's own origin
	onPath                 // the path form on the website's origin
	onDesk                 // the origin of a frame of the desk
)

// An exchange is one request to one project, and its answer. Only one goroutine may use it.
type exchange struct {
	*Handler
	w       http.ResponseWriter
	r       *http.Request
	project sandlot.Project // at the served version; zero if there is none
	place   place
	root    string // the path of the project's folder on its origin, with a slash at its end
	// followed is set if a browser's own navigation to this file gets the script of the heartbeat after it, so that the
	// answer varies with the header fields that mark a navigation.
	followed bool
	// trial is set if the play-tester or a frame of the desk sent the request: it does not count as a play.
	trial bool
	// named is set if If-None-Match has the tag of the form to send; "*" does not count.
	named bool
	// previewing is set if the address is that of a preview, where there is no project.
	previewing bool
}

// allowed are the methods of every address except the heartbeat, which has those of posted.
const (
	allowed = "GET, HEAD, OPTIONS"
	posted  = "POST, OPTIONS"
)

// ours is the service's own folder in every project. No file of a project can be in it.
const ours = "/.sandlot/"

// takes reports whether the request has one of the methods, beside OPTIONS. It answers any other: an OPTIONS with the
// methods, also as a preflight of a page in the path form's sandbox, others with 405.
func (x *exchange) takes(methods string) bool {
	switch {
	case x.r.Method == http.MethodOptions:
		h := x.headers(revalidate)
		h.Set("Allow", methods)
		if x.place == onPath {
			h.Set("Access-Control-Allow-Methods", methods)
			h.Set("Access-Control-Allow-Headers", "*")
			h.Set("Access-Control-Max-Age", "86400")
		}
		x.w.WriteHeader(http.StatusNoContent)
		return false
	case methods == allowed && (x.r.Method == http.MethodGet || x.r.Method == http.MethodHead):
		return true
	case methods == posted && x.r.Method == http.MethodPost:
		return true
	}
	x.w.Header().Set("Allow", methods)
	x.say(http.StatusMethodNotAllowed, "method")
	return false
}

// write answers with a small text, whose other header fields are set.
func (x *exchange) write(status int, contentType []string, body []byte) {
	h := x.w.Header()
	h["Content-Type"] = contentType
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	if x.r.Method != http.MethodHead {
		_, _ = x.w.Write(body) // an error means that the client is gone
	}
}

// Refuse answers a request to a project's origin, before its project is known, with a status of 400 or above and a page
// with message. The answer is as isolated as the project.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, status int, message string) {
	x := exchange{Handler: h, w: w, r: r, root: "/"}
	x.refuse(status, message)
}

// notFound answers 404 with the service's own page.
func (x *exchange) notFound() { x.say(http.StatusNotFound, "missing") }

// statuses has the status of each kind of error that reading can meet. Any other error is a fault of the service. It
// never changes.
var statuses = map[sandlot.Kind]int{
	sandlot.KindMissing:     http.StatusNotFound,
	sandlot.KindTakenDown:   http.StatusUnavailableForLegalReasons,
	sandlot.KindTooMany:     http.StatusTooManyRequests,
	sandlot.KindUnavailable: http.StatusServiceUnavailable,
	sandlot.KindFull:        http.StatusInsufficientStorage,
}

// ownName returns the name in the service's own folder that the request is for, also if its project is unknown.
func ownName(x *exchange) (name string, ok bool) {
	path := x.r.URL.Path
	if x.place == onPath {
		_, path, _ = strings.Cut(strings.TrimPrefix(path, x.prefix), "/")
		path = "/" + path
	}
	return strings.CutPrefix(path, ours)
}

// fail answers with a page for an error of the Service. A fault is logged, and not shown to the client. The page of a
// project that was taken down or is held makes a browser clear its cache, and its service worker is replaced by one that removes
// itself.
func (x *exchange) fail(err error) {
	if name, ok := ownName(x); ok && x.ofPlayers(name) && x.place != onVersion {
		x.headers(never)
		x.doors.Refuse(x.w, x.r, err)
		return
	}
	down := errors.Is(err, sandlot.CodeTakenDown) || errors.Is(err, sandlot.CodeHeld)
	if down && x.place != onPath && asksForWorker(x.r) {
		x.worker(lastWorkerJS)
		return
	}
	status := http.StatusInternalServerError
	var code sandlot.Code
	if e := sandlot.AsError(err); e != nil {
		code = e.Code
		if e.RetryAfter > 0 {
			x.w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds()+0.5)))
		}
	} else if !errors.As(err, &code) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		code = sandlot.CodeUnavailable
		x.w.Header().Set("Retry-After", "5")
	}
	if known, ok := statuses[sandlot.Codes[code]]; ok {
		status = known
	}
	switch {
	case down && x.place != onPath && navigates(x.r.Header):
		// Not its storage: a reinstated project should find its players' games again.
		x.w.Header().Set("Clear-Site-Data", `"cache"`)
	case status >= 500 && x.r.Context().Err() == nil:
		x.Log.ErrorContext(x.r.Context(), "serving failed", "project", x.project.ID, "path", x.r.URL.Path, "err", err)
	}
	x.say(status, nameOf(err, code, status))
}
