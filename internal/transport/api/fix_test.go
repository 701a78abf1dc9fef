package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/intake"
)

// addressOf returns the method, the path and the body of an operation with these arguments, as a program sends it.
func addressOf(op sandlot.Op, args obj) (method, path string, body any) {
	id, _ := args["project_id"].(string)
	switch of := "/v1/project/" + id; op {
	case sandlot.OpWhoami, sandlot.OpExport:
		return "GET", "/v1/" + string(op), nil
	case sandlot.OpProject:
		return "GET", of, nil
	case sandlot.OpVersions, sandlot.OpChecks, sandlot.OpStats, sandlot.OpBoards, sandlot.OpFeedback:
		return "GET", of + "/" + string(op), nil
	case sandlot.OpErrors:
		return "GET", of + "/errors?version=" + fmt.Sprint(args["version"]), nil
	case sandlot.OpBoard:
		return "GET", of + "/boards/" + args["board"].(string), nil
	case sandlot.OpRule:
		path = of + "/boards/" + args["board"].(string)
		delete(args, "project_id")
		delete(args, "board")
		return "PATCH", path, args
	case sandlot.OpFile:
		return "GET", of + "/files/" + args["filename"].(string), nil
	case sandlot.OpDeleteProject:
		return "DELETE", of, obj{"confirm": args["confirm"]}
	case sandlot.OpAmend:
		delete(args, "project_id")
		return "PATCH", of, args
	}
	return "POST", "/v1/" + string(op), args
}

// fixed sends the member fix of a refusal, with the placeholders filled in.
func (w *world) fixed(got answer, fill map[string]string) answer {
	w.t.Helper()
	fix, _ := got.body["fix"].(obj)
	args, err := json.Marshal(fix["arguments"])
	expect.OK(w.t, err)
	text := regexp.MustCompile(`\\u003c[^"]*?\\u003e`).ReplaceAllStringFunc(string(args), func(found string) string {
		name := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(found)
		switch {
		case fill[name] != "":
			return fill[name]
		case strings.HasPrefix(name, sandlot.PlaceholderText):
			return "<!doctype html><p>filled in"
		case strings.HasPrefix(name, "<base64 of "):
			return b64("x")
		}
		w.t.Errorf("nothing fills %s: %s", name, args)
		return name
	})
	filled := obj{}
	expect.OK(w.t, json.Unmarshal([]byte(text), &filled))
	method, path, body := addressOf(sandlot.Op(fix["operation"].(string)), filled)
	return w.send(method, path, fill["<api_key>"], body, lax)
}

// TestEveryFixIsACallThatWorks sends the calls that refusals propose to programs.
func TestEveryFixIsACallThatWorks(t *testing.T) {
	t.Parallel()
	w := refusing(t)
	for _, m := range mends(w) {
		one := m.code == sandlot.CodePart1First || m.code == sandlot.CodeUploadExists || strings.HasPrefix(m.name, "an upload_token")
		if one || m.code == sandlot.CodeNotFound { // one part among others, and the list of endpoints: the commands of their hints are tried
			continue
		}
		t.Run(string(m.code)+"/"+m.name, func(t *testing.T) {
			own := w
			if m.world != nil {
				own = m.world(t)
			}
			own = own.in(t)
			key := map[string]string{"account": own.account, "project": own.project, "bad": "sla_x"}[m.key]
			if m.key == "new" {
				key = own.post("/v1/signup", "", obj{}).wants(201).str("api_key")
			}
			if m.code == sandlot.CodeTakenDown {
				m.path, m.body = "/v1/update", obj{"project_id": own.projectID, "filename": "a.txt", "content": "YQ=="}
			}
			if m.world == nil {
				own.put("gone.txt", "a")
				own.put("gone too.txt", "a")
			}
			got := own.send(or(m.method, "POST"), m.path, key, m.body, m.changed(), lax).refused(intake.StatusOf(m.code), m.code)
			if got.body["fix"] == nil {
				t.Fatalf("no fix: %s", got.text)
			}
			fill := map[string]string{
				"<api_key>": own.account, "<project_id>": own.projectID, "<filename>": "gone too.txt", "<your e-mail>": "kim@example.com",
				"<number of this part>": "1", "<size of the file>": "27", "<sha256 of the file>": sum("x"),
			}
			if m.key == "new" {
				fill["<api_key>"] = key
			}
			if again := own.fixed(got, fill); again.status >= 300 && again.status != http.StatusUnprocessableEntity || again.status == 422 && m.code != sandlot.CodeDigestMismatch {
				t.Errorf("%s\ngets %d: %s", got.text, again.status, again.text)
			}
		})
	}
}

