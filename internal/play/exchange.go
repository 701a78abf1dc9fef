package play

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandlot/internal/admission"
	"sandlot/internal/publish"
)

// place is the kind of address a request came to.
type place int

const (
	onProject place = iota // the project's own origin
	onVersion              // a version's own origin
	onPath                 // the path form on the site's origin
)

// An exchange is one request to one project, and its answer. It belongs to one goroutine.
type exchange struct {
	*Handler
	w       http.ResponseWriter
	r       *http.Request
	project publish.Project // as of the version that is served; zero if there is none
	place   place
	root    string // what the path of every file begins with
	// followed: a browser's own navigation to this file gets the script with it.
	followed bool
	// named: If-None-Match has the tag of what would be sent, not "*" alone.
	named bool
}

// allowed are the methods of everything but the heartbeat.
const allowed = "GET, HEAD, OPTIONS"

// ours is the folder of the service in every project; no file of a project can be in it.
const ours = "/.sandlot/"

// serve answers for a decoded path within the project.
func (x *exchange) serve(path string) {
	switch {
	case strings.HasPrefix(path, ours):
		x.own(path[len(ours):])
	case x.reads(allowed):
		x.file(path)
	}
}

// A door is what has a name in the service's own folder.
type door struct {
	name      string
	operation admission.Operation
	checks    func(*exchange) bool // whether the request can be answered; it answers others itself
	serve     func(*exchange)
}

// doors are all of them. Files of projects are behind none: they are a Look, which is free, so that nobody is asked.
var doors = []door{
	{"heartbeat", admission.Heartbeat, (*exchange).mayBeat, (*exchange).takeBeat},
	{"player.js", admission.Look, (*exchange).mayRead, (*exchange).playerScript},
	{"storage", admission.Look, (*exchange).mayRead, (*exchange).storage},
}

// own answers for the service's own folder. A version's address has none: it is the owner's preview, where nobody plays.
func (x *exchange) own(name string) {
	i := slices.IndexFunc(doors, func(d door) bool { return d.name == name })
	switch {
	case x.place == onVersion:
		x.notFound()
	case i < 0:
		if x.reads(allowed) {
			x.notFound()
		}
	case doors[i].checks(x):
		x.enter(doors[i])
	}
}

// enter answers at a door, if admission lets the visitor in.
func (x *exchange) enter(d door) {
	grant, err := x.admission.Admit(admission.Origin{Addr: admission.Peer(x.r.RemoteAddr)}, d.operation, admission.Body{Length: x.r.ContentLength})
	if err != nil {
		x.denied(err)
		return
	}
	defer grant.Done()
	d.serve(x)
}

// denied answers to whom admission did not let in.
func (x *exchange) denied(err error) {
	var d *admission.Denied
	if !errors.As(err, &d) {
		x.fail(err)
		return
	}
	x.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.After.Seconds()))))
	x.refuse(http.StatusTooManyRequests, d.Error())
}

func (x *exchange) mayRead() bool { return x.reads(allowed) }

func (x *exchange) playerScript() { x.send(x.script, x.script.form(x.r.Header), http.StatusOK) }

// reads reports whether the request is a GET or HEAD, and answers it if not.
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

// notFound answers where there is nothing.
func (x *exchange) notFound() {
	x.say(http.StatusNotFound, "missing")
}

// redirect sends the client elsewhere, with the query it came with.
func (x *exchange) redirect(status int, location string) {
	cacheControl := x.fresh()
	if status == http.StatusTemporaryRedirect {
		cacheControl = never
	}
	h := x.headers(cacheControl)
	if x.moves() {
		h["Vary"] = varies(false, true)
	}
	if x.r.URL.RawQuery != "" {
		location += "?" + x.r.URL.RawQuery
	}
	h.Set("Location", location)
	h.Set("Content-Length", "0")
	x.w.WriteHeader(status)
}

// visitor is who sent the request. Only the site's own origin has cookies that the project cannot have set.
func (x *exchange) visitor(now time.Time) publish.Visitor {
	token := ""
	if x.place == onPath {
		token = x.token(x.r)
	}
	return publish.Visitor{ID: x.visitors.ID(x.r, token, now), From: admission.Peer(x.r.RemoteAddr)}
}

// moves reports whether a browser's own navigation to this address is sent on to the project's own origin.
func (x *exchange) moves() bool { return x.place == onPath && x.places.Content != "" }

// escape returns a decoded path as it is written in a URL.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// statuses are those of the kinds of errors that reading can meet; any other is a fault of ours. It never changes.
var statuses = map[publish.Kind]int{
	publish.KindMissing:     http.StatusNotFound,
	publish.KindTakenDown:   http.StatusUnavailableForLegalReasons,
	publish.KindTooMany:     http.StatusTooManyRequests,
	publish.KindUnavailable: http.StatusServiceUnavailable,
	publish.KindFull:        http.StatusInsufficientStorage,
}

// fail answers with a page for an error of the Service. What is no *publish.Error is logged and told to nobody.
func (x *exchange) fail(err error) {
	if errors.Is(err, publish.CodeTakenDown) && x.place != onPath && x.r.Header.Get("Service-Worker") == "script" {
		x.lastWorker()
		return
	}
	status := http.StatusInternalServerError
	var code publish.Code
	if e := publish.AsError(err); e != nil {
		code = e.Code
		if e.RetryAfter > 0 {
			x.w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds()+0.5)))
		}
	} else if !errors.As(err, &code) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		code = publish.CodeUnavailable
		x.w.Header().Set("Retry-After", "5")
	}
	if known, ok := statuses[publish.Codes[code]]; ok {
		status = known
	}
	switch {
	case code == publish.CodeTakenDown && x.place != onPath && navigates(x.r.Header):
		// What the browser has kept of it. Not its storage: a restored project is to find its players' games again.
		x.w.Header().Set("Clear-Site-Data", `"cache"`)
	case status >= 500 && x.r.Context().Err() == nil:
		x.log.ErrorContext(x.r.Context(), "serving failed", "project", x.project.ID, "path", x.r.URL.Path, "err", err)
	}
	x.say(status, nameOf(code, status))
}
