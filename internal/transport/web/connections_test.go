package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// connectCode publishes as a tool does, and returns the code of its connect_url.
func (w *world) connectCode() string {
	w.t.Helper()
	out, _, err := w.service.Publish(w.t.Context(), sandlot.Caller{}, publish.PublishInput{
		Title: "Kite", Handle: "kite-maker", Tool: true, Content: w.stage("<!doctype html><p>"),
	})
	expect.OK(w.t, err)
	return out.Keys.Connect.Reveal()
}

// connect sends a form of the page, with or without kim's login.
func (w *world) connect(path string, in bool, pairs ...string) *http.Response {
	w.t.Helper()
	f, cookies := url.Values{}, "x=y"
	for i := 0; i < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	if in {
		cookies = cookieName + "=kim"
	}
	return request(w, "POST", connectPath+path, f.Encode(), "Cookie", cookies, "Sec-Fetch-Site", "same-origin")
}

// ownerOf is the handle of the account that has the project of connectCode.
func (w *world) ownerOf() string {
	w.t.Helper()
	return strings.Join(w.in.Query("SELECT a.handle FROM accounts a JOIN projects p ON p.account = a.id WHERE p.title = 'Kite'"), " ")
}

func TestACodeTakesProjectsAfterALoginThatComesBack(t *testing.T) {
	t.Parallel()
	h := house(t)
	code := h.connectCode()
	asked := h.connect("", false, "code", " https://play.example/connect#"+code+" ")
	kept := cookie(t, asked, connectCookie)
	body := text(t, asked)
	if asked.StatusCode != http.StatusOK || kept.Value != code || !kept.HttpOnly || !kept.Secure || kept.MaxAge != connectSeconds || asked.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the code leads to %d with %+v", asked.StatusCode, kept)
	}
	for _, part := range []string{"kite-maker", "Kite", "last changed", "published", `action="/connect/login"`} {
		if !strings.Contains(body, part) {
			t.Errorf("a visitor without a login is not shown %q: %s", part, body)
		}
	}
	if strings.Contains(body, `action="/connect/take"`) {
		t.Error("a visitor without a login is asked")
	}
	sent := h.connect("/login", false, "code", code, "email", "kim@mail.internal")
	h.browser = cookie(t, sent, loginCookie).Value
	h.in.SendMail()
	m := h.in.Mails[len(h.in.Mails)-1]
	in := here(h, "POST", "/login/code", "code="+m.Code)
	expect.Equal(t, "the login comes back to", in.Header.Get("Location"), connectPath)
	page := request(h, "GET", connectPath, "", "Cookie", cookieName+"="+cookie(t, in, cookieName).Value+"; "+connectCookie+"="+code)
	if body := text(t, page); !strings.Contains(body, `action="/connect/take"`) || !strings.Contains(body, "Kite") {
		t.Errorf("then it shows %s", body)
	}
	expect.Equal(t, "nothing has moved", h.ownerOf(), "kite-maker")
	taken := h.connect("/take", true, "code", code)
	if taken.StatusCode != http.StatusSeeOther || !strings.HasPrefix(taken.Header.Get("Location"), "/account") || cookie(t, taken, connectCookie).MaxAge >= 0 {
		t.Errorf("it is answered with %d to %q", taken.StatusCode, taken.Header.Get("Location"))
	}
	expect.Equal(t, "its owner", h.ownerOf(), "kim")
	expect.Equal(t, "used again", h.connect("/take", true, "code", code).StatusCode, http.StatusGone)
}

func TestACodeWithoutAnAccountVerifiesTheAgentsOwn(t *testing.T) {
	t.Parallel()
	h := house(t)
	code := h.connectCode()
	if sent := h.connect("/login", false, "code", code, "email", "new@mail.internal"); sent.Header.Get("Location") != "/login/code" {
		t.Fatalf("the address gets %d", sent.StatusCode)
	}
	a := must(h.account.Verify(t.Context(), sandlot.Caller{}, h.token("/verify")))(t)
	expect.Equal(t, "the account", a.Handle+" "+a.Email, "kite-maker new@mail.internal")
	expect.Equal(t, "the code of a verified account", h.connect("/take", true, "code", code).StatusCode, http.StatusGone)
	expect.Equal(t, "its owner", h.ownerOf(), "kite-maker")
}

func TestCodesThatDoNotWorkGetOnePage(t *testing.T) {
	t.Parallel()
	h := house(t)
	code, page := h.connectCode(), ""
	h.in.Exec("UPDATE connects SET expires_at = ?", h.now().UnixMicro())
	for name, wrong := range map[string]string{"expired": code, "no code": "x", "another kind": strings.Replace(code, "slc_", "sla_", 1), "a letter more": code + "x"} {
		for _, path := range []string{"", "/take"} {
			resp := h.connect(path, true, "code", wrong)
			body := text(t, resp)
			if page == "" {
				page = body
			}
			if resp.StatusCode != http.StatusGone || body != page || cookie(t, resp, connectCookie).MaxAge >= 0 {
				t.Errorf("%s at %q: %d", name, path, resp.StatusCode)
			}
		}
	}
	expect.Equal(t, "a visitor without a login takes nothing", h.connect("/take", false, "code", code).Header.Get("Location"), connectPath)
}

func TestGuessesAtCodesAreCountedForTheNetwork(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.limits = admission.New(admission.Config{WrongKeys: admission.Rate{Count: 3, Per: time.Hour, Burst: 3}})
	code := h.connectCode()
	for range 3 {
		expect.Equal(t, "a wrong one", h.connect("", false, "code", "slc_x").StatusCode, http.StatusGone)
	}
	expect.Equal(t, "a fourth", h.connect("", false, "code", "slc_x").StatusCode, http.StatusTooManyRequests)
	expect.Equal(t, "a right one", h.connect("", false, "code", code).StatusCode, http.StatusTooManyRequests)
}
