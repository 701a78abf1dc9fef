package oauth

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// An operation is a call of the API. PROJECT and OTHER stand for a project that the caller may or may not change.
type operation struct{ method, path, body string }

// operations are good calls of every operation of the API, the last of which deletes.
var operations = []operation{
	{"GET", "/v1/whoami", ""},
	{"GET", "/v1/project/PROJECT", ""},
	{"GET", "/v1/project/PROJECT?content=all", ""},
	{"GET", "/v1/project/OTHER", ""},
	{"GET", "/v1/project/PROJECT/versions", ""},
	{"GET", "/v1/project/OTHER/versions", ""},
	{"GET", "/v1/project/PROJECT/checks", ""},
	{"GET", "/v1/project/OTHER/checks", ""},
	{"GET", "/v1/project/PROJECT/boards", ""},
	{"GET", "/v1/project/PROJECT/boards/main", ""},
	{"PATCH", "/v1/project/PROJECT/boards/main", `{"max":9}`},
	{"DELETE", "/v1/project/PROJECT/boards/main", ""},
	{"DELETE", "/v1/project/PROJECT/players/4t8x1q7k2m", ""},
	{"GET", "/v1/project/PROJECT/errors", ""},
	{"GET", "/v1/project/PROJECT/feedback", ""},
	{"DELETE", "/v1/project/PROJECT/feedback/1", ""},
	{"GET", "/v1/project/OTHER/boards", ""},
	{"GET", "/v1/project/OTHER/boards/main", ""},
	{"PATCH", "/v1/project/OTHER/boards/main", `{"max":9}`},
	{"DELETE", "/v1/project/OTHER/boards/main", ""},
	{"DELETE", "/v1/project/OTHER/players/4t8x1q7k2m", ""},
	{"GET", "/v1/project/OTHER/errors", ""},
	{"GET", "/v1/project/OTHER/feedback", ""},
	{"DELETE", "/v1/project/OTHER/feedback/1", ""},
	{"POST", "/v1/report", `{"project":"PROJECT","reason":"other"}`},
	{"GET", "/v1/project/PROJECT/stats", ""},
	{"GET", "/v1/project/OTHER/stats", ""},
	{"GET", "/v1/project/PROJECT/files/index.html", ""},
	{"GET", "/v1/project/OTHER/files/index.html", ""},
	{"GET", "/v1/export", ""},
	{"POST", "/v1/publish", `{"html":"<p>a","dry_run":true}`},
	{"POST", "/v1/publish", `{"html":"<p>a"}`},
	{"POST", "/v1/publish", `{"html":"<p>a","email":"eve@people.internal","handle":"root"}`},
	{"POST", "/v1/update", `{"project_id":"PROJECT","filename":"a.txt","text":"a"}`},
	{"POST", "/v1/update", `{"project_id":"OTHER","filename":"a.txt","text":"a"}`},
	{"POST", "/v1/update", `{"filename":"b.txt","text":"a"}`},
	{"POST", "/v1/update", `{"project_id":"PROJECT","title":"Mine","email":"eve@people.internal"}`},
	{"POST", "/v1/delete-file", `{"project_id":"PROJECT","filename":"a.txt"}`},
	{"POST", "/v1/delete-file", `{"project_id":"OTHER","filename":"index.html"}`},
	{"POST", "/v1/restore", `{"project_id":"PROJECT","version":1}`},
	{"POST", "/v1/restore", `{"project_id":"OTHER","version":1}`},
	{"POST", "/v1/uploads", `{"project_id":"PROJECT","filename":"c.txt"}`},
	{"POST", "/v1/uploads", `{"project_id":"OTHER","filename":"c.txt"}`},
	{"POST", "/v1/uploads", `{}`},
	{"GET", "/v1/uploads/none", ""},
	{"PUT", "/v1/uploads/none", "a"},
	{"POST", "/v1/import", "PK"},
	{"PATCH", "/v1/project/PROJECT", `{"title":"Again"}`},
	{"PATCH", "/v1/project/PROJECT", `{"listed":true}`},
	{"PATCH", "/v1/project/OTHER", `{"title":"Again"}`},
	{"POST", "/v1/signup", `{}`},
	{"GET", "/v1", ""},
	{"GET", "/openapi.json", ""},
	{"GET", "/openapi.yaml", ""},
	{"POST", "/v1/login", `{}`},
	{"POST", "/v1/keys", `{}`},
	{"POST", "/v1/recover", `{}`},
	{"POST", "/mcp", calling("list_projects", `{}`)},
	{"POST", "/mcp/account", calling("list_projects", `{}`)},
	{"POST", "/mcp/account", calling("publish", `{"html":"<p>a"}`)},
	{"POST", "/mcp/account", calling("update", `{"project":"PROJECT","files":[{"filename":"d.txt","text":"a"}]}`)},
	{"POST", "/mcp/account", calling("update", `{"project":"OTHER","files":[{"filename":"d.txt","text":"a"}]}`)},
	{"POST", "/mcp/account", calling("restore", `{"project":"PROJECT","version":1}`)},
	{"POST", "/mcp/account", calling("restore", `{"project":"OTHER","version":1}`)},
	{"POST", "/mcp/account", calling("get_project", `{"project":"PROJECT","file":"index.html"}`)},
	{"POST", "/mcp/account", calling("get_project", `{"project":"OTHER","file":"index.html"}`)},
	{"POST", "/mcp/account", calling("versions", `{"project":"PROJECT"}`)},
	{"POST", "/mcp/account", calling("versions", `{"project":"OTHER"}`)},
	{"POST", "/mcp/account", calling("check", `{"project":"OTHER"}`)},
	{"POST", "/mcp/account", calling("upload", `{"project":"PROJECT","filename":"c.txt"}`)},
	{"POST", "/mcp/account", calling("upload", `{"project":"OTHER","filename":"c.txt"}`)},
	{"DELETE", "/v1/project/OTHER", `{"confirm":"OTHER"}`},
	{"DELETE", "/v1/project/PROJECT", `{"confirm":"PROJECT"}`},
}

