package web

import (
	"bytes"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/texts"
)

// formed is a form with files, as a browser sends it: "@name" is a file of that name, of the part upload or file.
func formed(f url.Values) (io.Reader, string) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range f {
			if !yield(name) {
				return
			}
		}
	}) {
		part, file, isFile := strings.Cut(name, "@")
		if !isFile {
			_ = m.WriteField(name, f.Get(name))
			continue
		}
		w, _ := m.CreateFormFile(part, file)
		_, _ = io.WriteString(w, f.Get(name))
	}
	_ = m.Close()
	return &b, m.FormDataContentType()
}

// publishes sends the form of /new, and returns the answer with its page.
func publishes(p http.Handler, path string, form url.Values, pairs ...string) (*http.Response, string) {
	body, kind := formed(form)
	r := httptest.NewRequest("POST", "https://example.com"+path, body)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(pairs); i += 2 {
		r.Header.Set(pairs[i], pairs[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result(), html.UnescapeString(w.Body.String())
}

const aPage = "<!doctype html><meta name=viewport content=width=device-width><title>Drop</title><p>It runs."

// shownKey finds a key on a page.
var shownKey = regexp.MustCompile(`sl[ap]_[0-9A-Za-z]{36}`)

func TestAFormPublishesAsTheAPIDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	form := url.Values{"form_token": {"one"}, "email": {"new@example.com"}, "upload@game.html": {aPage}, "description": {"About it."}, "tags": {"Puzzle, cats"}}
	resp, page := publishes(w, "/new", form)
	keys := shownKey.FindAllString(page, -1)
	if resp.StatusCode != http.StatusCreated || len(keys) != 2 || resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Fatalf("%d with %d keys, %v: %s", resp.StatusCode, len(keys), resp.Header, page)
	}
	by := must(w.in.Callers.Identify(t.Context(), sandlot.Presented{Key: sandlot.Secret(keys[0])}, sandlot.Sender{}))(t)
	who := must(w.service.Reader.Whoami(t.Context(), by, 10, ""))(t)
	if len(who.Projects) != 1 || who.Projects[0].Project.Title != "Drop" || who.Account.EmailVerified {
		t.Errorf("the key is of %+v", who)
	}
	v := must(w.service.Reader.Project(t.Context(), by, string(who.Projects[0].Project.ID)))(t)
	expect.Equal(t, "description", v.About.Description, "About it.")
	expect.Equal(t, "tags", v.Project.Tags, "puzzle cats")
	if !strings.Contains(page, who.Projects[0].Addresses.URL) {
		t.Errorf("the page says %s", page)
	}
	before := w.written()
	if resp, again := publishes(w, "/new", form); resp.StatusCode != http.StatusCreated || !strings.Contains(again, keys[0]) || w.written() != before {
		t.Errorf("sent again: %d %s", resp.StatusCode, again)
	}
	form.Set("upload@game.html", aPage+"!")
	if resp, page := publishes(w, "/new", form); resp.StatusCode != http.StatusConflict && resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, `data-code="idempotency_mismatch"`) {
		t.Errorf("another under its token: %d %s", resp.StatusCode, page)
	}
}

// TestAPublishSaysWhatHoldsUntilTheEmailIsConfirmed: on an instance that lists all at once nothing does.
func TestAPublishSaysWhatHoldsUntilTheEmailIsConfirmed(t *testing.T) {
	t.Parallel()
	for name, public := range map[string]bool{"a local instance": false, "a public one": true} {
		w := newWorld(t)
		w.limits = admission.New(admission.Config{Public: public})
		resp, page := publishes(w, "/new", url.Values{"form_token": {"one"}, "email": {"new@example.com"}, "upload@game.html": {aPage}})
		expect.Equal(t, "the status on "+name, resp.StatusCode, http.StatusCreated)
		expect.Equal(t, "whether it is said on "+name, strings.Contains(page, texts.Voice{Lang: "en"}.T("new.until")), public)
	}
}

func TestALoginPublishesUnderItsAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	form := url.Values{"form_token": {"one"}, "file@a/index.html": {aPage}, "file@a/b.js": {"1"}, "title": {"Mine"}}
	as := func(session, path string) (int, string) {
		resp, page := publishes(w, path, form, "Cookie", cookieName+"="+session)
		return resp.StatusCode, page
	}
	status, page := as(w.kim.session, "/new?as=kim")
	if status != http.StatusCreated || !strings.Contains(page, "/account/projects/mine-") || len(shownKey.FindAllString(page, -1)) != 1 {
		t.Fatalf("kim: %d %s", status, page)
	}
	// Another account under the same token makes a project of its own.
	status, page = as(w.lee.session, "/new?as=lee")
	if id := regexp.MustCompile(`/account/projects/(mine-\w+)`).FindStringSubmatch(page); status != http.StatusCreated || id == nil {
		t.Errorf("lee: %d %s", status, page)
	} else if p := must(w.service.Reader.Current(t.Context(), sandlot.Caller{}, sandlot.ProjectID(id[1])))(t); p.Handle != "lee" {
		t.Errorf("lee's is %+v", p)
	}
	before := w.written()
	for name, c := range map[string][2]string{"nobody": {"", "/new?as=kim"}, "another login": {w.lee.session, "/new?as=kim"}, "a forged session": {"x", "/new?as=kim"}} {
		if status, page := as(c[0], c[1]); status != http.StatusUnauthorized || !strings.Contains(page, `data-code="key_required"`) {
			t.Errorf("%s in kim's form: %d %s", name, status, page)
		}
	}
	if w.written() != before {
		t.Error("something was written for who has no login")
	}
}

func TestWhatAFormMayNotPublishIsSaidOnItsPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.written()
	email := func(pairs ...string) url.Values {
		f := url.Values{"email": {"new@example.com"}, "form_token": {"one"}, "title": {"<b>typed"}}
		for i := 0; i+1 < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return f
	}
	for name, c := range map[string]struct {
		form   url.Values
		status int
		code   string
	}{
		"nothing":              {email(), http.StatusUnprocessableEntity, "missing_field"},
		"no address":           {email("email", "nowhere", "upload@a.html", aPage), http.StatusUnprocessableEntity, "invalid_email"},
		"no page":              {email("file@a.js", "1", "file@b.html", "<p>", "file@c.html", "<p>"), http.StatusUnprocessableEntity, "no_primary_file"},
		"no ZIP":               {email("upload@a.ZIP", aPage), http.StatusUnprocessableEntity, "invalid_archive"},
		"a token that is none": {email("form_token", strings.Repeat("x", 256), "upload@a.html", aPage), http.StatusUnprocessableEntity, "invalid_field"},
		"tags that are none":   {email("tags", "<b>", "upload@a.html", aPage), http.StatusUnprocessableEntity, "invalid_field"},
		"a long description":   {email("description", strings.Repeat("x", publish.MaxDescription+1), "upload@a.html", aPage), http.StatusUnprocessableEntity, "invalid_field"},
	} {
		resp, page := publishes(w, "/new", c.form)
		if resp.StatusCode != c.status || c.code != "" && !strings.Contains(page, `data-code="`+c.code+`"`) {
			t.Errorf("%s: %d %s", name, resp.StatusCode, page)
		}
		if c.code != "" && !strings.Contains(page, `name="title" dir="auto" maxlength="200" autocomplete="off" value="<b>typed"`) && name != "nothing" {
			t.Errorf("%s: the title is gone: %s", name, page)
		}
	}
	if resp, page := publishes(w, "/new?api_key=x", email("upload@a.html", aPage)); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, `data-code="key_not_in_header"`) {
		t.Errorf("a key in the address: %d %s", resp.StatusCode, page)
	}
	if w.written() != before {
		t.Error("something was written")
	}
	if resp, _ := publishes(w, "/new", email("dry_run", "true", "upload@a.html", aPage)); resp.StatusCode != http.StatusOK {
		t.Errorf("a check: %d", resp.StatusCode)
	}
}

func TestALimitIsToldWithWhenItEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limits = admission.New(admission.Config{Public: true, Writes: admission.Rate{Count: 1, Per: time.Hour, Burst: 1}})
	form := url.Values{"email": {"new@example.com"}, "upload@a.html": {aPage}}
	if resp, _ := publishes(w, "/new", form); resp.StatusCode != http.StatusCreated {
		t.Errorf("the first: %d", resp.StatusCode)
	}
	if resp, page := publishes(w, "/new", form); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("the second: %d %s", resp.StatusCode, page)
	}
}
