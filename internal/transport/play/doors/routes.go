package doors

import (
	"net/http"
	"slices"
	"strings"

	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/players"
)

// A route holds the calls at an address, or at all addresses below a name.
type route struct {
	name    string // with a final slash, the name of a slot, board or key follows
	methods []method
}

// A method is a call.
type method struct {
	name      string
	operation admission.Operation
	most      int64 // bytes of its body; 0: it has none
	serve     func(*exchange) error
}

// The largest bodies, in bytes. A beacon's has the token beside the value.
const (
	maxFields = 4 << 10
	maxValue  = players.MaxSave + 1<<10
	maxErrors = 64 << 10
)

const read, write, report = admission.PlayerRead, admission.PlayerWrite, admission.PlayerReport

// routes are all routes. They never change.
var routes = []route{
	{"player", []method{
		{http.MethodGet, read, 0, (*exchange).hello},
		{http.MethodPatch, write, maxFields, (*exchange).rename},
	}},
	{"player/code", []method{{http.MethodPost, write, maxFields, (*exchange).code}}},
	{"player/resume", []method{{http.MethodPost, write, maxFields, (*exchange).resume}}},
	{"saves", []method{{http.MethodGet, read, 0, (*exchange).saves}}},
	{"saves/", []method{
		{http.MethodGet, read, 0, (*exchange).load},
		{http.MethodPut, write, maxValue, (*exchange).save},
		{http.MethodPost, write, maxValue, (*exchange).saveByBeacon},
		{http.MethodDelete, write, 0, (*exchange).deleteSave},
	}},
	{"scores/", []method{
		{http.MethodGet, read, 0, (*exchange).top},
		{http.MethodPost, write, maxFields, (*exchange).score},
	}},
	{"shared", []method{{http.MethodGet, read, 0, (*exchange).sharedKeys}}},
	{"shared/", []method{
		{http.MethodGet, read, 0, (*exchange).loadShared},
		{http.MethodPut, write, maxValue, (*exchange).share},
		{http.MethodDelete, write, 0, (*exchange).deleteShared},
	}},
	{"errors", []method{{http.MethodPost, report, maxErrors, (*exchange).errors}}},
	{"feedback", []method{{http.MethodPost, report, maxFields, (*exchange).feedback}}},
}

// first returns the first segment of the route's name.
func (rt *route) first() string {
	first, _, _ := strings.Cut(rt.name, "/")
	return first
}

// find returns the route of a name, and the name of the slot, board or key that follows; nil if there is none.
func find(name string) (rt *route, rest string) {
	for i := range routes {
		rt := &routes[i]
		rest, below := strings.CutPrefix(name, rt.name)
		if below && (rest != "") == strings.HasSuffix(rt.name, "/") {
			return rt, rest
		}
	}
	return nil, ""
}

// method returns the call of an HTTP method. A HEAD is a GET whose answer's body is left out.
func (rt *route) method(name string) *method {
	if name == http.MethodHead {
		name = http.MethodGet
	}
	i := slices.IndexFunc(rt.methods, func(m method) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &rt.methods[i]
}

// allowed returns the value of Allow.
func (rt *route) allowed() string {
	var names []string
	for _, m := range rt.methods {
		if names = append(names, m.name); m.name == http.MethodGet {
			names = append(names, http.MethodHead)
		}
	}
	return strings.Join(append(names, http.MethodOptions), ", ")
}
