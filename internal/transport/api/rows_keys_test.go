package api

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
)

// lookups counts how often the domain was asked about a key.
type lookups struct {
	admission.Keys
	n *atomic.Int64
}

func (l lookups) Identify(ctx context.Context, presented sandlot.Presented, from sandlot.Sender) (sandlot.Caller, error) {
	l.n.Add(1)
	return l.Keys.Identify(ctx, presented, from)
}

func TestRowsKeyInAddress(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	w := settled(t, func(s *settings) {
		s.keys = func(inner admission.Keys) admission.Keys { return lookups{inner, &asked} }
	})
	for _, query := range []string{"api_key=x", "token=x", "key=x", "project_api_key=x", "Authorization=x", "access_token=", "note=" + w.account, w.account, "a=1;b=" + w.project} {
		for path := range w.posts() {
			name, _, _ := strings.Cut(query, "=")
			t.Run("row 34: "+path+" ?"+sandlot.KeyPattern.ReplaceAllString(name, "KEY"), func(t *testing.T) {
				w.in(t)
				before := asked.Load()
				w.unchanged(func() {
					w.post(path+"?"+query, w.account, obj{"content": page64}).refused(400, sandlot.CodeKeyNotInHeader)
				})
				if asked.Load() != before {
					t.Error("a key was looked up before the leak was told")
				}
			})
		}
	}
	for _, path := range []string{"/v1/project/" + w.account, "/v1/" + w.project, "/openapi.json?key=1", "/v1/nothing?key=1"} {
		t.Run("row 34: GET "+sandlot.KeyPattern.ReplaceAllString(path, "KEY"), func(t *testing.T) {
			w.in(t).get(path, "").refused(400, sandlot.CodeKeyNotInHeader)
		})
	}
	t.Run("row 34: as the user name of the address", func(t *testing.T) {
		w.in(t).get("/v1/whoami", "", func(r *http.Request) { r.SetBasicAuth(w.account, "") }).refused(400, sandlot.CodeKeyNotInHeader)
		w.get("/v1/whoami", "", func(r *http.Request) { r.SetBasicAuth("me", w.account) }).refused(400, sandlot.CodeKeyNotInHeader)
	})
	t.Run("row 34: the hint says to rotate it", func(t *testing.T) {
		if hint := w.in(t).get("/v1/whoami?api_key=x", "").str("hint"); !strings.Contains(hint, "replace it at http://localhost:8080/account when you can") || strings.Contains(hint, "anew") {
			t.Error(hint)
		}
	})
}

func TestRowsKeyInHeader(t *testing.T) {
	t.Parallel()
	w := settled(t)
	header := func(values ...string) []func(*http.Request) {
		return []func(*http.Request){with("Authorization", values...)}
	}
	body := obj{"project_id": w.projectID, "filename": "a.txt", "content": "YQ=="}
	rows := []row{
		{35, "Basic", "/v1/update", "none", body, 401, sandlot.CodeInvalidKey, header("Basic bWU6c2VjcmV0")},
		{35, "empty", "/v1/publish", "none", obj{"content": page64, "email": someone}, 401, sandlot.CodeInvalidKey, header("")},
		{35, "Bearer alone", "/v1/publish", "none", obj{"content": page64, "email": someone}, 401, sandlot.CodeInvalidKey, header("Bearer ")},
		{35, "the key alone", "/v1/update", "none", body, 401, sandlot.CodeInvalidKey, header(w.account)},
		{35, "two headers", "/v1/update", "none", body, 400, sandlot.CodeInvalidField, header("Bearer "+w.account, "Bearer "+w.account)},
		{35, "two keys in one", "/v1/update", "none", body, 401, sandlot.CodeInvalidKey, header("Bearer " + w.account + ", " + w.project)},
		{37, "a cookie", "/v1/update", "none", body, 401, sandlot.CodeKeyRequired, []func(*http.Request){with("Cookie", "__Host-session="+w.account+"; api_key="+w.account)}},
		{38, "one character flipped", "/v1/update", flipped(w.account), body, 401, sandlot.CodeInvalidKey, nil},
	}
	for _, name := range []string{"api_key", "project_api_key", "authorization", "Authorization"} {
		for path := range w.posts() {
			rows = append(rows, row{36, path + " " + name + " in the body", path, "", obj{"content": page64, name: "x"}, 400, sandlot.CodeKeyNotInHeader, nil})
		}
	}
	for name, v := range map[string]any{"title": w.account, "note": "see " + w.project, "nested": obj{"deep": []string{"x", w.account}}, w.account: 1, "project_id": w.account} {
		name := name
		rows = append(rows, row{36, "a key in " + sandlot.KeyPattern.ReplaceAllString(name, "the name of a field"), "", "", obj{"content": page64, name: v}, 400, sandlot.CodeKeyNotInHeader, nil})
	}
	rows = append(rows,
		row{36, "an escaped key", "", "", `{"x":["` + strings.Replace(w.account, "_", `\u005f`, 1) + `"]}`, 400, sandlot.CodeKeyNotInHeader, nil},
		row{36, "a key and another fault", "", "", `{"api_key":"` + w.account + `","content":"!"}`, 400, sandlot.CodeKeyNotInHeader, nil},
		row{36, "a key behind 200 KB of content", "", "", `{"content":"` + b64(noise(200_000)) + `","note":"` + w.account + `"}`, 400, sandlot.CodeKeyNotInHeader, nil},
	)
	refuses(t, w, rows)
	t.Run("row 35: bearer in any case, blanks around", func(t *testing.T) {
		for _, v := range []string{"bearer " + w.account, "BEARER " + w.account, "Bearer  " + w.account, "Bearer " + w.account + " "} {
			w.in(t).get("/v1/whoami", "", with("Authorization", v)).wants(200)
		}
	})
	t.Run("401 comes with WWW-Authenticate", func(t *testing.T) {
		w.in(t)
		if got := w.get("/v1/whoami", "").header.Get("WWW-Authenticate"); got != `Bearer realm="sandlot"` {
			t.Error(got)
		}
		if got := w.get("/v1/whoami", "sla_x").header.Get("WWW-Authenticate"); !strings.Contains(got, `error="invalid_token"`) {
			t.Error(got)
		}
	})
}

