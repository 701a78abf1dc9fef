package api

import (
	"net/http"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/format/inspect"
)

func TestRowsKeyInBodyAlone(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var rows []row
	for _, path := range []string{"/v1/update", "/v1/delete-file"} {
		add := func(name string, body any, status int, code sandlot.Code, change ...func(*http.Request)) {
			rows = append(rows, row{36, path + " " + name, path, "none", body, status, code, change})
		}
		ok := w.posts()[path]
		for _, name := range []string{"api_key", "project_api_key", "authorization"} {
			body := obj{name: "x"}
			for field, v := range ok {
				body[field] = v
			}
			add(name+" without a header", body, 400, sandlot.CodeKeyNotInHeader)
		}
		add("a key in another field", obj{"note": []string{w.account}}, 400, sandlot.CodeKeyNotInHeader)
		add("a key behind content that is no base64", `{"api_key":"`+w.account+`","content":"!"}`, 400, sandlot.CodeKeyNotInHeader)
		add("a key behind 500 KB of content", `{"content":"`+b64(noise(500_000))+`","api_key":"x"}`, 400, sandlot.CodeKeyNotInHeader)
		add("a key in a form", "--B\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\nx\r\n--B--\r\n", 400, sandlot.CodeKeyNotInHeader, with("Content-Type", "multipart/form-data; boundary=B"))
		add("no key anywhere", ok, 401, sandlot.CodeKeyRequired)
		add("no body", "", 401, sandlot.CodeKeyRequired)
		add("no JSON", "{", 401, sandlot.CodeKeyRequired)
		add("a form of the old kind", "a=b&api_key=x", 400, sandlot.CodeKeyNotInHeader, with("Content-Type", "application/x-www-form-urlencoded"))
		add("JSON that curl -d calls a form", `{"api_key":"x"}`, 400, sandlot.CodeKeyNotInHeader, with("Content-Type", "application/x-www-form-urlencoded"))
		add("another type", "api_key=x", 401, sandlot.CodeKeyRequired, with("Content-Type", "text/plain"))
		add("an empty api_key in the header", ok, 401, sandlot.CodeInvalidKey, with("Authorization", ""))
	}
	refuses(t, w, rows)
	t.Run("no more than a MiB is searched", func(t *testing.T) {
		w.in(t).post("/v1/update", "", `{"content":"`+b64(noise(2<<20))+`","api_key":"x"}`).refused(401, sandlot.CodeKeyRequired)
	})
	t.Run("a client that stalls is answered all the same", func(t *testing.T) {
		c := w.in(t).dial()
		c.write(headers+"Content-Length: 1000\r\n\r\n{\"api_key\":\"x\",", "update")
		c.wants(400, sandlot.CodeKeyNotInHeader)
	})
	t.Run("a connection is kept after the search", func(t *testing.T) {
		c := w.in(t).dial()
		for range 3 {
			c.write(headers+"Content-Length: 15\r\n\r\n{\"api_key\":\"x\"}", "update")
			c.wants(400, sandlot.CodeKeyNotInHeader)
		}
	})
}

func TestRowsKeyInAddressThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := settled(t)
	escaped := "%73" + w.account[1:]
	for _, query := range []string{"api_key=abc;x=1", "x=1;api_key=abc", "api_key=%zz", "x=%zz&api_key=a", "API%5fKEY=%", "%zz=" + escaped, "x=%zz" + escaped, "a;" + escaped, "%zz&token"} {
		t.Run("row 34: "+inspect.Redact(strings.ReplaceAll(query, escaped, "KEY")), func(t *testing.T) {
			w.in(t)
			// A client of Go sends the address as it stands.
			c := w.dial()
			c.write("GET /v1/whoami?%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", query, w.account)
			c.wants(400, sandlot.CodeKeyNotInHeader)
		})
	}
	t.Run("a query without a key does no harm", func(t *testing.T) {
		c := w.in(t).dial()
		c.write("GET /v1/whoami?limit=1&x=%%zz;y=a+b HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", w.account)
		if res, text := c.answer(); res.StatusCode != 200 {
			t.Errorf("%s", text)
		}
	})
}

func TestNoPieceOfAKeyIsRepeated(t *testing.T) {
	t.Parallel()
	w := settled(t)
	cut := w.account[:30]
	for name, got := range map[string]answer{
		"as the id of a project":             w.get("/v1/project/"+cut, ""),
		"as the id of a project, with more":  w.get("/v1/project/"+cut+"?content=x", ""),
		"as the id of stats":                 w.get("/v1/project/"+cut+"/stats", ""),
		"as a path":                          w.get("/v1/"+cut, ""),
		"as a path under a wrong method":     w.post("/v1/project/"+cut, "", obj{}),
		"as project_id":                      w.post("/v1/update", w.account, obj{"project_id": cut, "filename": "a.txt", "content": "YQ=="}),
		"as filename":                        w.post("/v1/delete-file", w.account, obj{"project_id": w.projectID, "filename": cut + "/x"}),
		"as title beside another fault":      w.post("/v1/publish", w.account, obj{"title": cut, "content": "!"}),
		"as upload_id beside another fault":  w.post("/v1/publish", w.account, obj{"upload_id": cut, "part": 2, "content": page64}),
		"as the name of an unknown field":    w.post("/v1/publish", w.account, obj{cut: 1, "content": "!"}),
		"as the name of a field that is mad": w.post("/v1/publish", w.account, `{"`+cut+`":1,"`+cut+`":2}`),
	} {
		t.Run(name, func(t *testing.T) {
			if got.status < 400 {
				t.Fatalf("%d: %s", got.status, got.text)
			}
			if strings.Contains(got.text, cut[:12]) {
				t.Errorf("%s", inspect.Redact(got.text))
			}
		})
	}
}
