package api

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// callers are the kinds of caller that every route is sent, in the order of the
// columns below. The last two are about a suspended account and its project:
// its own key, and nobody's.
var callers = []string{"nobody", "bad key", "unknown key", "account", "its project", "other project", "revoked", "other account", "session", "renamed", "suspended", "at suspended"}

// access says, for each route and request, the status that each kind of caller
// gets. A route that is not here fails the test.
var access = map[string][]accessRow{
	"POST /v1/publish": {
		{"a new project", obj{"content": page64, "email": someone}, "201 401 401 201 403 403 401 201 201 401 403 201"},
		{"an archive", obj{"email": someone, raw: treeZIP}, "201 401 401 201 403 403 401 201 201 401 403 201"},
		{"a dry run", obj{"content": page64, "email": someone, "dry_run": true}, "200 401 401 200 403 403 401 200 200 401 403 200"},
		{"part 2 of the account's upload", obj{"content": page64, "email": someone, "upload_id": "of-the-account", "part": 2}, "422 401 401 202 403 403 401 422 422 401 403 422"},
	},
	"POST /v1/update": {
		{"the project", obj{"project_id": "P", "filename": "a.txt", "content": "YQ=="}, "401 401 401 200 200 403 401 403 401 401 403 401"},
		{"an archive", obj{"project_id": "P", "replace": "true", raw: treeZIP}, "401 401 401 200 200 403 401 403 401 401 403 401"},
		{"a dry run", obj{"project_id": "P", "filename": "a.txt", "content": "YQ==", "dry_run": true}, "401 401 401 200 200 403 401 403 401 401 403 401"},
		{"no project named", obj{"filename": "a.txt", "content": "YQ=="}, "401 401 401 200 400 400 401 200 401 401 403 401"},
	},
	"POST /v1/delete-file": {
		{"the project", obj{"project_id": "P", "filename": "logo.svg"}, "401 401 401 200 200 403 401 403 401 401 403 401"},
	},
	"POST /v1/restore": {
		{"the project", obj{"project_id": "P", "version": 1}, "401 401 401 200 200 403 401 403 401 401 403 401"},
	},
	"GET /v1/project/{id}/files/{filename}": {
		{"its page", nil, "401 401 401 200 200 403 401 403 401 401 451 401"},
	},
	"PATCH /v1/project/{id}": {
		{"its title", obj{"title": "Other"}, "401 401 401 200 200 403 401 403 401 401 403 401"},
		{"its primary file", obj{"primary_file": "logo.svg"}, "401 401 401 200 200 403 401 403 401 401 403 401"},
	},
	"GET /v1/project/{id}/versions": {
		{"the project", nil, "401 401 401 200 200 403 401 403 401 401 451 401"},
	},
	"GET /v1/project/{id}/checks": {
		{"the project", nil, "401 401 401 200 200 403 401 403 401 401 451 401"},
	},
	"GET /v1/project/{id}/boards": {
		{"the project", nil, "401 401 401 200 200 403 401 403 401 401 451 401"},
	},
	"GET /v1/project/{id}/boards/{board}": {
		{"its board", nil, "401 401 401 200 200 403 401 403 401 401 451 401"},
		{"the board of a day", obj{"period": "today", "limit": 1}, "401 401 401 200 200 403 401 403 401 401 451 401"},
	},
	"PATCH /v1/project/{id}/boards/{board}": {
		{"its bounds", obj{"min": 0, "max": 9999.5, "min_seconds": 10}, "401 401 401 200 200 403 401 403 401 401 403 401"},
		{"without its rows", obj{"reset": true, "max": nil}, "401 401 401 200 200 403 401 403 401 401 403 401"},
	},
	"DELETE /v1/project/{id}/boards/{board}": {
		{"its board", obj{}, "401 401 401 200 404 403 401 403 401 401 403 401"},
	},
	"DELETE /v1/project/{id}/players/{player}": {
		{"its player", obj{}, "401 401 401 200 404 403 401 403 401 401 403 401"},
	},
	"GET /v1/project/{id}/errors": {
		{"the project", nil, "401 401 401 200 200 403 401 403 401 401 451 401"},
		{"a version", obj{"version": 1}, "401 401 401 200 200 403 401 403 401 401 451 401"},
	},
	"GET /v1/project/{id}/feedback": {
		{"the project", nil, "401 401 401 200 200 403 401 403 401 401 451 401"},
	},
	"DELETE /v1/project/{id}/feedback/{feedback}": {
		{"a message", obj{}, "401 401 401 200 200 403 401 403 401 401 403 401"},
	},
	"POST /v1/project/{id}/checks": {
		{"the current version", obj{}, "401 401 401 200 200 403 401 403 401 401 451 401"},
	},
	"POST /v1/uploads": {
		{"for a new project", obj{"email": someone}, "201 401 401 201 403 403 401 201 201 401 403 201"},
		{"for the project", obj{"project_id": "P", "filename": "a.txt"}, "401 401 401 201 201 403 401 403 401 401 403 401"},
	},
	"PUT /v1/uploads/{id}": { // the tests of tickets have the callers that a ticket lets in
		{"without a ticket", obj{}, "401 401 401 401 401 401 401 401 401 401 401 401"},
	},
	"GET /v1/uploads/{id}": {
		{"without a ticket", nil, "401 401 401 401 401 401 401 401 401 401 401 401"},
	},
	"POST /v1/signup": {
		{"an account", obj{}, "201 201 201 201 201 201 201 201 201 201 201 201"},
	},
	"POST /v1/report": { // the test of reporters has the token that it takes
		{"without a token", obj{"project": "P", "reason": "deceptive"}, "401 401 401 401 401 401 401 401 401 401 401 401"},
	},
	"GET /v1/project/{id}": {
		{"the project", nil, "200 401 401 200 200 200 401 200 200 401 200 451"},
	},
	"DELETE /v1/project/{id}": {
		{"the project", obj{"confirm": "P"}, "401 401 401 200 401 403 401 404 401 401 403 401"}, // once it is deleted its keys are none
		{"unconfirmed", obj{}, "401 401 401 400 403 403 401 403 401 401 403 401"},
	},
	"GET /v1/project/{id}/stats": {
		{"the project", nil, "200 200 200 200 200 200 200 200 200 200 451 451"},
		{"by day", obj{"by": "day"}, "401 401 401 200 200 403 401 403 401 401 451 401"},
		{"by version", obj{"by": "version"}, "401 401 401 200 200 403 401 403 401 401 451 401"},
		{"by something else", obj{"by": "hour"}, "401 401 401 400 400 400 401 400 401 401 400 401"},
	},
	"GET /v1/whoami": {
		{"the key", nil, "401 401 401 200 200 200 401 200 401 401 200 401"},
	},
	"GET /v1/export": {
		{"everything", nil, "401 401 401 200 200 200 401 200 401 401 200 401"},
	},
	"POST /v1/import": {
		{"an export", obj{raw: exportZIP}, "401 401 401 200 403 403 401 200 401 401 403 401"},
		{"what is no ZIP", obj{}, "401 401 401 415 403 403 401 415 401 401 403 401"},
	},
	"GET /v1": {
		{"what is here", nil, "200 200 200 200 200 200 200 200 200 200 200 200"},
	},
	"GET /openapi.json": {
		{"the document", nil, "200 200 200 200 200 200 200 200 200 200 200 200"},
	},
	"GET /openapi.yaml": {
		{"the document", nil, "200 200 200 200 200 200 200 200 200 200 200 200"},
	},
}

