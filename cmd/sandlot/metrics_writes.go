package main

import (
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"sandlot"
	"sandlot/internal/transport/api"
	"sandlot/internal/transport/web"
)

// writeCounts counts the requests that change something, by operation, way and outcome.
type writeCounts struct {
	calls *api.API
	known map[writeSeries]prometheus.Counter
}

// A writeSeries has the labels of a count.
type writeSeries struct{ op, way, outcome string }

// sentBytes is the operation of a request that brings the bytes of a ticket, which may be for a publish or for an
// update.
const sentBytes = "send"

// The operations of each way. They never change.
var writesOf = map[string][]string{
	"api": opNames(sandlot.OpPublish, sandlot.OpUpdate, sandlot.OpDeleteFile, sandlot.OpRestore, sandlot.OpAmend, sandlot.OpDeleteProject,
		sandlot.OpSignup, sandlot.OpImport),
	"page":   opNames(sandlot.OpPublish, sandlot.OpUpdate, sandlot.OpDeleteFile, sandlot.OpRestore, sandlot.OpAmend, sandlot.OpDeleteProject),
	"ticket": {sentBytes},
	"mcp":    opNames(sandlot.OpPublish, sandlot.OpUpdate, sandlot.OpRestore),
}

func opNames(ops ...sandlot.Op) (names []string) {
	for _, op := range ops {
		names = append(names, string(op))
	}
	return names
}

// outcomes has the outcome of each status; any other below 400 is ok, and any other failed. It never changes.
var outcomes = map[int]string{
	http.StatusAccepted:                   "part",
	http.StatusUnauthorized:               "unidentified",
	http.StatusForbidden:                  "forbidden",
	http.StatusNotFound:                   "missing",
	http.StatusRequestTimeout:             "slow",
	http.StatusConflict:                   "conflict",
	http.StatusPreconditionFailed:         "conflict",
	http.StatusRequestEntityTooLarge:      "too_large",
	http.StatusUnprocessableEntity:        "unacceptable",
	http.StatusTooManyRequests:            "too_many",
	http.StatusUnavailableForLegalReasons: "taken_down",
	statusClientGone:                      "gone",
	http.StatusServiceUnavailable:         "unavailable",
	http.StatusInsufficientStorage:        "full",
}

// newWriteCounts exports the counts, all of them from the start.
func newWriteCounts(m *metrics, calls *api.API) *writeCounts {
	vec := counters("sandlot_writes_total", "Requests that change something, by their outcome.", "op", "way", "outcome")
	m.registry.MustRegister(vec)
	all := map[string]bool{"ok": true, "mistake": true, "failed": true}
	for _, outcome := range outcomes {
		all[outcome] = true
	}
	w := &writeCounts{calls, map[writeSeries]prometheus.Counter{}}
	for way, ops := range writesOf {
		for _, op := range ops {
			for outcome := range all {
				w.known[writeSeries{op, way, outcome}] = vec.WithLabelValues(op, way, outcome)
			}
		}
	}
	return w
}

// count counts a request that net/http answered. Reads return at once.
func (w *writeCounts) count(area string, r *http.Request, status int, location string) {
	if w == nil || r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return
	}
	op, way := w.operation(area, r)
	if c := w.known[writeSeries{op, way, outcomeOf(status, location)}]; c != nil {
		c.Inc()
	}
}

// operation returns the labels of a request; those of a request that changes nothing are not known.
func (w *writeCounts) operation(area string, r *http.Request) (op, way string) {
	switch area {
	case "api":
		found := w.calls.Operation(r.Method, r.URL.EscapedPath())
		if found == sandlot.OpTicket && r.Method == http.MethodPut {
			return sentBytes, "ticket"
		}
		return string(found), "api"
	case "tools":
		return string(w.calls.Operation(r.Method, r.URL.EscapedPath())), "mcp"
	case "pages":
		return string(web.Operation(r.URL.Path)), "page"
	}
	return "", ""
}

// outcomeOf returns the outcome of a status. A form without a login leads to the login.
func outcomeOf(status int, location string) string {
	switch named, known := outcomes[status]; {
	case known:
		return named
	case status == http.StatusSeeOther && strings.HasPrefix(location, "/login"):
		return "unidentified"
	case status < http.StatusBadRequest:
		return "ok"
	case status < http.StatusInternalServerError:
		return "mistake"
	}
	return "failed"
}
