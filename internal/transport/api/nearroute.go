package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/names"
	"sandlot/internal/transport/intake"
)

// loginWords begin the paths, without hyphens and underscores, where clients look for a login or a new key. It never
// changes.
var loginWords = []string{"login", "logon", "signin", "auth", "oauth", "session", "token", "key", "apikey", "recover", "reset", "forgot", "password", "magic"}

// likeLogin reports whether a path begins with one of loginWords, also below that of an account.
func likeLogin(parts []string) bool {
	if len(parts) > 1 && slices.Contains([]string{"signup", "whoami"}, likeRoute(parts[0])) {
		parts = parts[1:]
	}
	return len(parts) > 0 && slices.ContainsFunc(loginWords, func(word string) bool { return strings.HasPrefix(intake.Simplified(parts[0]), word) })
}

// meant holds the route that a request without one was most likely for, nil if it is like none, and the names in its
// path.
type meant struct {
	route *route
	pathNames
}

// near returns the route that an unknown path was most likely for.
func (a *API) near(method, path string) meant {
	parts := pathWords(path)
	if len(parts) == 0 || likeLogin(parts) {
		return meant{}
	}
	first, rest := likeRoute(parts[0]), parts[1:]
	switch {
	case first == "project":
		return a.nearProject(method, rest)
	case first == "" && len(rest) == 1 && likeStats(parts[0]):
		return meant{route: a.route("/v1/project/{id}/stats"), pathNames: pathNames{id: rest[0]}}
	case first == "" && len(rest) < 2 && likeVersions(parts[0]):
		return meant{route: a.route("/v1/project/{id}/versions"), pathNames: pathNames{id: strings.Join(rest, "")}}
	case first == "":
		return meant{}
	}
	if first == "update" && method == http.MethodDelete {
		first = "delete-file"
	}
	m := meant{route: a.route("/v1/" + first)}
	if m.route.takes != nil && m.route.takes.Chooses && len(rest) > 0 {
		m.id, m.filename = rest[0], strings.Join(rest[1:], "/")
	}
	return m
}

// nearProject returns the nearest route for a path of a project, or of all: whoami lists them, and publish makes one.
func (a *API) nearProject(method string, rest []string) meant {
	switch {
	case len(rest) == 0 && (method == http.MethodPost || method == http.MethodPut):
		return meant{route: a.route("/v1/publish")}
	case len(rest) == 0:
		return meant{route: a.route("/v1/whoami")}
	case len(rest) > 1 && strings.HasPrefix(rest[0], "http") && strings.HasSuffix(rest[0], ":"):
		rest = []string{string(a.Places.ProjectID(rest[0] + "//" + strings.Join(rest[1:], "/")))}
	}
	m := meant{route: a.route("/v1/project/{id}"), pathNames: pathNames{id: rest[0]}}
	name := strings.Join(rest[1:], "/")
	switch {
	case len(rest) == 2 && likeStats(name):
		m.route = a.route("/v1/project/{id}/stats")
	case len(rest) == 2 && likeVersions(name):
		m.route = a.route("/v1/project/{id}/versions")
	case len(rest) > 1 && names.Edits(strings.ToLower(rest[1]), "files") <= 1:
		m.filename = strings.Join(rest[2:], "/")
	case strings.Contains(name, "."):
		m.filename = name
	}
	if m.filename != "" {
		m.route = a.route("/v1/project/{id}/files/{filename}")
	}
	return m
}

func likeStats(word string) bool {
	return strings.HasPrefix(strings.ToLower(word), "stat") || names.Edits(strings.ToLower(word), "stats") <= 1
}

func likeVersions(word string) bool {
	word = strings.ToLower(word)
	return word == "history" || word == "revisions" || names.Edits(word, "versions") <= 1
}

// changing returns the probable route of a method on the path of a project, which only reads it here: many services
// change and delete by methods.
func (a *API) changing(method string, m meant) meant {
	if m.route == nil || m.route.op != sandlot.OpProject && m.route.op != sandlot.OpFile {
		return m
	}
	switch method {
	case http.MethodPost, http.MethodPut:
		m.route = a.route("/v1/update")
	case http.MethodPatch:
		m.route = a.routeOf(sandlot.OpAmend)
		if m.filename != "" {
			m.route = a.route("/v1/update")
		}
	case http.MethodDelete:
		m.route = a.routeOf(sandlot.OpDeleteProject)
		if m.filename != "" {
			m.route = a.route("/v1/delete-file")
		}
	}
	return m
}

// pathWords returns the segments of a path without the empty ones, the version and an extension.
func pathWords(path string) []string {
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	for len(parts) > 0 && (strings.EqualFold(parts[0], "api") || strings.EqualFold(parts[0], "v1")) {
		parts = parts[1:]
	}
	if n := len(parts); n > 0 {
		parts[n-1] = strings.TrimSuffix(parts[n-1], ".json")
	}
	return parts
}

// likeRoute returns the first segment of the route that a word resembles, or "".
func likeRoute(word string) string {
	plain := intake.Simplified(word)
	if len(plain) > 20 {
		return ""
	}
	for _, o := range sandlot.Operations {
		if slices.Contains(o.Also, plain) {
			return string(o.Op)
		}
	}
	for _, o := range sandlot.Operations {
		if o.Also != nil && names.Edits(plain, intake.Simplified(string(o.Op))) <= 2 {
			return string(o.Op)
		}
	}
	return ""
}

// routeOf returns the route of an operation, or nil.
func (a *API) routeOf(op sandlot.Op) *route {
	for i := range a.routes {
		if a.routes[i].op == op {
			return &a.routes[i]
		}
	}
	return nil
}

// route returns the first route of a pattern, or nil.
func (a *API) route(pattern string) *route {
	for i := range a.routes {
		if a.routes[i].pattern == pattern {
			return &a.routes[i]
		}
	}
	return nil
}