// raw is the field of a row whose body is an archive, which the function makes; the other fields are in the query.
const raw = "\x00raw"

// exportZIP is an export of another instance.
func exportZIP(t *testing.T) string {
	manifest := `{"format":1,"projects":[{"project_id":"maze-7k2m9p","title":"Maze","primary_file":"index.html","files":[{"filename":"index.html","path":"a","size":` + fmt.Sprint(len(page)) + `,"sha256":"` + sum(page) + `"}]}]}`
	return zipped(t, "manifest.json", manifest, "a", page)
}

type accessRow struct {
	name string
	body obj
	want string
}

// TestAccess is on the embedded set. On the full one every method behind a route is called by TestWhoIsLetInToProjects.
func TestAccess(t *testing.T) {
	t.Parallel()
	for _, rt := range routes() {
		rows := access[rt.method+" "+rt.pattern]
		if len(rows) == 0 {
			t.Errorf("%s %s is not in the access matrix", rt.method, rt.pattern)
		}
		for _, row := range rows {
			t.Run(rt.method+rt.pattern+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				c := newCast(t)
				for i, want := range strings.Fields(row.want) {
					got := c.as(callers[i], rt, row.body)
					if fmt.Sprint(got.status) != want {
						t.Errorf("%s gets %d, want %s: %.300s", callers[i], got.status, want, got.text)
					}
					c.sees(callers[i], rt, got)
				}
			})
		}
	}
}

// cast is a world with everybody in it.
type cast struct {
	*world
	otherProject, otherAccount, revoked, unknown string
	otherProjectID                               string
	suspended, suspendedProjectID                string
}

func newCast(t *testing.T) *cast {
	t.Helper()
	c := &cast{world: settled(t)}
	c.played(c.projectID)
	second := c.post("/v1/publish", c.account, obj{"content": page64}).wants(201)
	c.otherProject, c.otherProjectID = second.str("project_api_key"), second.str("project_id")
	c.revoked = c.post("/v1/publish", "", obj{"content": page64, "email": someone}).wants(201).str("api_key")
	c.otherAccount = c.post("/v1/publish", "", obj{"content": page64, "email": someone}).wants(201).str("api_key")
	c.post("/v1/publish", c.account, obj{"content": page64, "upload_id": "of-the-account", "part": 1}).wants(202)
	c.revoke(c.revoked)
	down := c.post("/v1/publish", "", obj{"content": page64, "email": someone}).wants(201)
	c.suspended, c.suspendedProjectID = down.str("api_key"), down.str("project_id")
	_, err := c.Operate.Suspend(t.Context(), byOperator, "@"+down.str("handle"), "spam")
	expect.OK(t, err)
	c.unknown = unknownKey(t)
	return c
}

