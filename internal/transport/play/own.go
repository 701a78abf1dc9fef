package play

import (
	_ "embed"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"

	"sandlot/internal/domain/admission"
)

// A door is one name in the service's own folder, /.sandlot/.
type door struct {
	name      string
	operation admission.Operation
	methods   string
	serve     func(*exchange)
}

// doors are all doors. It never changes. Files of projects are not among them: most come from memory, without
// admission.
var doors = []door{
	{"about", admission.Fetch, allowed, func(x *exchange) { x.say(http.StatusOK, "about") }},
	{"heartbeat", admission.Heartbeat, posted, (*exchange).takeBeat},
	{"player.js", admission.Fetch, allowed, func(x *exchange) { x.send(x.script, x.script.form(x.r.Header), http.StatusOK) }},
	{"storage", admission.Fetch, allowed, (*exchange).storage},
}

// own answers for a name in the service's own folder. The address of a version has only the door about: it is the
// owner's preview, where nobody plays.
func (x *exchange) own(name string) {
	doors := doors
	if x.previewing {
		doors = previewDoors
	}
	i := slices.IndexFunc(doors, func(d door) bool { return d.name == name })
	switch {
	case x.place == onVersion && name != "about", x.trial:
		x.notFound()
	case i < 0:
		if x.takes(allowed) {
			x.notFound()
		}
	case x.takes(doors[i].methods):
		x.enter(doors[i])
	}
}

// enter serves a door, if admission allows its operation to the client. Otherwise it answers 429 with Retry-After.
func (x *exchange) enter(d door) {
	from := admission.Origin{Addr: admission.Peer(x.r.RemoteAddr)}
	grant, err := x.Admission.Admit(from, d.operation, admission.Body{Length: x.r.ContentLength})
	var denied *admission.Denied
	switch {
	case errors.As(err, &denied):
		x.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(denied.After.Seconds()))))
		x.refuse(http.StatusTooManyRequests, denied.Error())
	case err != nil:
		x.fail(err)
	default:
		defer grant.Done()
		d.serve(x)
	}
}

// iconPath is the path that browsers request by themselves. A 404 would put a message into the console of a game that
// did not request it.
const iconPath = "/favicon.ico"

//go:embed icon.svg
var iconSVG []byte

// icon answers for iconPath if the project has no file of that name: with its icon of another usual name, or with the
// default icon.
func (x *exchange) icon(l *list) {
	f := x.ownIcon
	for _, name := range [...]string{"favicon.png", "favicon.svg"} {
		if own := l.files[name]; own != nil {
			f = own
		}
	}
	x.send(f, f.form(x.r.Header), http.StatusOK)
}

// lastWorkerJS replaces the service worker of a project that was taken down. Without it that worker could go on showing
// the project. It also deletes the worker's caches.
//
//go:embed lastworker.js
var lastWorkerJS []byte

// noWorkerJS replaces any service worker of a project in quarantine, which could answer the project's pages without
// their policy.
//
//go:embed noworker.js
var noWorkerJS []byte

// scriptType is the Content-Type of a worker.
var scriptType = []string{"text/javascript; charset=utf-8"}

// asksForWorker reports whether the browser requests the script of a service worker, to register it or to check for
// changes.
func asksForWorker(r *http.Request) bool { return first(r.Header["Service-Worker"]) == "script" }

// worker answers with a service worker of the service, which removes itself. An error would keep the project's own in
// place: browsers drop a worker only for another one.
func (x *exchange) worker(script []byte) {
	x.headers(never)
	x.write(http.StatusOK, scriptType, script)
}
