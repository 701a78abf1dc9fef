package play

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/wording"
)

// TestRegressionM42EveryAddressSaysWhoseItIs, and leads to the form that reports it: that of a project, of a version, of one that was taken
// down, of none, and that under which all of them are.
func TestRegressionM42EveryAddressSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"))
	h, gone := newHandler(s, "localhost"), newHandler(down(t), "localhost")
	version := string(gameID) + "--v1-" + suffix
	for _, c := range []struct {
		h           *Handler
		label, path string
		status      int
		form        string
	}{
		{h, string(gameID), "/.sandlot/about", 200, "?project=chess-abc234"},
		{h, version, "/.sandlot/about", 200, "?project=chess-abc234"},
		{h, string(gameID), "/none", 404, "?project=chess-abc234"},
		{h, "nobody-abc234", "/", 404, "?project=nobody-abc234"},
		{h, "www", "/", 404, ""},
		{gone, string(gameID), "/.sandlot/about", 451, "?project=chess-abc234"},
		{gone, string(gameID), "/", 451, "?project=chess-abc234"},
	} {
		r, w := request("GET", c.path), newRecorder()
		r.Host = c.label + ".localhost"
		c.h.ServeOrigin(w, r, c.label)
		expect.Equal(t, c.label+c.path, w.Code, c.status)
		expect.Contains(t, c.label+c.path, w.Body.String(), `This address belongs to <a href="http://localhost:8080/">localhost:8080</a>. <a href="http://localhost:8080/report`+c.form+`">`)
	}
	apex := func(path string) *http.Response {
		w := newRecorder()
		h.ServeApex(w, request("GET", path))
		return w.Result()
	}
	body, err := io.ReadAll(apex("/").Body)
	expect.OK(t, err)
	expect.Contains(t, "the apex", string(body), `<a href="http://localhost:8080/report">`)
	const security = "/.well-known/security.txt"
	expect.Equal(t, "the apex's "+security, apex(security).Header.Get("Location"), "http://localhost:8080"+security)
	expect.Equal(t, "a project's "+security, at(h, onProject, request("GET", security)).Header.Get("Location"), "http://localhost:8080"+security)
	s.put(gameID, s.file(security[1:], "its own"))
	expect.Equal(t, "a project with its own", at(h, onProject, request("GET", security)).StatusCode, http.StatusOK)
}

// TestReportOnEveryHostLeadsToTheForm with the address, also where nobody sees the project; a file of that name comes
// first.
func TestReportOnEveryHostLeadsToTheForm(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", "<p>hi"))
	h, gone := newHandler(s, "localhost"), newHandler(down(t), "localhost")
	const form = "http://localhost:8080/report"
	leads := func(h *Handler, label, path string) string {
		r, w := request("GET", path), newRecorder()
		r.Host = label + ".localhost"
		h.ServeOrigin(w, r, label)
		return w.Result().Header.Get("Location")
	}
	filled := form + "?project=" + url.QueryEscape("http://"+string(gameID)+".localhost/")
	expect.Equal(t, "a project", leads(h, string(gameID), "/report"), filled)
	expect.Equal(t, "with a query", leads(h, string(gameID), "/report?a=b&project=other-abc123"), filled)
	expect.Equal(t, "one that was taken down", leads(gone, string(gameID), "/report"), filled)
	expect.Equal(t, "an unknown project", leads(h, "none-abc123", "/report"), form+"?project="+url.QueryEscape("http://none-abc123.localhost/"))
	w := newRecorder()
	h.ServeApex(w, request("GET", "/report"))
	expect.Equal(t, "the apex", w.Result().Header.Get("Location"), form)
	s.put(gameID, s.file("report", "its own"))
	expect.Equal(t, "a project with its own", leads(h, string(gameID), "/report"), "")
}

