package play

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
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
