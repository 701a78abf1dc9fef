package play

import (
	_ "embed"
	"net/http"
	"strconv"
)

// lastWorkerJS takes the place of the service worker of a project that was taken down.
//
//go:embed lastworker.js
var lastWorkerJS []byte

// scriptType is the Content-Type of a worker.
var scriptType = []string{"text/javascript; charset=utf-8"}

// lastWorker answers a browser that asks whether the service worker of a project has changed. That
// worker could go on showing what was taken down for as long as nothing replaces it. An error would
// keep it in place: browsers drop a worker only for another one, so this one takes its place and
// removes itself.
func (x *exchange) lastWorker() {
	h := x.headers(never)
	h["Content-Type"] = scriptType
	h.Set("Content-Length", strconv.Itoa(len(lastWorkerJS)))
	x.w.WriteHeader(http.StatusOK)
	if x.r.Method != http.MethodHead {
		// An error means that the browser is gone.
		_, _ = x.w.Write(lastWorkerJS)
	}
}
