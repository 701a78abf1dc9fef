package play

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"sandlot"
)

// A place is the kind of address that a request came to.
type place int

const (
	onProject place = iota // the project's own origin
	onVersion              // a version's own origin
	onPath                 // the path form on the website's origin
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
	// trial is set if the play-tester sent the request: it does not count as a play.
	trial bool
	// named is set if If-None-Match has the tag of the form to send; "*" does not count.
	named bool
	// previewing is set if the address is that of a preview, where there is no project.
	previewing bool
}

// allowed are the methods of every address except the heartbeat.
const allowed = "GET, HEAD, OPTIONS"

// ours is the service's own folder in every project. No file of a project can be in it.
const ours = "/.sandlot/"

// reads reports whether the request is a GET or HEAD. It answers any other: an OPTIONS with methods, others with 405.
func (x *exchange) reads(methods string) bool {
	switch x.r.Method {
	case http.MethodGet, http.MethodHead:
		return true
	case http.MethodOptions:
		x.options(methods)
	default:
		x.notAllowed(methods)
	}
	return false
}

// Refuse answers a request to a project's origin with a status of 400 or above and a page with message. It is for
// requests that the program refuses before it looks for the project. The answer has the headers of every answer on such
// an origin, so that it is as isolated as the project.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, status int, message string) {
	x := exchange{Handler: h, w: w, r: r, root: "/"}
	x.refuse(status, message)
}

// options answers an OPTIONS request, and a preflight of a page in the path form's sandbox.
func (x *exchange) options(methods string) {
	h := x.headers(revalidate)
	h.Set("Allow", methods)
	if x.place == onPath {
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", "*")
		h.Set("Access-Control-Max-Age", "86400")
	}
	x.w.WriteHeader(http.StatusNoContent)
}

// notAllowed refuses a method.
func (x *exchange) notAllowed(methods string) {
	x.w.Header().Set("Allow", methods)
	x.say(http.StatusMethodNotAllowed, "method")
}

// notFound answers 404 with the service's own page.
func (x *exchange) notFound() {
	x.say(http.StatusNotFound, "missing")
}

// statuses has the status of each kind of error that reading can meet. Any other error is a fault of the service. It
// never changes.
var statuses = map[sandlot.Kind]int{
	sandlot.KindMissing:     http.StatusNotFound,
	sandlot.KindTakenDown:   http.StatusUnavailableForLegalReasons,
	sandlot.KindTooMany:     http.StatusTooManyRequests,
	sandlot.KindUnavailable: http.StatusServiceUnavailable,
	sandlot.KindFull:        http.StatusInsufficientStorage,
}

// fail answers with a page for an error of the Service. An error that is neither a *sandlot.Error nor a sandlot.Code is
// a fault: it is logged, and not shown to the client. The page of a project that was taken down makes a browser clear
// its cache, and a service worker of such a project is replaced by one that removes itself.
func (x *exchange) fail(err error) {
	if errors.Is(err, sandlot.CodeTakenDown) && x.place != onPath && x.asksForWorker() {
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
	case code == sandlot.CodeTakenDown && x.place != onPath && navigates(x.r.Header):
		// Clears the browser's copies of it. Not its storage: a reinstated project should find its players' games
		// again.
		x.w.Header().Set("Clear-Site-Data", `"cache"`)
	case status >= 500 && x.r.Context().Err() == nil:
		x.log.ErrorContext(x.r.Context(), "serving failed", "project", x.project.ID, "path", x.r.URL.Path, "err", err)
	}
	x.say(status, nameOf(code, status))
}
