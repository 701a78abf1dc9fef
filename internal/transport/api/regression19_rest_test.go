package api

import (
	"bufio"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/intake"
)

func TestRegression19WhatStandsBehindRefusedContentStays(t *testing.T) {
	t.Parallel()
	w := settled(t)
	big := strings.Repeat("QUJD", limit/2)
	for name, c := range map[string]struct {
		content string // with what it needs around it
		code    sandlot.Code
	}{
		"raw text":                   {`"content":"<h1>It's \"raw\"</h1>"`, sandlot.CodeInvalidContent},
		"base64 that was cut":        {`"content":"QUJDQ"`, sandlot.CodeInvalidContent},
		"a mixture of alphabets":     {`"content":"+_` + big + `"`, sandlot.CodeInvalidContent},
		"too large":                  {`"content":"` + big + `"`, sandlot.CodeContentTooLarge},
		"no gzip":                    {`"content":"QUJD","content_encoding":"gzip+base64"`, sandlot.CodeInvalidContent},
		"encoded twice":              {`"content":"` + b64(page64) + `"`, sandlot.CodeDoubleEncoded},
		"an unknown encoding":        {`"content_encoding":"rot13","content":"QUJD"`, sandlot.CodeInvalidField},
		"a number":                   {`"content":17`, sandlot.CodeInvalidField},
		"a name that is there twice": {`"lang":"de","lang":"en","content":"QUJD"`, sandlot.CodeInvalidJSON},
	} {
		t.Run(name, func(t *testing.T) {
			body := "{" + c.content + `,"title":"It's mine","email":"own@example.com","handle":"kim"}`
			got := w.in(t).post("/v1/publish", "", body, lax).refused(intake.StatusOf(c.code), c.code)
			hint := got.str("hint")
			for _, want := range []string{`'title=It'\''s mine'`, "email=own@example.com", "handle=kim"} {
				if !saysField(hint, want) {
					t.Errorf("the hint lacks %s:\n%s", want, hint)
				}
			}
			if strings.Contains(hint, "was not read") {
				t.Errorf("all was read:\n%s", hint)
			}
		})
	}
	t.Run("in a body without a length", func(t *testing.T) {
		body := struct{ io.Reader }{strings.NewReader(`{"content":"` + big + `","title":"Mine"}`)}
		hint := w.in(t).post("/v1/publish", w.account, body, lax).refused(413, sandlot.CodeContentTooLarge).str("hint")
		if !strings.Contains(hint, "title=Mine") {
			t.Error(hint)
		}
	})
	t.Run("in a form", func(t *testing.T) {
		text := "--B\r\nContent-Disposition: form-data; name=content; filename=big.html\r\n\r\n" + big + "\r\n" +
			"--B\r\nContent-Disposition: form-data; name=title\r\n\r\nMine\r\n--B--\r\n"
		hint := w.in(t).post("/v1/publish", w.account, text, lax, with("Content-Type", "multipart/form-data; boundary=B")).refused(413, sandlot.CodeContentTooLarge).str("hint")
		if !strings.Contains(hint, "title=Mine") || !strings.Contains(hint, "big.html") {
			t.Error(hint)
		}
	})
	t.Run("with a bad key", func(t *testing.T) {
		hint := w.in(t).post("/v1/publish", "sla_x", `{"content":"<h1>","title":"Mine"}`, lax).refused(401, sandlot.CodeInvalidKey).str("hint")
		if !saysField(hint, "title=Mine") {
			t.Error(hint)
		}
	})
	t.Run("a key there is told before anything else", func(t *testing.T) {
		w.in(t).post("/v1/publish", "", `{"content":"<h1>","api_key":"x"}`, lax).refused(400, sandlot.CodeKeyNotInHeader)
	})
	t.Run("a client that pauses is not waited for", func(t *testing.T) {
		conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
		expect.OK(t, err)
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(5 * (intake.SearchWait + intake.DrainWait)))
		io.WriteString(conn, "POST /v1/publish HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n"+
			`{"content":"<h1>`+strings.Repeat("x", 4000)+`","title":"Mine",`)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		expect.OK(t, err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != 400 || !strings.Contains(string(text), `\"title\":\"Mine\"`) || !strings.Contains(string(text), "rest of the body wasn't read") {
			t.Errorf("%d, %v: %s", res.StatusCode, err, text)
		}
	})
	t.Run("nothing of it is kept", func(t *testing.T) {
		w.in(t).unchanged(func() {
			w.post("/v1/publish", w.account, `{"content":"`+big+`","title":"Mine"}`, lax).refused(413, sandlot.CodeContentTooLarge)
		})
	})
}

func TestRegression19AnAnswerSentBackWithNewContent(t *testing.T) {
	t.Parallel()
	w := settled(t)
	update := w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "style.css", "content": b64("a {}")}).wants(200).body
	view := w.get("/v1/project/"+w.projectID, w.project).wants(200).body
	entry, _ := view["files"].([]any)[0].(obj)
	for name, answer := range map[string]obj{"an update's": update, "a file of a project's": entry} {
		t.Run(name, func(t *testing.T) {
			body := maps.Clone(answer)
			if body["project_id"] == nil {
				delete(body, "url") // a file's, not the project's
			}
			body["project_id"], body["title"], body["content"] = w.projectID, "Kept", b64("b { color: red }")
			file, _ := answer["filename"].(string)
			w.in(t).mends(t, mend{
				path: "/v1/update", key: "account", body: body, code: sandlot.CodeDigestMismatch,
				wants: "are of the old file", never: "sha256=", files: map[string]string{file: "<!doctype html>b { color: red }"}, last: map[string]any{"title": "Kept"},
			})
		})
	}
}
