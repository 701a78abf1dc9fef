package api

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"sandlot"
	"sandlot/internal/base/failpoint"
	"sandlot/internal/format/inspect"
	"sandlot/internal/transport/intake"
)

// A need is the use that a route makes of the key in the header.
type need int

const (
	keyIgnored need = iota
	keyOptional
	keyRequired
	ticketRequired // takes only a ticket
	flagRequired   // takes only the token of a trusted reporter
)

// A route is one endpoint. A segment of the pattern in braces matches any one segment that is not empty, and {filename}
// at its end matches all the rest, separated by slashes, encoded or not; all else must match exactly.
type route struct {
	method  string
	pattern string
	key     need
	op      sandlot.Op       // its row has the action for Authorize and admission
	takes   *intake.FieldSet // the fields of its body; nil if it has none
	serve   func(*API, *call) error
}

// takes returns the handler of an endpoint with a body: it reads the body once, staging its content as it arrives,
// decodes the fields, makes one call of the Service and answers.
func takes[In any](decode func(*intake.Fields) In, do func(*API, *call, In) (reply, error)) func(*API, *call) error {
	return func(a *API, c *call) error {
		return intake.Take(a.Intake, c.Call, decode, func(in In) error {
			re, err := do(a, c, in)
			if err != nil {
				return err
			}
			failpoint.Hit(failpoint.BeforeAnswer)
			return c.answer(re)
		})
	}
}

// routes returns the table of all endpoints. It never changes after it was built.
func routes() []route {
	return []route{
		{"POST", "/v1/publish", keyOptional, sandlot.OpPublish, intake.PublishFields, takes(intake.ReadPublish, (*API).publish)},
		{"POST", "/v1/update", keyRequired, sandlot.OpUpdate, intake.UpdateFields, takes(intake.ReadUpdate, (*API).update)},
		{
			"POST", "/v1/delete-file", keyRequired, sandlot.OpDeleteFile,
			intake.DeleteFields, takes(intake.ReadDeleteFile, (*API).deleteFile),
		},
		{"POST", "/v1/restore", keyRequired, sandlot.OpRestore, intake.RestoreFields, takes(intake.ReadRestore, (*API).restore)},
		{"POST", "/v1/uploads", keyOptional, sandlot.OpTicket, intake.TicketFields, takes(intake.ReadTicket, (*API).issue)},
		{"PUT", "/v1/uploads/{id}", ticketRequired, sandlot.OpTicket, nil, (*API).redeem},
		{"GET", "/v1/uploads/{id}", ticketRequired, sandlot.OpTicket, nil, aboutTicket},
		{"POST", "/v1/signup", keyIgnored, sandlot.OpSignup, intake.SignupFields, takes(intake.ReadSignup, (*API).signup)},
		{"POST", "/v1/report", flagRequired, sandlot.OpReport, intake.ReportFields, takes(intake.ReadReport, report)},
		{"GET", "/v1/project/{id}", keyOptional, sandlot.OpProject, nil, (*API).project},
		{
			"DELETE", "/v1/project/{id}", keyRequired, sandlot.OpDeleteProject,
			intake.DeleteProjectFields, takes(intake.ReadDeleteProject, (*API).deleteProject),
		},
		{"GET", "/v1/project/{id}/versions", keyRequired, sandlot.OpVersions, nil, (*API).versions},
		{"GET", "/v1/project/{id}/checks", keyRequired, sandlot.OpChecks, nil, (*API).checks},
		{"POST", "/v1/project/{id}/checks", keyRequired, sandlot.OpCheck, intake.CheckFields, takes(intake.ReadCheck, check)},
		{"GET", "/v1/project/{id}/boards", keyRequired, sandlot.OpBoards, nil, ofPlayers(listBoards)},
		{"GET", "/v1/project/{id}/boards/{board}", keyRequired, sandlot.OpBoard, nil, ofPlayers(readBoard)},
		{
			"PATCH", "/v1/project/{id}/boards/{board}", keyRequired, sandlot.OpRule,
			intake.BoardFields, takes(intake.ReadBoard, changeBoard),
		},
		{"DELETE", "/v1/project/{id}/boards/{board}", keyRequired, sandlot.OpDropBoard, nil, ofPlayers(dropBoard)},
		{"DELETE", "/v1/project/{id}/players/{player}", keyRequired, sandlot.OpDropPlayer, nil, ofPlayers(dropPlayer)},
		{"GET", "/v1/project/{id}/errors", keyRequired, sandlot.OpErrors, nil, ofPlayers(listErrors)},
		{"GET", "/v1/project/{id}/feedback", keyRequired, sandlot.OpFeedback, nil, ofPlayers(listFeedback)},
		{"DELETE", "/v1/project/{id}/feedback/{feedback}", keyRequired, sandlot.OpUnsay, nil, ofPlayers(dropFeedback)},
		{"PATCH", "/v1/project/{id}", keyRequired, sandlot.OpAmend, intake.AmendFields, takes(intake.ReadAmend, (*API).amend)},
		{"GET", "/v1/project/{id}/files/{filename}", keyRequired, sandlot.OpFile, nil, (*API).file},
		{"GET", "/v1/project/{id}/stats", keyOptional, sandlot.OpStats, nil, (*API).stats},
		{"GET", "/v1/whoami", keyRequired, sandlot.OpWhoami, nil, (*API).whoami},
		{"GET", "/v1/export", keyRequired, sandlot.OpExport, nil, (*API).export},
		{"POST", "/v1/import", keyRequired, sandlot.OpImport, nil, (*API).importArchive},
		{"GET", "/v1", keyIgnored, sandlot.OpNone, nil, served("application/json", func(a *API) []byte { return a.Index() })},
		{"GET", "/openapi.json", keyIgnored, sandlot.OpNone, nil, served("application/json", func(a *API) []byte { return a.json() })},
		{"GET", "/openapi.yaml", keyIgnored, sandlot.OpNone, nil, served("application/yaml", func(*API) []byte { return openapiYAML })},
	}
}