// TestAToolReadsNoCommands: the hint of a request that a tool made has sentences alone, and its call is the member fix.
func TestAToolReadsNoCommands(t *testing.T) {
	t.Parallel()
	w := settled(t)
	command := regexp.MustCompile(`\bcurl\b|\btar -|(?m)^(GET|POST|PATCH|DELETE) http|/openapi\.json|Authorization`)
	for name, c := range map[string]struct {
		path, key, body string
		status          int
		fix             string
	}{
		"a version that has passed": {"/v1/update", w.project, `{"project_id":"` + w.projectID + `","filename":"a.css","text":"b {}","if_version":9}`, 412, `{"operation":"update","arguments":{"project_id":"` + w.projectID + `","if_version":2,"files":[{"filename":"a.css","text":"<text of a.css>"}]}}`},
		"files without a page":      {"/v1/publish", w.account, `{"files":[{"filename":"a.js","text":"1"}]}`, 422, `{"operation":"publish","arguments":{"files":[{"filename":"a.js","text":"<text of a.js>"},{"filename":"index.html","text":"<text of index.html>"}]}}`},
		"names in two cases":        {"/v1/publish", w.account, `{"files":[{"filename":"index.html","text":"1"},{"filename":"A.js","text":"1"},{"filename":"a.js","text":"2"}]}`, 422, `{"operation":"publish","arguments":{"files":[{"filename":"a.js","text":"<text of a.js>"},{"filename":"index.html","text":"<text of index.html>"}]}}`},
		"a picture as text":         {"/v1/update", w.project, `{"project_id":"` + w.projectID + `","filename":"a.png","content":"b {}"}`, 400, `{"operation":"update","arguments":{"project_id":"` + w.projectID + `","files":[{"filename":"a.png","content":"<base64 of a.png>"}]}}`},
		"no key":                    {"/v1/update", "", `{"project_id":"` + w.projectID + `","files":[{"filename":"a.js","text":"1"}]}`, 401, `{"operation":"update","arguments":{"project_id":"` + w.projectID + `","files":[{"filename":"a.js","text":"<text of a.js>"}]}}`},
		"a key among the arguments": {"/v1/update", w.project, `{"project_id":"` + w.projectID + `","api_key":"x","files":[{"filename":"a.js","text":"1"}]}`, 400, `{"operation":"update","arguments":{"project_id":"` + w.projectID + `","files":[{"filename":"a.js","text":"<text of a.js>"}]}}`},
		"nothing to send":           {"/v1/publish", w.account, `[]`, 400, `{"operation":"publish","arguments":{"files":[{"filename":"index.html","text":"<text of index.html>"}]}}`},
		"no such project":           {"/v1/update", w.account, `{"project_id":"nothing","filename":"a.js","text":"1"}`, 404, `{"operation":"whoami","arguments":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(WithTools(t.Context()), "POST", c.path, strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			if c.key != "" {
				r.Header.Set("Authorization", "Bearer "+c.key)
			}
			rec := httptest.NewRecorder()
			w.api.ServeHTTP(rec, r)
			var said struct {
				Hint string          `json:"hint"`
				Fix  json.RawMessage `json:"fix"`
			}
			expect.OK(t, json.Unmarshal(rec.Body.Bytes(), &said))
			expect.Equal(t, "the status", rec.Code, c.status)
			expect.Equal(t, "fix", string(said.Fix), c.fix)
			if said.Hint == "" || command.MatchString(said.Hint) {
				t.Errorf("the hint is %q", said.Hint)
			}
		})
	}
}

// TestHintsOfJSONAreHTTPRequests: a call in JSON is corrected by the request to send, and one with a file or without a body by a command.
func TestHintsOfJSONAreHTTPRequests(t *testing.T) {
	t.Parallel()
	w := settled(t)
	got := w.post("/v1/delete-file", w.project, obj{"project_id": w.projectID, "filename": "logo.svg", "if_version": 7}).refused(412, sandlot.CodeVersionConflict)
	expect.Equal(t, "the hint of JSON", got.str("hint"), "Read the project again, make your change on what is there now, and send it with the current if_version.\n"+
		"POST http://localhost:8080/v1/delete-file\nAuthorization: Bearer <api_key>\nContent-Type: application/json\n"+
		`{"project_id":"`+w.projectID+`","filename":"logo.svg","if_version":2}`)
	got = w.get("/v1/whoami", "").refused(401, sandlot.CodeKeyRequired)
	expect.Contains(t, "the hint without a body", got.str("hint"), "\ncurl http://localhost:8080/v1/whoami")
	body, kind := form(page, "email", "me")
	got = w.post("/v1/publish", "", body, kind).refused(400, sandlot.CodeInvalidEmail)
	expect.Contains(t, "the hint of a form", got.str("hint"), "-F content=@")
	expect.Equal(t, "the operation of its fix", got.body["fix"].(obj)["operation"], any("publish"))
}
