package main

import (
	"net/http"

	"sandlot"
)

// An own is a path that the program answers itself, on both of its listeners, beside the routes of api, web and play.
// It is read-only, and not an operation of admission: free holds the reason why no client is refused.
type own struct {
	path, area string
	numbers    bool // whether it moves to the listener of the metrics, if there is one
	free       string
	serve      func(*router) http.HandlerFunc
}

// owns are all own paths. It never changes.
var owns = []own{
	{"/healthz", "health", false, "who watches the process takes a refusal for its end; it reads nothing", func(s *router) http.HandlerFunc { return s.health }},
	{"/readyz", "health", false, "a balancer would take the service away from everybody; it asks the store for one row", func(s *router) http.HandlerFunc { return s.readiness }},
	{"/metrics", "metrics", true, "its reader comes every few seconds; numbers in memory are all it reads", func(s *router) http.HandlerFunc { return s.metrics.handler().ServeHTTP }},
}

// ownPath returns the own of a path, nil if there is none.
func ownPath(path string) *own {
	for i := range owns {
		if owns[i].path == path {
			return &owns[i]
		}
	}
	return nil
}

// readOnly answers GET and HEAD, and never from a cache.
func readOnly(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refuse(http.StatusMethodNotAllowed, string(sandlot.CodeMethodNotAllowed), "This path takes GET only.", "Send a GET request.").ServeHTTP(w, r)
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
