package main

import (
	"cmp"
	"net/http"

	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/api"
	"sandlot/internal/transport/guide"
	"sandlot/internal/transport/mcp"
)

// tools returns the front of MCP over the API and the documents of this instance.
func (a *app) tools(calls *api.API, documents *guide.Guide, limits *admission.Limits, writes *writeCounts) *mcp.Front {
	inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if documents.Takes(r) {
			documents.ServeHTTP(w, r)
			return
		}
		rec := &statusOf{ResponseWriter: w}
		defer func() { writes.count("tools", r, cmp.Or(rec.status, http.StatusOK), "") }()
		calls.ServeHTTP(rec, r.WithContext(api.WithTools(r.Context())))
	})
	tools := mcp.New(mcp.Config{API: inner, Places: a.places, Version: thisBuild().Version, Large: a.memory.large, Site: a.settings.SiteName, Log: a.log})
	return mcp.NewFront(tools, limits)
}

// A statusOf remembers the status of an answer.
type statusOf struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (s *statusOf) WriteHeader(status int) {
	s.status = cmp.Or(s.status, status)
	s.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (s *statusOf) Unwrap() http.ResponseWriter { return s.ResponseWriter }
