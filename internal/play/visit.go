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

// A visit is one request to one project.
type visit struct {
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
func (v *visit) serve(path string) {
	switch {
	case strings.HasPrefix(path, ours):
		v.own(path[len(ours):])
	case v.reads(allowed):
		v.file(path)
	}
}

// A door is what has a name in the service's own folder.
type door struct {
	name      string
	operation admission.Operation
	checks    func(*visit) bool // whether the request can be answered; it answers others itself
	serve     func(*visit)
}

// doors are all of them. Files of projects are behind none: they are a Look, which is free, so that nobody is asked.
var doors = []door{
	{"heartbeat", admission.Heartbeat, (*visit).mayBeat, (*visit).takeBeat},
	{"player.js", admission.Look, (*visit).mayRead, (*visit).playerScript},
	{"storage", admission.Look, (*visit).mayRead, (*visit).storage},
}

// own answers for the service's own folder. A version's address has none: it is the owner's preview, where nobody plays.
func (v *visit) own(name string) {
	i := slices.IndexFunc(doors, func(d door) bool { return d.name == name })
	switch {
	case v.place == onVersion:
		v.notFound()
	case i < 0:
		if v.reads(allowed) {
			v.notFound()
		}
	case doors[i].checks(v):
		v.enter(doors[i])
	}
}

// enter answers at a door, if admission lets the visitor in.
func (v *visit) enter(d door) {
	grant, err := v.admission.Admit(admission.Origin{Addr: admission.Peer(v.r.RemoteAddr)}, d.operation, admission.Body{Length: v.r.ContentLength})
	if err != nil {
		v.denied(err)
		return
	}
	defer grant.Done()
	d.serve(v)
}

// denied answers to whom admission did not let in.
func (v *visit) denied(err error) {
	var d *admission.Denied
	if !errors.As(err, &d) {
		v.fail(err)
		return
	}
	v.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.After.Seconds()))))
	v.refuse(http.StatusTooManyRequests, d.Error())
}

func (v *visit) mayRead() bool { return v.reads(allowed) }

func (v *visit) playerScript() { v.send(v.script, v.script.form(v.r.Header), http.StatusOK) }

// reads reports whether the request is a GET or HEAD, and answers it if not.
func (v *visit) reads(methods string) bool {
	switch v.r.Method {
	case http.MethodGet, http.MethodHead:
		return true
	case http.MethodOptions:
		v.options(methods)
	default:
		v.notAllowed(methods)
	}
	return false
}

// options answers an OPTIONS request, and a preflight of a page in the path form's sandbox.
func (v *visit) options(methods string) {
	h := v.headers(revalidate)
	h.Set("Allow", methods)
	if v.place == onPath {
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", "*")
		h.Set("Access-Control-Max-Age", "86400")
	}
	v.w.WriteHeader(http.StatusNoContent)
}

// notAllowed refuses a method.
func (v *visit) notAllowed(methods string) {
	v.w.Header().Set("Allow", methods)
	v.say(http.StatusMethodNotAllowed, "method")
}

// notFound answers where there is nothing.
func (v *visit) notFound() {
	v.say(http.StatusNotFound, "missing")
}

// redirect sends the client elsewhere, with the query it came with.
func (v *visit) redirect(status int, location string) {
	cacheControl := v.fresh()
	if status == http.StatusTemporaryRedirect {
		cacheControl = never
	}
	h := v.headers(cacheControl)
	if v.moves() {
		h["Vary"] = varies(false, true)
	}
	if v.r.URL.RawQuery != "" {
		location += "?" + v.r.URL.RawQuery
	}
	h.Set("Location", location)
	h.Set("Content-Length", "0")
	v.w.WriteHeader(status)
}

// visitor is who sent the request. Only the site's own origin has cookies that the project cannot have set.
func (v *visit) visitor(now time.Time) publish.Visitor {
	token := ""
	if v.place == onPath {
		token = v.token(v.r)
	}
	return publish.Visitor{ID: v.visitors.ID(v.r, token, now), From: admission.Peer(v.r.RemoteAddr)}
}

// moves reports whether a browser's own navigation to this address is sent on to the project's own origin.
func (v *visit) moves() bool { return v.place == onPath && v.places.Content != "" }

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
func (v *visit) fail(err error) {
	if errors.Is(err, publish.CodeTakenDown) && v.place != onPath && v.r.Header.Get("Service-Worker") == "script" {
		v.lastWorker()
		return
	}
	status := http.StatusInternalServerError
	var code publish.Code
	if e := publish.AsError(err); e != nil {
		code = e.Code
		if e.RetryAfter > 0 {
			v.w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds()+0.5)))
		}
	} else if !errors.As(err, &code) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		code = publish.CodeUnavailable
		v.w.Header().Set("Retry-After", "5")
	}
	if known, ok := statuses[publish.Codes[code]]; ok {
		status = known
	}
	switch {
	case code == publish.CodeTakenDown && v.place != onPath && navigates(v.r.Header):
		// What the browser has kept of it. Not its storage: a restored project is to find its players' games again.
		v.w.Header().Set("Clear-Site-Data", `"cache"`)
	case status >= 500 && v.r.Context().Err() == nil:
		v.log.ErrorContext(v.r.Context(), "serving failed", "project", v.project.ID, "path", v.r.URL.Path, "err", err)
	}
	v.say(status, nameOf(code, status))
}