// calling is the body of a call of a tool, with these arguments.
func calling(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// TestAGrantMayWhatAKeyMay, of the same kind: each operation answers both with the same status and code.
func TestAGrantMayWhatAKeyMay(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine := s.register(t, loopback)
	for kind, key := range map[string]func(p *person, project string) string{
		"project": func(p *person, project string) string { return p.mint(t, project) },
		"account": func(p *person, _ string) string { return p.key },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			by := map[string][]string{}
			for _, presents := range []string{"key", "grant"} {
				p, eve := s.join(t, presents+"-"+kind), s.join(t, "eve-"+presents+"-"+kind)
				project, other := s.publish(t, p.key, "Mine"), s.publish(t, eve.key, "Other")
				if kind == "project" {
					other = s.publish(t, p.key, "Another of the account")
				}
				secret := ""
				if presents == "key" {
					secret = key(p, project)
				} else {
					secret = p.grant(t, mine, map[string]string{"project": project}[kind]).Access
				}
				for _, o := range operations {
					by[presents] = append(by[presents], o.call(t, s, secret, project, other))
				}
			}
			for i, o := range operations {
				if by["key"][i] != by["grant"][i] {
					t.Errorf("%s %s %s: a key of the kind %s gets %s, a grant %s", o.method, o.path, o.body, kind, by["key"][i], by["grant"][i])
				}
			}
		})
	}
	spec := s.send(t, "GET", "/openapi.yaml", "").text
	for _, path := range regexp.MustCompile(`(?m)^  (/v1[^:]*):`).FindAllStringSubmatch(spec, -1) {
		pattern := regexp.MustCompile("^" + regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path[1], "[^/]+") + `($|\?)`)
		known := slices.ContainsFunc(operations, func(o operation) bool { return pattern.MatchString(o.path) })
		expect.Equal(t, "that the operations have "+path[1], known, true)
	}
}

