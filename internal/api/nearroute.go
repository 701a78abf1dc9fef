package api

import (
	"net/http"
	"net/url"
	"strings"

	"sandlot/internal/publish"
)

// otherPaths are words that clients make up for the routes, without hyphens and
// underscores. It never changes.
var otherPaths = map[string]string{
	"create": "publish", "deploy": "publish", "upload": "publish", "new": "publish",
	"edit": "update", "delete": "delete-file", "remove": "delete-file", "files": "update",
	"register": "signup", "account": "signup", "accounts": "signup", "me": "whoami", "user": "whoami", "download": "export",
	"projects": "project", "game": "project", "games": "project",
}

// meant is the call that a request was most likely to be which is none: a route,
// nil if it is like none, and what the path says besides.
type meant struct {
	route        *route
	id, filename string
}

// near is the call that a path which there is not was most likely to be. Projects
// without an id are the list of all, which whoami gives, or where one is made.
func (a *API) near(method, path string) meant {
	parts := pathWords(path)
	if len(parts) == 0 {
		return meant{}
	}
	first := likeRoute(parts[0])
	switch {
	case first == "project" && len(parts) == 1 && (method == http.MethodPost || method == http.MethodPut):
		return meant{route: a.route("/v1/publish")}
	case first == "project" && len(parts) == 1:
		return meant{route: a.route("/v1/whoami")}
	case first == "project" && len(parts) > 3 && distance(strings.ToLower(parts[2]), "files") <= 1:
		return meant{route: a.route("/v1/project/{id}"), id: parts[1], filename: strings.Join(parts[3:], "/")}
	case first == "project" && len(parts) == 3 && distance(strings.ToLower(parts[2]), "stats") <= 1, len(parts) == 2 && distance(strings.ToLower(parts[0]), "stats") <= 1:
		return meant{route: a.route("/v1/project/{id}/stats"), id: parts[1]}
	case first == "project" && (len(parts) == 2 || len(parts) == 3 && parts[2] == "files"):
		return meant{route: a.route("/v1/project/{id}"), id: parts[1]}
	case len(parts) > 1 || first == "":
		return meant{}
	}
	return meant{route: a.route("/v1/" + first)}
}

// changing is what a request of this method was meant to be where its path is that
// of a project, which is only read here: many services change and delete by methods.
func (a *API) changing(method string, m meant) meant {
	if m.route == nil || m.route.op != publish.OpProject {
		return m
	}
	switch method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		m.route = a.route("/v1/update")
	case http.MethodDelete:
		if m.filename != "" {
			m.route = a.route("/v1/delete-file")
		}
	}
	return m
}

// pathWords are the segments of a path without the empty ones, the version and
// an extension.
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

// likeRoute is the first segment of a route that a word is like, or "".
func likeRoute(word string) string {
	plain := simplified(word)
	if len(plain) > 20 {
		return ""
	}
	if meant, ok := otherPaths[plain]; ok {
		return meant
	}
	for _, name := range []string{"publish", "update", "delete-file", "signup", "whoami", "export", "project"} {
		if distance(plain, simplified(name)) <= 2 {
			return name
		}
	}
	return ""
}

// route is the one of a pattern, or nil.
func (a *API) route(pattern string) *route {
	for i := range a.routes {
		if a.routes[i].pattern == pattern {
			return &a.routes[i]
		}
	}
	return nil
}
