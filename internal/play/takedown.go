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

var scriptType = []string{"text/javascript; charset=utf-8"}

// lastWorker answers a browser that asks whether the worker it has registered for a project has changed. The worker
// could go on showing what was taken down for as long as nobody replaces it, and an error would only keep it: browsers
// drop a worker for nothing but another one that drops itself.
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