// call returns the status and the code of the answer.
func (o operation) call(t *testing.T, s *site, secret, project, other string) string {
	t.Helper()
	in := strings.NewReplacer("PROJECT", project, "OTHER", other)
	kind := "application/json"
	if o.path == "/v1/import" {
		kind = "application/zip"
	}
	got := s.send(t, o.method, in.Replace(o.path), in.Replace(o.body), "Authorization", "Bearer "+secret, "Content-Type", kind)
	if got.status >= 500 {
		t.Errorf("%v: %d %s", o, got.status, got.text)
	}
	return http.StatusText(got.status) + " " + regexp.MustCompile(`"error":"[a-z_]+"`).FindString(got.text)
}

// mint makes a key of a project on the website.
func (p *person) mint(t *testing.T, project string) string {
	t.Helper()
	token := formToken(t, p.does(t, "GET", "/account/keys", nil))
	made := p.does(t, "POST", "/account/keys", form("project", project, "name", "mine", "form_token", token))
	key := regexp.MustCompile(`slp_[0-9A-Za-z]{36}`).FindString(made.text)
	if key == "" {
		t.Fatalf("no key: %d %s", made.status, made.text)
	}
	return key
}

func formToken(t *testing.T, page answer) string {
	t.Helper()
	token := regexp.MustCompile(`name="form_token" value="([^"]*)"`).FindStringSubmatch(page.text)
	if token == nil {
		t.Fatalf("a page without a token: %d %s", page.status, page.text)
	}
	return token[1]
}

// TestAGrantGetsNoKeys out of the service: they would outlive it.
func TestAGrantGetsNoKeys(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	project := s.publish(t, ada.key, "Hers")
	keys := regexp.MustCompile(`sl[a-z]_[0-9A-Za-z]{36}`)
	for _, reach := range []string{"", project} {
		got := ada.grant(t, mine, reach)
		for _, o := range operations {
			if o.path == "/v1/signup" || o.method == "DELETE" || strings.HasSuffix(o.path, ".json") || strings.HasSuffix(o.path, ".yaml") {
				continue // which makes another account, or has examples
			}
			in := strings.NewReplacer("PROJECT", project, "OTHER", project)
			answered := s.send(t, o.method, in.Replace(o.path), in.Replace(o.body), bearing(got.Access)...)
			for _, key := range keys.FindAllString(answered.text, -1) {
				if !strings.HasPrefix(key, "slt_") { // a ticket is for one upload, for ten minutes
					t.Errorf("%s %s with a grant answers with the key %s...: %s", o.method, o.path, key[:4], answered.text)
				}
			}
		}
	}
}

// TestTheNextTokenOfAGrantIsTheSameCaller: a call that is sent again with it is answered as before. What a grant has begun ends with it.
func TestTheNextTokenOfAGrantIsTheSameCaller(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	of := ada.grant(t, mine, "")
	publish := func(token string) answer {
		t.Helper()
		return s.send(t, "POST", "/v1/publish", `{"html":"<!doctype html><p>Hop"}`, append(bearing(token), "Idempotency-Key", "a")...)
	}
	first := publish(of.Access)
	expect.Equal(t, "status of a publish", first.status, http.StatusCreated)
	next := mine.refresh(t, of.Refresh).tokens(t)
	again := publish(next.Access)
	expect.Equal(t, "that it was done before", again.header.Get("Idempotent-Replayed"), "true")
	project := text(first.json(t), "project_id")
	expect.Equal(t, "the project", text(again.json(t), "project_id"), project)
	other := publish(ada.grant(t, mine, "").Access)
	if other.status == http.StatusCreated && other.header.Get("Idempotent-Replayed") != "" && strings.Contains(other.text, "slp_") {
		t.Errorf("another grant gets the keys of the first: %s", other.text)
	}
	ticket := s.send(t, "POST", "/v1/uploads", `{"project_id":"`+project+`","filename":"a.txt"}`, bearing(next.Access)...)
	key := regexp.MustCompile(`slt_[0-9A-Za-z]{36}`).FindString(ticket.text)
	path := regexp.MustCompile(`/v1/uploads/[0-9A-Za-z_-]+`).FindString(ticket.text)
	if key == "" || path == "" {
		t.Fatalf("the ticket: %d %s", ticket.status, ticket.text)
	}
	s.revoke(t, "token", next.Access, "client_id", mine.id)
	got := s.send(t, "PUT", path, "late", "Content-Type", "application/octet-stream", "Authorization", "Bearer "+key)
	expect.Equal(t, "status of a ticket whose grant has ended", got.status, http.StatusUnauthorized)
}

