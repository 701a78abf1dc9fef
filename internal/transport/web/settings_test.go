package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// archived is an archive of one word, or of nothing that can be sent.
func archived(_ context.Context, w io.Writer, e publish.Export) error {
	if e.Account.ID != 1 {
		return errors.New("not kim's")
	}
	_, err := io.WriteString(w, "ZIP")
	return err
}

func TestSettingsAreChangedByForms(t *testing.T) {
	t.Parallel()
	h := house(t)
	for path, form := range map[string]string{
		"/account/settings/handle": "handle=kim-b", "/account/settings/language": "lang=ja", "/account/settings/email": "email=new@example.com",
	} {
		resp := asKim(h, "POST", path, form)
		if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/account/settings#said" {
			t.Errorf("%s: %d to %s", path, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	expect.Same(t, "the account is", h.in.Query("SELECT handle || ' ' || lang FROM accounts"), []string{"kim-b ja"})
	expect.Same(t, "messages go to", h.in.Query("SELECT address FROM jobs WHERE kind = ?", account.MailEmailChange), []string{"new@example.com"})
	for _, lang := range []string{"tlh", "fr-CA", "<b>"} {
		asKim(h, "POST", "/account/settings/language", "lang="+lang)
		if got := h.in.Query("SELECT lang FROM accounts"); !slices.Equal(got, []string{"ja"}) {
			t.Errorf("after %s, which is not offered, it is %q", lang, got)
		}
	}
	asKim(h, "POST", "/account/settings/language", "lang=")
	expect.Same(t, "after none it is", h.in.Query("SELECT lang FROM accounts"), []string{""})
}

func TestWhatIsWrongIsSaidBesideWhatWasTyped(t *testing.T) {
	t.Parallel()
	often := func(n int, path, form string) func(*world) {
		return func(w *world) {
			for i := range n {
				w.later(time.Minute)
				expect.Equal(w.t, path, asKim(w, "POST", path, fmt.Sprintf(form, i)).StatusCode, http.StatusSeeOther)
			}
		}
	}
	for _, c := range []struct {
		path, form, typed, says string
		before                  func(*world)
	}{
		{"/account/settings/handle", "handle=%3Cb%3Etaken", `value="&lt;b&gt;taken"`, "est pris", func(w *world) { w.claim("b-taken", "max@example.com") }},
		{"/account/settings/handle", "handle=---", `value="---"`, "n’est pas possible", nil},
		{"/account/settings/handle", "handle=k", `value="k"`, "dix fois", often(9, "/account/settings/handle", "handle=kim-%d")}, // beside lee's
		{"/account/settings/email", "email=nobody", `value="nobody"`, "ne semble pas valide", nil},
		{"/account/settings/email", "email=kim@mail.internal", `value="kim@mail.internal"`, "déjà votre adresse", nil},
		{"/account/settings/email", "email=a@b.c", `value="a@b.c"`, "dix adresses", often(10, "/account/settings/email", "email=kim-%d@example.com")},
		{"/account/delete", "handle=%3Cb%3E", `value="&lt;b&gt;"`, "pas votre nom", nil},
	} {
		h := house(t)
		if c.before != nil {
			c.before(h)
		}
		resp := asKim(h, "POST", c.path, c.form)
		if body := text(t, resp); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, c.typed) || !strings.Contains(body, c.says) || !strings.Contains(body, `aria-invalid="true"`) {
			t.Errorf("%s %s: %d, %s", c.path, c.form, resp.StatusCode, body)
		}
	}
	h := house(t)
	err := h.db.Operate().Suspend(t.Context(), sandlot.Subject{Account: h.kim.account.ID}, sandlot.LogEntry{At: h.now(), Reason: "spam"})
	expect.OK(t, err)
	expect.Equal(t, "of a suspended account", asKim(h, "POST", "/account/settings/handle", "handle=k").StatusCode, http.StatusForbidden)
}

func TestTakingTheAddressBackLogsThisBrowserOut(t *testing.T) {
	t.Parallel()
	h := house(t)
	resp := asKim(h, "POST", "/account/undo", "token="+h.moved())
	if c := resp.Cookies(); len(c) != 1 || c[0].Name != cookieName || c[0].MaxAge >= 0 {
		t.Errorf("the cookies are %v", c)
	}
	if body := text(t, resp); strings.Contains(body, `action="/logout"`) {
		t.Error("the page takes the browser for logged in")
	}
	if left := h.in.Sizes()["sessions"]; left > 0 {
		t.Errorf("%d browsers are logged in", left)
	}
}

func TestAnExportThatFailsIsAPageOrBroken(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.change(func(c *Config) {
		c.Archive = func(context.Context, io.Writer, publish.Export) error { return errors.New("down") }
	})
	resp := asKim(h, "GET", "/account/export", "")
	if resp.StatusCode != http.StatusInternalServerError || resp.Header.Get("Content-Disposition") != "" {
		t.Errorf("before the first byte: %d, %v", resp.StatusCode, resp.Header)
	}
	h.change(func(c *Config) {
		c.Archive = func(_ context.Context, w io.Writer, _ publish.Export) error {
			_, _ = io.WriteString(w, "ZI")
			return errors.New("down")
		}
	})
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("the connection is not broken")
		}
	}()
	asKim(h, "GET", "/account/export", "")
}