func flipped(key string) string {
	c := byte('x')
	if key[10] == c {
		c = 'y'
	}
	return key[:10] + string(c) + key[11:]
}

func TestRowsPaths(t *testing.T) {
	t.Parallel()
	w := settled(t)
	unknown := map[string]int{
		"/v1/project/nothing-here": 404, "/v1/project/..%2f": 404, "/v1/project/%2e%2e%2fx": 404, "/v1/project/" + w.projectID + "/": 404, "/v1/project/": 404,
		"/v1/project/" + strings.ToUpper(w.projectID): 404, "/v1/project/%ff%fe": 404, "/v1/project/" + strings.Repeat("a", 10<<10): 414,
		"/v1//publish": 404, "/V1/publish": 404, "/v1/publish/": 404, "/v1/": 404, "/v1/Publish": 404, "/": 404, "/v1/project/x/stats/": 404, "/v1/../v1/whoami": 404,
	}
	for path, status := range unknown {
		t.Run("row 81, 84: GET "+path[:min(len(path), 40)], func(t *testing.T) {
			got := w.in(t).get(path, w.account).wants(status)
			if got.body["hint"] == nil || got.header.Get("Location") != "" {
				t.Errorf("no error in JSON, or a redirect: %s", got.text)
			}
		})
	}
	t.Run("row 84: the hint lists the endpoints", func(t *testing.T) {
		hint := w.in(t).get("/v1/nothing", "").refused(404, sandlot.CodeNotFound).str("hint")
		for _, rt := range routes() {
			expect.Contains(t, rt.pattern, hint, rt.method+" http://localhost:8080"+rt.pattern)
		}
	})
	t.Run("row 83: wrong methods are 405 with Allow", func(t *testing.T) {
		w.in(t)
		for _, rt := range routes() {
			path, allow := strings.NewReplacer("{id}", w.projectID, "{filename}", "index.html").Replace(rt.pattern), "POST, OPTIONS"
			if rt.method == "GET" {
				allow = "GET, HEAD, OPTIONS"
			}
			switch {
			case strings.HasSuffix(rt.pattern, "/{board}"):
				allow = "GET, HEAD, PATCH, DELETE, OPTIONS"
			case rt.method == "DELETE":
				allow = "DELETE, OPTIONS"
			}
			if rt.pattern == "/v1/uploads/{id}" {
				allow = "PUT, GET, HEAD, OPTIONS"
			}
			if rt.pattern == "/v1/project/{id}" {
				allow = "GET, HEAD, DELETE, PATCH, OPTIONS"
			}
			if rt.pattern == "/v1/project/{id}/checks" {
				allow = "GET, HEAD, POST, OPTIONS"
			}
			for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"} {
				if strings.Contains(allow, method) {
					continue
				}
				got := w.send(method, path, "", nil).refused(405, sandlot.CodeMethodNotAllowed)
				if got.header.Get("Allow") != allow {
					t.Errorf("%s %s: Allow is %q", method, path, got.header.Get("Allow"))
				}
			}
		}
	})
	t.Run("row 83: X-HTTP-Method-Override is ignored", func(t *testing.T) {
		w.in(t).get("/v1/whoami", w.account, with("X-HTTP-Method-Override", "DELETE")).wants(200)
	})
	t.Run("row 82: stats do not look at the header", func(t *testing.T) {
		w.in(t).get("/v1/project/"+w.projectID+"/stats", "", with("Authorization", "Bearer x", "Basic y")).wants(200)
	})
	t.Run("OPTIONS is answered on every path", func(t *testing.T) {
		w.in(t)
		for _, path := range []string{"/v1/publish", "/v1/project/x", "/v1/nothing"} {
			got := w.send("OPTIONS", path, "", nil).wants(204)
			if h := got.header; !strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") || h.Get("Access-Control-Max-Age") == "" || !strings.Contains(h.Get("Access-Control-Allow-Methods"), "POST") {
				t.Errorf("%s: %v", path, h)
			}
		}
	})
	t.Run("HEAD works wherever GET does", func(t *testing.T) {
		w.in(t)
		for _, path := range []string{"/v1/whoami", "/v1/project/" + w.projectID, "/v1/project/" + w.projectID + "/stats"} {
			if got := w.send("HEAD", path, w.account, nil).wants(200); got.text != "" {
				t.Errorf("%s has a body", path)
			}
		}
	})
}