// TestATokenStandsInItsHeaderAlone: elsewhere it is refused, and repeated neither in answers nor in the log.
func TestATokenStandsInItsHeaderAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	project := s.publish(t, ada.key, "Hers")
	got, d := ada.grant(t, mine, ""), s.askDevice(t)
	code := ada.code(t, mine, "")
	const list = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
	for _, wrong := range []string{
		got.Refresh, d.code, d.userCode, code, mine.id, flipped(got.Access), got.Access + "a", strings.ToUpper(got.Access), got.Access[:39],
	} {
		for _, path := range []string{"/v1/whoami", "/v1/project/" + project + "/versions"} {
			answered := s.send(t, "GET", path, "", "Authorization", "Bearer "+wrong)
			if answered.status != http.StatusUnauthorized || !strings.Contains(answered.text, `"invalid_key"`) {
				t.Errorf("%s with %.6s...: %d %s", path, wrong, answered.status, answered.text)
			}
			expect.Contains(t, "the challenge", answered.header.Get("WWW-Authenticate"), `error="invalid_token"`)
		}
		for _, path := range []string{"/mcp", "/mcp/account"} {
			answered := s.send(t, "POST", path, list, bearing(wrong)...)
			expect.Equal(t, path+" with "+wrong[:6], answered.status, http.StatusUnauthorized)
			expect.Contains(t, "the challenge", answered.header.Get("WWW-Authenticate"), `error="invalid_token"`)
		}
	}
	for _, scheme := range []string{"Basic ", "bearer\t", "Token ", ""} {
		answered := s.send(t, "GET", "/v1/whoami", "", "Authorization", scheme+got.Access)
		expect.Equal(t, "status of the scheme "+scheme, answered.status, http.StatusUnauthorized)
	}
	for _, path := range []string{"/mcp", "/mcp/account"} {
		answered := s.send(t, "POST", path, list, bearing(got.Access)...)
		expect.Equal(t, path+" with an access token", answered.status, http.StatusOK)
	}
	for _, secret := range []string{got.Access, got.Refresh, d.code} {
		for about, o := range map[string]operation{
			"query":          {"GET", "/v1/whoami?access_token=" + secret, ""},
			"query of a key": {"GET", "/v1/project/" + project + "?api_key=" + secret, ""},
			"field":          {"POST", "/v1/publish", `{"html":"<p>a","access_token":"` + secret + `"}`},
			"name of a file": {"POST", "/v1/publish", `{"files":[{"filename":"` + secret + `","text":"a"}]}`},
			"title":          {"POST", "/v1/publish", `{"html":"<p>a","email":"a@people.internal","title":"` + secret + `"}`},
			"content":        {"POST", "/v1/publish", `{"html":"<p>` + secret + `","email":"a@people.internal"}`},
			"script": {
				"POST", "/v1/publish",
				`{"html":"<p>a","email":"a@people.internal","files":[{"filename":"a.js","text":"'` + secret + `'"}]}`,
			},
			"project": {"POST", "/v1/update", `{"project_id":"` + secret + `","title":"a"}`},
		} {
			answered := s.send(t, o.method, o.path, o.body, "Content-Type", "application/json")
			if answered.status < 400 || answered.status >= 500 || strings.Contains(answered.text, secret) {
				t.Errorf("%.4s in the %s: %d %s", secret, about, answered.status, answered.text)
			}
		}
		for name, arguments := range map[string]object{
			"publish": {"html": "<p>" + secret}, "update": {"project": project, "edit_token": secret, "title": "a"},
			"get_project":   {"project": secret},
			"list_projects": {"query": secret}, "check": {"project": project, secret: 1},
		} {
			body, err := json.Marshal(arguments)
			expect.OK(t, err)
			answered := s.send(t, "POST", "/mcp", calling(name, string(body)), "Content-Type", "application/json")
			if !strings.Contains(answered.text, `"isError":true`) || strings.Contains(answered.text, secret) {
				t.Errorf("%.4s in the arguments of %s: %d %s", secret, name, answered.status, answered.text)
			}
		}
	}
	for _, path := range []string{"/account", "/account/keys", "/oauth/authorize", "/connect"} { // the website knows no keys
		answered := s.send(t, "GET", path, "", "Authorization", "Bearer "+got.Access)
		open := strings.Contains(answered.text, "Hers") || strings.Contains(answered.text, ada.email)
		expect.Equal(t, "that "+path+" is open with a token", open, false)
	}
	for _, secret := range []string{got.Access, got.Refresh, d.code, code, mine.verifier} {
		expect.Equal(t, "that the log has a "+secret[:4], strings.Contains(s.Logs(), secret), false)
	}
	expect.Equal(t, "that the log has a code of a device", strings.Contains(s.Logs(), d.userCode), false)
}

