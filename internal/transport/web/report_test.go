package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
)

func sendReport(h http.Handler, form url.Values) *http.Response {
	return request(h, "POST", "/report", form.Encode(), "Sec-Fetch-Site", "same-origin")
}

func TestAReportIsAskedForAndItsNumberShown(t *testing.T) {
	t.Parallel()
	h := house(t)
	body := text(t, request(h, "GET", "/report?project=game-abc123", ""))
	for _, want := range []string{`value="game-abc123"`, `name="form_token" value="`, `value="copyright"`, "&lt;script&gt;", "4,000"} {
		if !strings.Contains(body, want) {
			t.Errorf("it has no %s", want)
		}
	}
	resp := sendReport(h, url.Values{"project": {"game-abc123"}, "reason": {"other"}, "details": {"bad"}, "contact": {"a@example.com"}, "form_token": {formToken(t, h)}})
	if body := text(t, resp); !aNumber.MatchString(body) || resp.StatusCode != http.StatusOK {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	expect.Same(t, "sent is", h.in.Query("SELECT project || ' ' || reason || ' ' || details || ' ' || contact FROM reports"), []string{"game-abc123 other bad a@example.com"})
}

// formToken returns the token of the form for a report.
func formToken(t *testing.T, h http.Handler) string {
	t.Helper()
	found := aFormToken.FindStringSubmatch(text(t, request(h, "GET", "/report?project=game-abc123", "")))
	if found == nil {
		t.Fatal("the form has no token")
	}
	return found[1]
}

var aFormToken = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

var aNumber = regexp.MustCompile(`R-[0-9A-Z]{4}-[0-9A-Z]{4}`)

// TestRegressionM42APageIsReportedByItsAddress, whatever somebody has of it, in a form that needs nothing but that.
func TestRegressionM42APageIsReportedByItsAddress(t *testing.T) {
	t.Parallel()
	h := house(t)
	body := text(t, request(h, "GET", "/report", ""))
	for _, want := range []string{`name="project" inputmode="url"`, `value="deceptive"`, `name="form_token" value="`} {
		expect.Contains(t, "the form", body, want)
	}
	host := h.places.Content
	for _, address := range []string{
		"http://game-abc123." + host + "/login/?next=%zz#top", "game-abc123." + host, "hxxps://game-abc123[.]" + strings.ReplaceAll(host, ".", "[.]") + "/", " HTTPS://GAME-ABC123." + strings.ToUpper(host) + " ",
		"http://game-abc123--v1-0123456789." + host + "/p/other-abc123", h.places.Base.String() + "/p/game-abc123/card.jpg", h.places.Base.String() + "/~/game-abc123/a/b", h.places.Base.Host + "/embed/game-abc123", "https://game-abc123.its-old-host.example/",
	} {
		expect.Contains(t, address, text(t, request(h, "GET", "/report?project="+url.QueryEscape(address), "")), `name="project" value="game-abc123"`)
		resp := sendReport(h, url.Values{"project": {address}, "reason": {"deceptive"}, "form_token": {formToken(t, h)}})
		if body := text(t, resp); resp.StatusCode != http.StatusOK || !aNumber.MatchString(body) {
			t.Errorf("%s: %d %s", address, resp.StatusCode, body)
		}
	}
	resp := sendReport(h, url.Values{"project": {"https://elsewhere.example/<b>"}, "reason": {"deceptive"}, "details": {"It asks for a password."}, "form_token": {formToken(t, h)}})
	body = text(t, resp)
	for _, want := range []string{`id="address-bad"`, `value="https://elsewhere.example/&lt;b&gt;"`, "It asks for a password.", `value="deceptive" required checked`} {
		expect.Contains(t, "of nothing here", body, want)
	}
	expect.Contains(t, "every page", text(t, request(h, "GET", "/p/none-abc123", "")), `href="/report"`)
}

func TestWhatWasTypedIsKeptWhenAReportCannotBe(t *testing.T) {
	t.Parallel()
	h := house(t)
	for field, form := range map[string]url.Values{
		"reason-bad":  {"details": {"<b>kept"}},
		"details-bad": {"details": {strings.Repeat("x", operate.MaxDetails+1)}, "reason": {"malware"}, "contact": {"<b>kept"}},
		"contact-bad": {"contact": {"none"}, "reason": {"malware"}, "details": {"<b>kept"}},
	} {
		form.Set("project", "game-abc123")
		form.Set("form_token", formToken(t, h))
		resp := sendReport(h, form)
		body := text(t, resp)
		if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, `id="`+field) || !strings.Contains(body, "&lt;b&gt;kept") {
			t.Errorf("%s: %d %s", field, resp.StatusCode, body)
		}
		if form.Get("reason") != "" && !strings.Contains(body, `value="malware" required checked`) {
			t.Errorf("%s: the reason is not kept", field)
		}
	}
}
