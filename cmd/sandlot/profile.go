package main

import (
	"net/http"
	"net/http/pprof"
)

// profiles serves profiles of the running program beside the metrics of a private listener, and nowhere else. They hold
// names of functions, and no content; that of the heap and a trace show sizes and times.
func profiles(mux *http.ServeMux) {
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
}
