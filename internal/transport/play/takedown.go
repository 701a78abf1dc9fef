package play

import (
	_ "embed"
	"net/http"
	"strconv"
)

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
func (x *exchange) asksForWorker() bool { return first(x.r.Header["Service-Worker"]) == "script" }

// worker answers with a service worker of the service, which removes itself. An error would keep the project's own in
// place: browsers drop a worker only for another one.
func (x *exchange) worker(script []byte) {
	h := x.headers(never)
	h["Content-Type"] = scriptType
	h.Set("Content-Length", strconv.Itoa(len(script)))
	x.w.WriteHeader(http.StatusOK)
	if x.r.Method != http.MethodHead {
		// An error means that the browser is gone.
		_, _ = x.w.Write(script)
	}
}