// byOperator is the operator, whose commands nobody gave a name to.
var byOperator = sandlot.AsOperator("")

func (c *cast) revoke(key string) {
	c.t.Helper()
	hash := sandlot.Secret(key).Hash()
	c.Exec("UPDATE keys SET revoked_at = 1 WHERE hash = ?", hash[:])
}

// as sends a request of the route as one kind of caller.
func (c *cast) as(caller string, rt route, body obj) answer {
	c.t.Helper()
	key := map[string]string{
		"bad key": "sla_0123", "unknown key": c.unknown, "account": c.account, "its project": c.project, "other project": c.otherProject,
		"revoked": c.revoked, "other account": c.otherAccount, "renamed": "sla_" + c.project[4:],
		"suspended": c.suspended,
	}[caller]
	id := c.projectID
	if strings.HasSuffix(caller, "suspended") {
		id = c.suspendedProjectID
	}
	sent, query := obj{}, url.Values{}
	archive, packed := body[raw].(func(*testing.T) string)
	for name, v := range body {
		if name == raw {
			continue
		}
		if v == "P" {
			v = id
		}
		sent[name] = v
		if packed || rt.method == "GET" {
			query.Set(name, fmt.Sprint(v))
		}
	}
	session := func(r *http.Request) {
		if caller == "session" {
			r.AddCookie(&http.Cookie{Name: "__Host-session", Value: c.account})
		}
	}
	if rt.op == sandlot.OpDeleteFile {
		c.post("/v1/update", c.account, obj{"project_id": c.projectID, "filename": "logo.svg", "content": "YQ=="}).wants(200)
	}
	path := strings.NewReplacer("{id}", id, "{filename}", "index.html", "{board}", "main", "{player}", c.player(), "{feedback}", "1").Replace(rt.pattern)
	if rt.method == "GET" {
		return c.get(strings.TrimSuffix(path+"?"+query.Encode(), "?"), key, session)
	}
	if packed {
		return c.send(rt.method, path+"?"+query.Encode(), key, archive(c.t), with("Content-Type", "application/zip"), session, lax)
	}
	return c.send(rt.method, path, key, sent, session)
}

// sees checks what a caller got to see beyond the status.
func (c *cast) sees(caller string, rt route, got answer) {
	c.t.Helper()
	owner := caller == "account" || caller == "its project"
	switch {
	case got.status >= 400:
	case rt.op == sandlot.OpProject:
		if _, files := got.body["files"]; files != owner {
			c.t.Errorf("%s: files shown is %v", caller, files)
		}
		if _, version := got.body["version_url"]; version != owner {
			c.t.Errorf("%s: version_url shown is %v", caller, version)
		}
	case rt.pattern == "/v1/whoami":
		if want := map[bool]string{true: "suspended", false: "active"}[caller == "suspended"]; got.str("status") != want {
			c.t.Errorf("%s: the status is %s, want %s", caller, got.str("status"), want)
		}
		_, email := got.body["email"]
		projects := len(got.body["projects"].([]any))
		want := map[string]int{"account": 2, "other account": 1, "its project": 1, "other project": 1, "suspended": 1}[caller]
		if email != (strings.HasSuffix(caller, "account") || caller == "suspended") || projects != want {
			c.t.Errorf("%s: email shown is %v, %d projects", caller, email, projects)
		}
	case rt.op == sandlot.OpUpdate && strings.Contains(caller, "account"):
		if got.str("project_id") == "" {
			c.t.Errorf("%s: the answer does not name the project", caller)
		}
	}
}

// unknownKey is a key that no installation has minted.
func unknownKey(t *testing.T) string {
	t.Helper()
	key, err := sandlot.MintSecret(sandlot.AccountKey, rand.Reader)
	expect.OK(t, err)
	return string(key)
}

func TestAccessExtra(t *testing.T) {
	t.Parallel()
	t.Run("the owner of a suspended project reads that it is, exports it and publishes others", func(t *testing.T) {
		w := settled(t)
		_, err := w.Operate.Suspend(t.Context(), byOperator, w.projectID, "a report")
		expect.OK(t, err)
		for _, key := range []string{w.account, w.project} {
			got := w.get("/v1/project/"+w.projectID, key).wants(200)
			if _, files := got.body["files"]; files || got.str("status") != "suspended" {
				t.Errorf("the owner sees %s", got.text)
			}
			if got := w.get("/v1/export", key).wants(200).text; !strings.Contains(got, w.projectID+"/index.html") {
				t.Error("the export lacks it")
			}
		}
		w.post("/v1/publish", w.account, obj{"content": page64}).wants(201)
	})
	t.Run("a session id as Bearer is 401", func(t *testing.T) {
		newWorld(t).get("/v1/whoami", "c2Vzc2lvbi1pZC1vZi1hLWJyb3dzZXI").refused(401, sandlot.CodeInvalidKey)
	})
	t.Run("signup tells who has a key already", func(t *testing.T) {
		w := settled(t)
		if got := w.post("/v1/signup", w.account, obj{}).wants(201); !got.warned("key_ignored") {
			t.Errorf("no warning: %s", got.text)
		}
	})
}
