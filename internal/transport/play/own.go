package play

import (
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
	checks    func(*exchange) bool // reports whether the request can be served; answers it if not
	serve     func(*exchange)
}

// doors are all doors. It never changes. Files of projects are not among them: most come from memory, without
// admission.
var doors = []door{
	{"about", admission.Fetch, (*exchange).mayRead, (*exchange).about},
	{"heartbeat", admission.Heartbeat, (*exchange).mayBeat, (*exchange).takeBeat},
	{"player.js", admission.Fetch, (*exchange).mayRead, (*exchange).playerScript},
	{"storage", admission.Fetch, (*exchange).mayRead, (*exchange).storage},
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
		if x.reads(allowed) {
			x.notFound()
		}
	case doors[i].checks(x):
		x.enter(doors[i])
	}
}

// enter serves a door, if admission allows its operation to the client.
func (x *exchange) enter(d door) {
	grant, err := x.admission.Admit(admission.Origin{Addr: admission.Peer(x.r.RemoteAddr)}, d.operation, admission.Body{Length: x.r.ContentLength})
	if err != nil {
		x.denied(err)
		return
	}
	defer grant.Done()
	d.serve(x)
}

// denied answers a request that admission refused: 429 with Retry-After, in whole seconds.
func (x *exchange) denied(err error) {
	var d *admission.Denied
	if !errors.As(err, &d) {
		x.fail(err)
		return
	}
	x.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.After.Seconds()))))
	x.refuse(http.StatusTooManyRequests, d.Error())
}

// mayRead checks a request for a door that is read.
func (x *exchange) mayRead() bool { return x.reads(allowed) }

// playerScript answers with the heartbeat's script.
func (x *exchange) playerScript() { x.send(x.script, x.script.form(x.r.Header), http.StatusOK) }
