package play

import (
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"

	"sandlot/internal/admission"
)

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
