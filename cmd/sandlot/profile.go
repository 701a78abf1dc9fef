//go:build pprof

package main

import (
	"net/http"
	"net/http/pprof"
)

// profiles serves profiles of the running program beside the metrics of a private listener. Only the measurements build
// it in: a released program has no such address.
func profiles(mux *http.ServeMux) {
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
}
