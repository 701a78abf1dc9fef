package main

import (
	"net/http"

	"sandlot"
)

// An own is a path that the program answers itself, on both of its listeners, beside the routes of api, web and play. It
// is read-only, and takes no operation of admission: a refusal would look like the end of the service.
type own struct {
	path, area string // an area "metrics" moves to the listener of the metrics, if there is one
	serve      func(*router) http.HandlerFunc
}

// owns are all own paths. It never changes.
var owns = []own{
	{"/healthz", "health", func(s *router) http.HandlerFunc { return s.health }},
	{"/readyz", "health", func(s *router) http.HandlerFunc { return s.readiness }},
	{"/metrics", "metrics", func(s *router) http.HandlerFunc { return s.metrics.handler().ServeHTTP }},
}

// readOnly answers GET and HEAD, and never from a cache.
func readOnly(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			code := string(sandlot.CodeMethodNotAllowed)
			refuse(http.StatusMethodNotAllowed, code, "This path takes GET only.", "Send a GET request.").ServeHTTP(w, r)
			return
		}
		unstored(w.Header())
		h(w, r)
	})
}

func (s *router) health(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") }

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client is gone if this fails
}
