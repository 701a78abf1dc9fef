package api

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
)

func TestRowsEmail(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var rows []row
	rows = append(rows, row{71, "no key and no email", "", "none", obj{"content": page64}, 400, publish.CodeEmailRequired, nil},
		row{71, "email is null", "", "none", obj{"content": page64, "email": nil}, 400, publish.CodeEmailRequired, nil})
	bad := map[int][]string{
		72: {"a", "a@", "@b", "a@b", "a@b..c", strings.Repeat("a", 250) + "@b.cd", `"a b"@c.de`, "a@[127.0.0.1]", "A <a@b.cd>", "a@b.cd,d@e.fg"},
		73: {"a@b.cd\r\nBcc: x@y.zz", "a@b.cd>\r\nDATA", "=?utf-8?q?a?=@b.cd"},
	}
	for n, list := range bad {
		for _, address := range list {
			rows = append(rows,
				row{n, fmt.Sprintf("publish %.30q", address), "", "none", obj{"content": page64, "email": address}, 400, publish.CodeInvalidEmail, nil},
				row{n, fmt.Sprintf("signup %.30q", address), "/v1/signup", "none", obj{"email": address}, 400, publish.CodeInvalidEmail, nil})
		}
	}
	refuses(t, w, rows)
	t.Run("row 75: a known address is answered like a new one", func(t *testing.T) {
		w.in(t)
		shape := func(email string) string {
			got := w.post("/v1/publish", "", obj{"content": page64, "email": email}).wants(201)
			var names []string
			for name := range got.body {
				names = append(names, name)
			}
			slices.Sort(names)
			return fmt.Sprint(got.status, names, got.body["email_verified"], got.body["verification_sent"])
		}
		if known, fresh := shape(someone), shape("new@example.com"); known != fresh {
			t.Errorf("known: %s\nfresh: %s", known, fresh)
		}
	})
	t.Run("near misses of email are named", func(t *testing.T) {
		got := w.in(t).post("/v1/publish", "", obj{"content": page64, "mail": someone}).refused(400, publish.CodeEmailRequired)
		if !strings.Contains(got.str("message"), `"mail"`) {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("without SMTP a warning says where the message lies", func(t *testing.T) {
		got := w.in(t).post("/v1/signup", "", obj{"email": someone}).wants(201)
		if got.body["verification_sent"] != false || !got.warned("mail_not_sent") {
			t.Errorf("%s", got.text)
		}
	})
}

func TestRowsHandle(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z0-9_-]{1,40}$`)
	w := newWorld(t)
	for _, wish := range []string{"admin", "www", "api", "postmaster", "_dmarc", "xn--abc", "a--b", "-a", "a-", "ab", strings.Repeat("a", 33), "Admin", "\u0430pple", "\U0001f600", "a.b", strings.Repeat("\u00e9", 300)} {
		t.Run(fmt.Sprintf("row 76: %.20q", wish), func(t *testing.T) {
			got := w.in(t).post("/v1/signup", "", obj{"handle": wish}).wants(201).str("handle")
			if !form.MatchString(got) || got == "admin" || got == "www" || got == "api" {
				t.Errorf("the handle is %q", got)
			}
		})
	}
	t.Run("row 77: 50 at once all get one of their own", func(t *testing.T) {
		w.in(t)
		var wg sync.WaitGroup
		got := make([]string, 50)
		for i := range got {
			wg.Go(func() { got[i] = w.post("/v1/signup", "", obj{"handle": "ada"}).wants(201).str("handle") })
		}
		wg.Wait()
		slices.Sort(got)
		expect.Equal(t, "handles for 50 accounts", len(slices.Compact(got)), 50)
	})
}

func TestRowsDecoration(t *testing.T) {
	t.Parallel()
	w := settled(t)
	t.Run("row 78: a title is mended, never refused", func(t *testing.T) {
		w.in(t)
		for title, code := range map[string]string{"a\r\nb": "title_cleaned", "a\x00b": "title_cleaned", strings.Repeat("x", 1<<19): "title_cut", "a\u202eb": "title_cleaned", "<script>": "", "${7*7}": "", strings.Repeat("\U0001f600", 500): "title_cut"} {
			got := w.post("/v1/publish", w.account, obj{"content": page64, "title": title}).wants(201)
			if code != "" && !got.warned(code) || strings.ContainsAny(got.str("title"), "\r\n\x00\u202e") || len([]rune(got.str("title"))) > 200 {
				t.Errorf("%.30q: %s", title, got.text)
			}
		}
	})
	t.Run("the document's title stands in", func(t *testing.T) {
		if got := w.in(t).post("/v1/publish", w.account, obj{"content": page64}).wants(201); got.str("title") != "Sky Hopper" {
			t.Errorf("%s", got.text)
		}
		if got := w.post("/v1/publish", w.account, obj{"content": b64("<h1>Hi</h1>")}).wants(201); got.body["title"] != nil {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("row 79: lang is mended or dropped", func(t *testing.T) {
		w.in(t)
		for lang, code := range map[string]string{"x": "lang_dropped", "en-US": "", "EN-us": "lang_changed", strings.Repeat("a", 200): "lang_dropped", "../": "lang_dropped"} {
			got := w.post("/v1/publish", w.account, obj{"content": page64, "lang": lang}).wants(201)
			if code != "" && !got.warned(code) {
				t.Errorf("%.20q: %s", lang, got.text)
			}
		}
	})
	t.Run("row 80: handle with a key is ignored, email is set pending", func(t *testing.T) {
		w.in(t)
		got := w.post("/v1/publish", w.account, obj{"content": page64, "handle": "other", "email": "new@example.com"}).wants(201)
		if !got.warned("handle_ignored") || got.body["email"] != nil {
			t.Errorf("%s", got.text)
		}
		if who := w.get("/v1/whoami", w.account); who.str("email") != "new@example.com" || who.body["email_verified"] != false {
			t.Errorf("%s", who.text)
		}
	})
	t.Run("row 85: links are made from base-url alone", func(t *testing.T) {
		w.in(t)
		evil := func(r *http.Request) {
			r.Host = "evil.com"
			r.Header.Set("X-Forwarded-Host", "evil.com")
			r.Header.Set("Forwarded", "host=evil.com")
		}
		got := w.post("/v1/publish", w.account, obj{"content": page64}, evil).wants(201)
		if strings.Contains(got.text, "evil") || strings.Contains(got.header.Get("Location"), "evil") {
			t.Errorf("%s", got.text)
		}
	})
}
