package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/transport/intake"
)

// A need is the use that a route makes of the key in the header.
type need int

const (
	keyIgnored need = iota
	keyOptional
	keyRequired
	ticketRequired // takes only a ticket
)

// A route is one endpoint. A segment {id} of the pattern matches any one segment that is not empty, and {filename} at
// its end matches all the rest, separated by slashes, encoded or not; all else must match exactly.
type route struct {
	method  string
	pattern string
	key     need
	op      sandlot.Op       // its row has the action for Authorize and admission
	takes   *intake.FieldSet // the fields of its body; nil if it has none
	serve   func(*API, *call) error
}

// routes returns the table of all endpoints. It never changes after it was built.
func routes() []route {
	return []route{
		{"POST", "/v1/publish", keyOptional, sandlot.OpPublish, intake.PublishFields, takes(intake.ReadPublish, (*API).publish)},
		{"POST", "/v1/update", keyRequired, sandlot.OpUpdate, intake.UpdateFields, takes(intake.ReadUpdate, (*API).update)},
		{"POST", "/v1/delete-file", keyRequired, sandlot.OpDeleteFile, intake.DeleteFields, takes(intake.ReadDeleteFile, (*API).deleteFile)},
		{"POST", "/v1/restore", keyRequired, sandlot.OpRestore, intake.RestoreFields, takes(intake.ReadRestore, (*API).restore)},
		{"POST", "/v1/uploads", keyOptional, sandlot.OpTicket, intake.TicketFields, takes(intake.ReadTicket, (*API).issue)},
		{"PUT", "/v1/uploads/{id}", ticketRequired, sandlot.OpTicket, nil, (*API).redeem},
		{"POST", "/v1/signup", keyIgnored, sandlot.OpSignup, intake.SignupFields, takes(intake.ReadSignup, (*API).signup)},
		{"GET", "/v1/project/{id}", keyOptional, sandlot.OpProject, nil, (*API).project},
		{"DELETE", "/v1/project/{id}", keyRequired, sandlot.OpDeleteProject, intake.DeleteProjectFields, takes(intake.ReadDeleteProject, (*API).deleteProject)},
		{"GET", "/v1/project/{id}/versions", keyRequired, sandlot.OpVersions, nil, (*API).versions},
		{"GET", "/v1/project/{id}/checks", keyRequired, sandlot.OpChecks, nil, (*API).checks},
		{"PATCH", "/v1/project/{id}", keyRequired, sandlot.OpAmend, intake.AmendFields, takes(intake.ReadAmend, (*API).amend)},
		{"GET", "/v1/project/{id}/files/{filename}", keyRequired, sandlot.OpFile, nil, (*API).file},
		{"GET", "/v1/project/{id}/stats", keyOptional, sandlot.OpStats, nil, (*API).stats},
		{"GET", "/v1/whoami", keyRequired, sandlot.OpWhoami, nil, (*API).whoami},
		{"GET", "/v1/export", keyRequired, sandlot.OpExport, nil, (*API).export},
		{"POST", "/v1/import", keyRequired, sandlot.OpImport, nil, (*API).importArchive},
		{"GET", "/v1", keyIgnored, sandlot.OpNone, nil, (*API).index},
		{"GET", "/openapi.json", keyIgnored, sandlot.OpNone, nil, (*API).openapiJSON},
		{"GET", "/openapi.yaml", keyIgnored, sandlot.OpNone, nil, (*API).openapiYAML},
	}
}

// maxPath is the longest path that is examined, in bytes: an address of a project fits, percent-encoded, in a tenth of
// it.
const maxPath = 8 << 10

// pathNames holds the {id} and the {filename} in the path of a request.
type pathNames struct{ id, filename string }

// find returns the route of a request and the names in its path. If there is none, it notes in the call the route that
// was probably meant. It never redirects: a redirect would drop the body, or pass the key on.
func (a *API) find(c *call) (*route, pathNames, error) {
	r, path := c.R, c.R.URL.EscapedPath()
	if len(path) > maxPath {
		return nil, pathNames{}, pathTooLong(len(path))
	}
	var other *route // the first route of the path
	var otherNames pathNames
	for i := range a.routes {
		rt := &a.routes[i]
		named, ok := match(rt.pattern, path)
		if !ok {
			continue
		}
		if takesMethod(rt.method, r.Method) {
			return rt, named, nil
		}
		if other == nil {
			other, otherNames = rt, named
		}
	}
	if other != nil {
		c.meant = a.changing(r.Method, meant{route: other, pathNames: otherNames})
		return nil, pathNames{}, a.wrongMethod(r.Method, other, c.meant.route)
	}
	c.meant = a.changing(r.Method, a.near(r.Method, path))
	if c.meant.route != nil && c.meant.id == "" && c.meant.route.op == sandlot.OpVersions {
		c.meant.id = r.URL.Query().Get("project_id")
	}
	return nil, pathNames{}, a.unknownPath(r.Method, path, c.meant.route)
}

