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

	"github.com/google/go-cmp/cmp"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/texts"
)

// archived is an archive of one word, or of nothing that can be sent.
func archived(_ context.Context, w io.Writer, e publish.Export) error {
	if e.Account.ID != 1 {
		return errors.New("not kim's")
	}
	_, err := io.WriteString(w, "ZIP")
	return err
}

func TestTheSettingsShowWhatIsSet(t *testing.T) {
	t.Parallel()
	h := house(t)
	move := account.EmailMove{Account: h.kim.account.ID, Email: "<i>new@example.com", ExpiresAt: h.now().Add(time.Hour)} // which the domain would not take
	expect.OK(t, h.db.Account().ProposeEmail(t.Context(), move, sandlot.Job{Kind: account.MailEmailChange, Due: h.now()}, h.now(), 10))
	body := text(t, asKim(h, "GET", "/account/settings", ""))
	for _, want := range []string{
		`name="handle" maxlength="200"`, `value="kim"`, "&lt;i&gt;new@example.com", `<option value="fr" lang="fr" selected>Français`, `<option value="ja" lang="ja">日本語`,
		`href="/account/export"`, `href="/account/delete"`, `href="/account/settings"`, `href="/account/settings/portrait"`, `action="/account/settings/email"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("they lack %s", want)
		}
	}
}

func TestTheLinkThatConfirmsAnAddressIsSentAgain(t *testing.T) {
	t.Parallel()
	h := home(t)
	h.in.Exec("UPDATE accounts SET verified = 0")
	body := text(t, asKim(h, "GET", "/account/settings", ""))
	expect.Contains(t, "the settings", body, `<input type="hidden" name="email" value="kim@mail.internal">`)
	now := h.site.now
	h.site.now = func() time.Time { return now().Add(freshFor + time.Minute) }
	expect.Contains(t, "the settings later", text(t, asKim(h, "GET", "/account/settings", "")), texts.Voice{Lang: "fr"}.T("settings.confirm-again"))
	h.site.now = now
	asKim(h, "POST", "/account/settings/email", "email=kim@mail.internal")
	expect.Same(t, "a message goes to", h.in.Query("SELECT address FROM jobs WHERE kind = ?", account.MailEmailChange), []string{"kim@mail.internal"})
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

// TestAMessageSpeaksTheLanguageOfTheAccount that its owner looks at the page in.
func TestAMessageSpeaksTheLanguageOfTheAccount(t *testing.T) {
	t.Parallel()
	h := house(t)
	asKim(h, "POST", "/account/settings/email", "email=new@example.com")
	expect.Same(t, "the messages are", h.in.Query("SELECT address || ' ' || lang FROM jobs"), []string{"new@example.com fr"})
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
	_, err := h.db.Operate().Suspend(t.Context(), sandlot.Subject{Account: h.kim.account.ID}, sandlot.LogEntry{At: h.now(), Reason: "spam"})
	expect.OK(t, err)
	expect.Equal(t, "of a suspended account", asKim(h, "POST", "/account/settings/handle", "handle=k").StatusCode, http.StatusForbidden)
}

func TestMessagesToNewAddressesAreLimited(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.limits = admission.New(admission.Config{Mails: admission.Rate{Count: 2, Per: time.Hour, Burst: 2}})
	for _, want := range []int{http.StatusSeeOther, http.StatusSeeOther, http.StatusTooManyRequests} {
		h.later(time.Minute) // before that, the same form asks for the same message
		if resp := asKim(h, "POST", "/account/settings/email", "email=new@example.com"); resp.StatusCode != want {
			t.Errorf("got %d, wanted %d", resp.StatusCode, want)
		}
	}
	if jobs := h.in.Query("SELECT address FROM jobs"); len(jobs) != 2 {
		t.Errorf("messages go to %q", jobs)
	}
}

func TestProgramsThatFetchLinksToAnAddressUseNothingUp(t *testing.T) {
	t.Parallel()
	for path, token := range map[string]func(*world) string{"/account/email": (*world).propose, "/account/undo": (*world).moved} {
		h := house(t)
		token := token(h)
		before := h.in.Rows()
		for _, method := range []string{"GET", "HEAD", "GET"} {
			resp := request(h, method, path+"?token="+token, "")
			if body := text(t, resp); resp.StatusCode != http.StatusOK || strings.Contains(body, "<b>") || resp.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("%s %s: %d", method, path, resp.StatusCode)
			}
		}
		expect.Equal(t, path+" from elsewhere", request(h, "POST", path, "token="+token, "Sec-Fetch-Site", "cross-site").StatusCode, http.StatusForbidden)
		if diff := cmp.Diff(before, h.in.Rows()); diff != "" {
			t.Errorf("%s: something was recorded (-before +after):\n%s", path, diff)
		}
		want := map[string]string{"/account/email": "other@example.com", "/account/undo": "kim@mail.internal"}[path]
		if resp := request(h, "POST", path, "token="+token, "Sec-Fetch-Site", "same-origin"); resp.StatusCode != http.StatusOK || h.in.Query("SELECT email FROM accounts")[0] != want {
			t.Errorf("%s pressed: %d", path, resp.StatusCode)
		}
		for _, resp := range []*http.Response{request(h, "POST", path, "token="+token, "Sec-Fetch-Site", "same-origin"), request(h, "GET", path+"?token="+token, ""), request(h, "GET", path, "")} {
			expect.Equal(t, path+" afterwards", resp.StatusCode, http.StatusGone)
		}
	}
}

// TestTheAddressOfALinkIsEscaped: the domain takes no such address, and the page would escape one.
func TestTheAddressOfALinkIsEscaped(t *testing.T) {
	t.Parallel()
	h := house(t)
	move := account.EmailMove{Account: h.kim.account.ID, Email: "<b>new@example.com", ExpiresAt: h.now().Add(time.Hour)}
	expect.OK(t, h.db.Account().ProposeEmail(t.Context(), move, sandlot.Job{Kind: account.MailEmailChange, Due: h.now()}, h.now(), 10))
	must(h.db.Mail().AddEmailLink(t.Context(), hash("good"), move, h.now()))(t)
	for _, resp := range []*http.Response{request(h, "GET", "/account/email?token=good", ""), request(h, "POST", "/account/email", "token=good", "Sec-Fetch-Site", "same-origin")} {
		if body := text(t, resp); resp.StatusCode != http.StatusOK || strings.Contains(body, "<b>") || !strings.Contains(body, "&lt;b&gt;new@example.com") {
			t.Errorf("%d: %s", resp.StatusCode, body)
		}
	}
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

func TestTheExportIsTheAccountsArchive(t *testing.T) {
	t.Parallel()
	h := house(t)
	resp := asKim(h, "GET", "/account/export", "")
	name := resp.Header.Get("Content-Disposition")
	if text(t, resp) != "ZIP" || resp.Header.Get("Content-Type") != "application/zip" || !strings.HasPrefix(name, `attachment; filename="sandlot-kim-20`) || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d, %v", resp.StatusCode, resp.Header)
	}
	resp = asKim(h, "HEAD", "/account/export", "")
	if text(t, resp) != "" || resp.Header.Get("Content-Disposition") != name {
		t.Errorf("HEAD: %v", resp.Header)
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

func TestDeletingTheAccountNeedsItsHandle(t *testing.T) {
	t.Parallel()
	h := house(t)
	before := h.in.Rows()
	if resp := asKim(h, "POST", "/account/delete", "handle=other"); resp.StatusCode != http.StatusUnprocessableEntity || cmp.Diff(before, h.in.Rows()) != "" {
		t.Errorf("another handle: %d", resp.StatusCode)
	}
	resp := asKim(h, "POST", "/account/delete", "handle=kim")
	if _, err := h.db.Publish().Account(t.Context(), h.kim.account.ID); !errors.Is(err, sandlot.ErrNotFound) || resp.StatusCode != http.StatusOK {
		t.Fatalf("got %d, %v", resp.StatusCode, err)
	}
	if c := resp.Cookies(); len(c) != 1 || c[0].MaxAge >= 0 {
		t.Errorf("the cookies are %v", c)
	}
	if body := text(t, resp); !strings.Contains(body, "kim et tous ses projets ont été supprimés") || strings.Contains(body, `action="/logout"`) {
		t.Errorf("the page is %s", body)
	}
}
