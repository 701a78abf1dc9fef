package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sandlot"
)

func TestRowsEmail(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var rows []row
	rows = append(rows, row{71, "no key and no email", "", "none", obj{"content": page64}, 400, sandlot.CodeEmailRequired, nil},
		row{71, "email is null", "", "none", obj{"content": page64, "email": nil}, 400, sandlot.CodeEmailRequired, nil})
	bad := map[int][]string{72: {"a@"}, 73: {"a@b.cd\r\nBcc: x@y.zz"}} // internal/format/names has all of them
	for n, list := range bad {
		for _, address := range list {
			rows = append(rows,
				row{n, fmt.Sprintf("publish %.30q", address), "", "none", obj{"content": page64, "email": address}, 400, sandlot.CodeInvalidEmail, nil},
				row{n, fmt.Sprintf("signup %.30q", address), "/v1/signup", "none", obj{"email": address}, 400, sandlot.CodeInvalidEmail, nil})
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
		got := w.in(t).post("/v1/publish", "", obj{"content": page64, "mail": someone}).refused(400, sandlot.CodeEmailRequired)
		if !strings.Contains(got.str("message"), `"mail"`) {
			t.Errorf("%s", got.text)
		}
	})
	t.Run("without SMTP a warning says where the message lies", func(t *testing.T) {
		got := w.in(t).post("/v1/signup", "", obj{"email": "unsent@example.com"}).wants(201)
		if got.body["verification_sent"] != false || !got.warned("mail_not_sent") {
			t.Errorf("%s", got.text)
		}
	})
}

func TestRowsDecoration(t *testing.T) {
	t.Parallel()
	w := settled(t)
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