func takesMethod(routed, method string) bool {
	return routed == method || routed == http.MethodGet && method == http.MethodHead
}

// match compares segment by segment before decoding, so that an encoded slash stays part of its segment.
func match(pattern, path string) (named pathNames, ok bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if last := len(want) - 1; want[last] == "{filename}" && len(got) > last {
		got = append(got[:last:last], strings.Join(got[last:], "/"))
	}
	if len(want) != len(got) {
		return named, false
	}
	for i := range want {
		var into *string
		switch want[i] {
		case "{id}":
			into = &named.id
		case "{filename}":
			into = &named.filename
		case got[i]:
			continue
		default:
			return named, false
		}
		var err error
		if *into, err = url.PathUnescape(got[i]); err != nil || *into == "" {
			return named, false
		}
	}
	return named, true
}

// wrongMethod refuses a method on a known path, and shows the call that the path takes, or another that was probably
// meant.
func (a *API) wrongMethod(method string, rt, meant *route) error {
	list := a.methods(rt.pattern)
	elsewhere := a.doneElsewhere(method, rt)
	refusal := sandlot.Refuse(sandlot.CodeMethodNotAllowed, "This path doesn't support %s; use %s.", intake.Shown(method), list).With(sandlot.OpSame)
	switch {
	case rt.op == sandlot.OpNone:
		refusal.Note("%sThis path takes %s:\ncurl %s", elsewhere, rt.method, a.Places.Base.String()+rt.pattern)
	case meant != rt && elsewhere == "":
		refusal.Note("This path takes %s. Probably %s was meant:", rt.method, a.endpoint(meant))
	case meant != rt:
		refusal.Note("%sThat call is:", elsewhere)
	default:
		refusal.Note("%sThis path takes %s:", elsewhere, rt.method)
	}
	return &special{refusal: refusal, allow: list}
}

// methods lists the methods of a path.
func (a *API) methods(pattern string) string {
	var list []string
	for _, rt := range a.routes {
		if rt.pattern != pattern {
			continue
		}
		if list = append(list, rt.method); rt.method == http.MethodGet {
			list = append(list, http.MethodHead)
		}
	}
	return strings.Join(append(list, http.MethodOptions), ", ")
}

// unknownPath refuses an unknown path, and shows the call of the route that was most likely meant, if there is one.
func (a *API) unknownPath(method, path string, meant *route) error {
	e := sandlot.Refuse(sandlot.CodeNotFound, "No such path. Paths are exact: lower case, no trailing slash.").With(sandlot.OpSame)
	if meant == nil && likeLogin(pathWords(path)) {
		return e.With(sandlot.OpPresentKey).Note("The API has no login, and makes no keys but those of a publish or signup.")
	}
	all := a.doneElsewhere(method, meant) + "The endpoints are: " + strings.Join(a.endpoints(), ", ") + "."
	switch {
	case meant == nil:
		return e.Note("%s\nWhat each is for, with the first call:\ncurl %s/v1", all, a.Places.Base)
	case method == http.MethodDelete && meant.method == http.MethodGet:
		return e.Note("%s\nThe nearest is %s:", all, a.endpoint(meant))
	}
	return e.Note("Probably %s was meant, as in the call below.\n%s", a.endpoint(meant), all)
}

// doneElsewhere names the call for the effect that clients expect of a method on the path of a route, or of no route.
func (a *API) doneElsewhere(method string, rt *route) string {
	base := a.Places.Base.String()
	switch method {
	case http.MethodDelete:
		return "A file is deleted with POST " + base + "/v1/delete-file, a project with DELETE " + base + "/v1/project/{id} and its account's key, an account on the website, at " + base + "/account.\n"
	case http.MethodPatch, http.MethodPut:
		if rt != nil && rt.op == sandlot.OpSignup {
			break // that one makes an account
		}
		return "A file, and the title with it, is changed with POST " + base + "/v1/update, what is said about a project with PATCH " + base + "/v1/project/{id}.\n"
	}
	return ""
}

// endpoints lists all routes in readable form.
func (a *API) endpoints() []string {
	var list []string
	for _, rt := range a.routes {
		list = append(list, a.endpoint(&rt))
	}
	return slices.Clip(list)
}

func (a *API) endpoint(rt *route) string {
	return rt.method + " " + a.Places.Base.String() + rt.pattern
}

func pathTooLong(n int) error {
	return &special{
		refusal: sandlot.Refuse(sandlot.CodeNotFound, "The path has %d bytes; none of this service's is longer than %d.", n, maxPath).
			Note("Send a project_id as it was answered: at most 40 characters."),
		status: http.StatusRequestURITooLong,
	}
}
