package oauth

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A receiver is the part of a program that waits for the browser to come back.
type receiver struct {
	address string
	came    chan string // the queries
}

func receive(t *testing.T) receiver {
	t.Helper()
	r := receiver{came: make(chan string, 10)}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/callback" {
			r.came <- q.URL.RawQuery
		}
		_, _ = w.Write([]byte("You may close this page."))
	}))
	t.Cleanup(s.Close)
	r.address = s.URL + "/callback"
	return r
}

// TestEachOfficialClientGoesThroughAllOfOAuth: refused without a token it finds the metadata, registers, and has a person consent in a
// browser, where the login comes first and leads back. It calls tools, refreshes, and goes on. None looks for metadata at the root.
func TestEachOfficialClientGoesThroughAllOfOAuth(t *testing.T) {
	testenv.Unraced(t)
	for _, kind := range []string{"first", "legacy", "auto", "pinned", "go"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			ada, tab := s.join(t, "ada"), reader{t, testenv.Engine(t)}
			hers := s.publish(t, ada.key, "Hers")
			if kind != "first" { // which has the person log in on the way
				ada.lend(t, tab.tab)
			}
			back := receive(t)
			a := startAgent(t, kind, s.base+"/mcp/account", back.address)
			a.connect(t, func(address string) string {
				if tab.goes(address); kind == "first" {
					tab.logsIn(ada)
				}
				tab.sees("Client " + kind)
				tab.presses(`input[name=reach][value=account]`)
				tab.presses(`button[name=answer][value=allow]`)
				tab.sees("You may close this page.")
				return <-back.came
			})
			conversation(t, a, hers)
			before := a.access(t)
			a.expire(t)
			conversation(t, a, hers)
			if now := a.access(t); now == before || !strings.HasPrefix(now, "slo_") {
				t.Errorf("the access token after a refresh is %s", now)
			}
			s.walked(t, back.address)
		})
	}
}

// conversation calls tools that need the account.
func conversation(t *testing.T, a agent, hers string) {
	t.Helper()
	done := func(name string, arguments object) object {
		t.Helper()
		got := a.call(t, name, arguments)
		if got.IsError {
			t.Fatalf("%s: %v", name, got.Content)
		}
		return got.Data
	}
	made := done("publish", object{"title": "Sky Hopper", "html": "<!doctype html><h1>Hop</h1>"})
	for _, secret := range []string{"edit_token", "api_key", "project_api_key"} {
		expect.Equal(t, secret+" in the answer of publish", text(made, secret), "")
	}
	project := text(made, "project")
	done("update", object{"project": project, "edits": []object{{"filename": "index.html", "old": "Hop", "new": "Jump"}}})
	var list []string
	for _, one := range done("list_projects", object{"query": "hers"})["projects"].([]any) {
		list = append(list, text(one.(object), "project"))
	}
	if !slices.Equal(list, []string{hers}) {
		t.Errorf("the projects of that title are %v", list)
	}
}

// walked holds the requests of a client to the way that it has to go.
func (s *site) walked(t *testing.T, callback string) {
	t.Helper()
	var steps []string
	for _, r := range s.requests() {
		query, _ := url.ParseQuery(r.query)
		body, _ := url.ParseQuery(r.body)
		step := ""
		switch {
		case strings.HasPrefix(r.path, "/.well-known/"):
			step = r.path
			if r.path != "/.well-known/oauth-protected-resource/mcp/account" && r.path != "/.well-known/oauth-authorization-server/oauth" {
				t.Errorf("the client looks for %s", r.path)
			}
		case r.path == registerPath, r.path == tokenPath:
			step = r.path + " " + body.Get("grant_type")
		case r.path == authorizePath && r.method == "GET" && r.query != "":
			step = r.path
			expect.Equal(t, "the resource", query.Get("resource"), s.base+"/mcp/account")
			expect.Equal(t, "the redirect", query.Get("redirect_uri"), callback)
			expect.Equal(t, "the method of the challenge", query.Get("code_challenge_method"), "S256")
		}
		if step != "" && !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	want := "/.well-known/oauth-protected-resource/mcp/account, /.well-known/oauth-authorization-server/oauth, " +
		"/oauth/register , /oauth/authorize, /oauth/token authorization_code, /oauth/token refresh_token"
	expect.Equal(t, "the steps of the client", strings.Join(steps, ", "), want)
}
