package api

import "strings"

// otherPaths are words that clients make up for the routes, without hyphens and
// underscores. It never changes.
var otherPaths = map[string]string{
	"create": "publish", "deploy": "publish", "upload": "publish", "new": "publish",
	"edit": "update", "delete": "delete-file", "remove": "delete-file", "files": "update",
	"register": "signup", "account": "signup", "accounts": "signup", "me": "whoami", "user": "whoami", "download": "export",
	"projects": "project", "game": "project", "games": "project",
}

// near is the route that a path which there is not was most likely to be, with
// what stands for its {id}; nil if it is like none. A project without an id is
// the list of all, which whoami gives.
func (a *API) near(path string) (*route, string) {
	parts := pathWords(path)
	if len(parts) == 0 || len(parts) > 3 {
		return nil, ""
	}
	first, id := likeRoute(parts[0]), ""
	if first == "project" {
		switch {
		case len(parts) == 1:
			return a.route("/v1/whoami"), ""
		case len(parts) == 2:
			return a.route("/v1/project/{id}"), parts[1]
		case distance(strings.ToLower(parts[2]), "stats") <= 1:
			return a.route("/v1/project/{id}/stats"), parts[1]
		}
		return nil, ""
	}
	if len(parts) == 2 && distance(strings.ToLower(parts[0]), "stats") <= 1 {
		return a.route("/v1/project/{id}/stats"), parts[1]
	}
	if len(parts) > 1 {
		return nil, ""
	}
	return a.route("/v1/" + first), id
}

// pathWords are the segments of a path without the empty ones, the version and
// an extension.
func pathWords(path string) []string {
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