// TestRegressionM42ThePageOfAProjectInQuarantineLeadsToTheForm, although nothing of the project itself leads anywhere.
func TestRegressionM42ThePageOfAProjectInQuarantineLeadsToTheForm(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s := newStage(t, false, func(c *Config) {
		c.Quarantine, c.Places.Base = true, &url.URL{Scheme: "http", Host: c.Places.Content}
	})
	s.put(gameID, s.file("index.html", "<p>hi"))
	run(t, ctx, chromedp.Navigate(s.url(gameID)+".sandlot/about"))
	run(t, ctx, chromedp.Evaluate[bool](`setTimeout(() => document.querySelector("a[href*=report]").click()), true`))
	testenv.Eventually(t, 30*time.Second, "a page of the website", func() bool {
		at, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href`)) // fails while the tab is on its way
		return err == nil && strings.HasSuffix(at, "/report?project="+string(gameID))
	})
}

// TestRegression42PagesOfErrorsAreInAllLanguages: and each says something in each of them.
func TestRegression42PagesOfErrorsAreInAllLanguages(t *testing.T) {
	t.Parallel()
	b := openBook()
	if got, want := slices.Sorted(maps.Keys(b.ByLang)), []string{"de", "en", "es", "fr", "ja", "pt", "zh-Hans"}; !slices.Equal(got, want) {
		t.Fatalf("the languages are %v", got)
	}
	for lang, texts := range b.ByLang {
		for _, name := range []string{"project", "taken-down", "damaged", "missing", "too-many", "later", "fault", "method", "about", "apex", "report", "held", "held-fields", "appeal", "contact"} {
			if texts[name].Title == "" || texts[name].Text == "" {
				t.Errorf("%s has no %s", lang, name)
			}
			for _, fault := range append(wording.Faults(lang, texts[name].Title), wording.Faults(lang, texts[name].Text)...) {
				t.Errorf("%s in %s has %s", name, lang, fault)
			}
		}
		if len(texts) != 15 {
			t.Errorf("%s has %d pages", lang, len(texts))
		}
	}
}

// worldsThatFail are worlds each of which fails in one way, with what the page is to say.
func worldsThatFail(t *testing.T) map[string]*world {
	fail := func(err error) *world {
		s := newWorld(t)
		f := s.file("index.html", "<p>hi")
		s.put(gameID, f)
		s.broken[f.Content.Ref] = err
		return s
	}
	return map[string]*world{
		"project": newWorld(t), "taken-down": down(t), "damaged": fail(sandlot.ErrCorrupt), "later": fail(sandlot.ErrUnavailable), "fault": fail(errors.New("broken on purpose")),
		"too-many": fail(sandlot.Refuse(sandlot.CodeRateLimited, "busy")),
	}
}

// TestRegression42ErrorsOfProjectsSpeakTheVisitorsLanguage: they were in English for everybody.
func TestRegression42ErrorsOfProjectsSpeakTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	fine := newWorld(t)
	fine.put(gameID, fine.file("index.html", "<p>hi"))
	asked := map[string]func(accept string, p place) *http.Response{
		"missing": func(accept string, p place) *http.Response {
			return at(newHandler(fine, "localhost"), p, request("GET", "/none", accept))
		},
		"method": func(accept string, p place) *http.Response {
			return at(newHandler(fine, "localhost"), p, request("DELETE", "/", accept))
		},
	}
	for name, s := range worldsThatFail(t) {
		asked[name] = func(accept string, p place) *http.Response {
			return at(newHandler(s, "localhost"), p, request("GET", "/", accept))
		}
	}
	b := openBook()
	for accept, lang := range map[string]string{
		"X: none": "en", "Accept-Language: tlh": "en", "Accept-Language: de-CH,de;q=0.9,en;q=0.8": "de", "Accept-Language: es-MX": "es",
		"Accept-Language: fr": "fr", "Accept-Language: ja": "ja", "Accept-Language: pt-PT": "pt", "Accept-Language: zh-CN": "zh-Hans",
	} {
		for name, ask := range asked {
			for _, p := range []place{onProject, onVersion, onPath} {
				resp := ask(accept, p)
				body, err := io.ReadAll(resp.Body)
				if want := b.ByLang[lang][name]; err != nil || !strings.Contains(string(body), "<h1>"+want.Title+"</h1><p>"+want.Text+"</p>") || !strings.Contains(string(body), `<html lang="`+lang+`" dir="ltr">`) {
					t.Errorf("%s with %s at %d: %v %s", name, accept, p, err, body)
				}
				if h := resp.Header; h.Get("Content-Language") != lang || !strings.Contains(h.Get("Vary"), "Accept-Language") || h.Get("Cache-Control") != "no-cache" || strings.Contains(string(body), "<script") {
					t.Errorf("%s with %s at %d: %v", name, accept, p, h)
				}
				checkHeaders(t, p, resp)
			}
		}
	}
}

// TestRegression42PagesOfErrorsLookAsTheSiteDoes: in light and dark, and under the policy of a quarantined project, too. With
// SANDLOT_TEST_SHOTS=FOLDER it leaves pictures there.
func TestRegression42PagesOfErrorsLookAsTheSiteDoes(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s := newStage(t, false, func(c *Config) { c.Quarantine = true })
	s.put(gameID, s.file("index.html", "<p>hi"))
	run(t, ctx, chromedp.EmulateViewport(360, 640))
	for scheme, paper := range map[string]string{"light": "rgb(251, 249, 245)", "dark": "rgb(25, 24, 22)"} {
		run(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			return tab.Call(ctx, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		}))
		for name, address := range map[string]string{"missing": s.url(gameID) + "none", "project": s.url("nobody-abc234")} {
			run(t, ctx, chromedp.Navigate(address))
			if got := run(t, ctx, chromedp.Evaluate[string](`getComputedStyle(document.body).backgroundColor`)); got != paper {
				t.Errorf("%s: the paper is %s", address, got)
			}
			if wide := run(t, ctx, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > innerWidth`)); wide {
				t.Errorf("%s is wider than a phone", address)
			}
			if folder := os.Getenv("SANDLOT_TEST_SHOTS"); folder != "" {
				if err := os.WriteFile(filepath.Join(folder, "error-"+name+"-"+scheme+".png"), run(t, ctx, chromedp.FullScreenshot(100)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