// admin runs a command of the operator.
func (s *site) admin(t *testing.T, args ...string) {
	t.Helper()
	c := exec.Command(testenv.Binary(t), append(append([]string{"admin"}, args...), "--data", s.Data())...)
	out, err := c.CombinedOutput()
	expect.OK(t, err, args, string(bytes.TrimSpace(out)))
}

// TestATokenEndsWithItsGrant, however that ends, and refreshes no more.
func TestATokenEndsWithItsGrant(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine := s.register(t, loopback)
	for about, end := range map[string]func(p *person, project string, of tokens){
		"ended on the page of keys":    func(p *person, _ string, _ tokens) { p.endGrants(t) },
		"revoked by its access token":  func(_ *person, _ string, of tokens) { s.revoke(t, "token", of.Access, "client_id", mine.id) },
		"revoked by its refresh token": func(_ *person, _ string, of tokens) { s.revoke(t, "token", of.Refresh, "client_id", mine.id) },
		"revoked with a hint that is wrong": func(_ *person, _ string, of tokens) {
			s.revoke(t, "token", of.Refresh, "client_id", mine.id, "token_type_hint", "access_token")
		},
		"of an account with a new key by the operator": func(p *person, _ string, _ tokens) {
			s.admin(t, "new-key", "@"+p.handle(t),
				"--revoke")
		},
		"of an account that is deleted": func(p *person, _ string, _ tokens) { p.leave(t) },
		"of a project that is deleted":  func(p *person, project string, _ tokens) { p.remove(t, project) },
		"of an account that is suspended": func(p *person, _ string, _ tokens) {
			s.admin(t, "suspend", "@"+p.handle(t), "--reason", "a report")
		},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			p := s.join(t, "ada-"+strings.ReplaceAll(about, " ", "-"))
			project := s.publish(t, p.key, "Hers")
			reach := ""
			if strings.Contains(about, "project") {
				reach = project
			}
			of := p.grant(t, mine, reach)
			update := func() answer {
				return s.send(t, "POST", "/v1/update", `{"project_id":"`+project+`","filename":"a.txt","text":"a"}`, bearing(of.Access)...)
			}
			expect.Equal(t, "status before", update().status, http.StatusOK)
			end(p, project, of)
			got := update()
			if strings.Contains(about, "suspended") {
				expect.Equal(t, "status of a suspended account", got.status, http.StatusForbidden)
				return
			}
			expect.Equal(t, "that the token works", s.opens(t, of.Access), false)
			mine.refresh(t, of.Refresh).refusedAs(t, "a refresh token "+about, "invalid_grant")
		})
	}
}