// Operation returns the operation of a request with this method and path, OpNone if there is none.
func (a *API) Operation(method, path string) sandlot.Op {
	if len(path) > maxPath {
		return sandlot.OpNone
	}
	for _, rt := range a.table.routes {
		if _, ok := match(rt.pattern, path); ok && rt.method == method {
			return rt.op
		}
	}
	return sandlot.OpNone
}

// maxPath is the longest path that is examined, in bytes: an address of a project fits in a tenth of it.
const maxPath = 8 << 10

// pathNames holds the {id}, the {filename}, and the name of another thing in the path of a request, decoded.
type pathNames struct{ param, filename, thing string }

// A table finds the endpoint of a request. base is the address of the service.
type table struct {
	routes   []route
	base     string
	lostKeys string // the advice for lost keys
}

// find sets the route of a request and the names in its path. If there is none, it returns a refusal; for another method
// it sets the route of that path as meant. It never redirects: a redirect would drop the body, or pass the key on.
func (t table) find(c *call) error {
	path := c.R.URL.EscapedPath()
	if len(path) > maxPath {
		c.status = http.StatusRequestURITooLong
		return sandlot.Refuse(sandlot.CodeNotFound, "The path has %d bytes; none of this service's is longer than %d.", len(path), maxPath).
			Note("Send a project_id as it was answered: at most 40 characters.")
	}
	for i := range t.routes {
		rt := &t.routes[i]
		named, ok := match(rt.pattern, path)
		switch {
		case !ok:
		case takesMethod(rt.method, c.R.Method):
			c.route, c.pathNames = rt, named
			return nil
		case c.meant == nil: // the first route of the path
			c.meant, c.pathNames = rt, named
		}
	}
	if c.meant == nil {
		return t.unknownPath(c.R.Method, path)
	}
	allow := t.methods(c.meant.pattern)
	c.W.Header().Set("Allow", allow)
	return t.wrongMethod(c.R.Method, allow, c.meant)
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
			into = &named.param
		case "{filename}":
			into = &named.filename
		case "{board}", "{player}", "{feedback}":
			into = &named.thing
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

// wrongMethod refuses a method on a known path, and shows the call that the path takes.
func (t table) wrongMethod(method, allow string, rt *route) error {
	e := sandlot.Refuse(sandlot.CodeMethodNotAllowed, "This path doesn't support %s; use %s.", inspect.Quoted(method), allow)
	elsewhere := t.doneElsewhere(method)
	if rt.op == sandlot.OpNone {
		return e.With(sandlot.OpSame).Note("%sThis path takes %s:\ncurl %s", elsewhere, rt.method, t.base+rt.pattern)
	}
	return e.With(sandlot.OpSame).Note("%sThis path takes %s:", elsewhere, rt.method)
}

// methods lists the methods of a path.
func (t table) methods(pattern string) string {
	var list []string
	for _, rt := range t.routes {
		if rt.pattern != pattern {
			continue
		}
		if list = append(list, rt.method); rt.method == http.MethodGet {
			list = append(list, http.MethodHead)
		}
	}
	return strings.Join(append(list, http.MethodOptions), ", ")
}

// asksForKeys matches the paths at which other services log somebody in or return a lost key.
var asksForKeys = regexp.MustCompile(`^(/v1)?/(auth|account|log-?in|sign-?in|sessions?|tokens?|(api-?)?keys?|` +
	`magic-link|recover(y|-keys?)?|(forgot|reset)(-password|-keys?)?)(/.*)?$`)

// unknownPath refuses an unknown path, and lists the endpoints. One that asks for keys gets the way back to them.
func (t table) unknownPath(method, path string) error {
	if asksForKeys.MatchString(strings.ToLower(path)) {
		return sandlot.Refuse(sandlot.CodeNotFound, "No such path: keys are neither made nor returned by a call.").With(sandlot.OpSame).
			Note("%s\nWith a key, this says what it covers:\ncurl %s/v1/whoami -H 'Authorization: Bearer <api_key>'", t.lostKeys, t.base)
	}
	var list []string
	for _, rt := range t.routes {
		list = append(list, rt.method+" "+t.base+rt.pattern)
	}
	return sandlot.Refuse(sandlot.CodeNotFound, "No such path. Paths are exact: lower case, no trailing slash.").With(sandlot.OpSame).
		Note("%sThe endpoints are: %s.\nWhat each endpoint is for, with the first call:\ncurl %s/v1",
			t.doneElsewhere(method), strings.Join(list, ", "), t.base)
}

// doneElsewhere names the call for the effect that clients expect of a method, "" for a method without one.
func (t table) doneElsewhere(method string) string {
	switch method {
	case http.MethodDelete:
		return "A file is deleted with POST " + t.base + "/v1/delete-file, a project with DELETE " + t.base +
			"/v1/project/{id} and its account's key, an account on the website, at " + t.base + "/account.\n"
	case http.MethodPatch, http.MethodPut:
		return "A file, and the title with it, is changed with POST " + t.base +
			"/v1/update, what is said about a project with PATCH " + t.base + "/v1/project/{id}.\n"
	}
	return ""
}