// TestNothingElseEndsAGrant, and the refusals of its project are those of keys.
func TestNothingElseEndsAGrant(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine := s.register(t, loopback)
	p, other := s.join(t, "bob"), s.register(t, loopback)
	of := p.grant(t, mine, "")
	for about, pairs := range map[string][]string{
		"another program": {"token", of.Refresh, "client_id", other.id}, "no program": {"token", of.Refresh},
		"a token of nobody": {"token", "slr_" + strings.Repeat("a", 36), "client_id", mine.id},
		"a key":             {"token", p.key, "client_id", mine.id}, "a session": {"token", p.cookies[sessionCookie], "client_id", mine.id},
	} {
		if got := s.post(t, revokePath, pairs...); got.status >= 500 {
			t.Errorf("revocation by %s: %d %s", about, got.status, got.text)
		}
	}
	expect.Equal(t, "that the token works after all that", s.opens(t, of.Access), true)
	expect.Equal(t, "that the key works after all that", s.opens(t, p.key), true)
	keyring := p.does(t, "GET", "/account/keys/rotate", nil)
	p.does(t, "POST", "/account/keys/rotate", form("form_token", formToken(t, keyring)))
	expect.Equal(t, "that the key works after it was replaced", s.opens(t, p.key), false)
	expect.Equal(t, "that the token works after the key was replaced", s.opens(t, of.Access), true)
	taken := s.publish(t, of.Access, "Taken")
	project := p.grant(t, mine, taken)
	s.admin(t, "suspend", taken, "--reason", "a report")
	got := s.send(t, "POST", "/v1/update", `{"project_id":"`+taken+`","filename":"a.txt","text":"a"}`, bearing(project.Access)...)
	expect.Equal(t, "status for a project that was taken down", got.status, http.StatusUnavailableForLegalReasons)
}

func (s *site) revoke(t *testing.T, pairs ...string) {
	t.Helper()
	got := s.post(t, revokePath, pairs...)
	expect.Equal(t, "status of a revocation", got.status, http.StatusOK)
}

// endGrants ends all grants on the page of keys, which lists them.
func (p *person) endGrants(t *testing.T) {
	t.Helper()
	page := p.does(t, "GET", "/account/keys", nil)
	_, section, _ := strings.Cut(page.text, `id="grants"`)
	section, _, _ = strings.Cut(section, "</section>")
	list := regexp.MustCompile(`name="id" value="([0-9]+)"`).FindAllStringSubmatch(section, -1)
	if len(list) == 0 {
		t.Fatalf("the page of keys lists no grant: %s", page.text)
	}
	for _, id := range list {
		got := p.does(t, "POST", "/account/keys/revoke", form("id", id[1]))
		expect.Equal(t, "status of the end of a grant", got.status, http.StatusSeeOther)
	}
}

// handle returns the handle of the account.
func (p *person) handle(t *testing.T) string {
	t.Helper()
	return text(p.s.send(t, "GET", "/v1/whoami", "", "Authorization", "Bearer "+p.key).json(t), "handle")
}

// leave deletes the account.
func (p *person) leave(t *testing.T) {
	t.Helper()
	got := p.does(t, "POST", "/account/delete", url.Values{"handle": {p.handle(t)}})
	expect.Equal(t, "status of the end of an account", got.status, http.StatusOK)
}

// remove deletes a project for good.
func (p *person) remove(t *testing.T, project string) {
	t.Helper()
	got := p.s.send(t, "DELETE", "/v1/project/"+project, `{"confirm":"`+project+`"}`, bearing(p.key)...)
	expect.Equal(t, "status of the deletion", got.status, http.StatusOK)
}
