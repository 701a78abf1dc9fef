package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestRegressionM39AnEmptyInstanceOffersItsExamples: a new instance had nothing to play, and two games lay in its program. Whoever may
// publish puts them online, in one account, once however often the button is pressed, and is not offered them where there is a project.
func TestRegressionM39AnEmptyInstanceOffersItsExamples(t *testing.T) {
	t.Parallel()
	w := pagesOn(t, testworld.New(t, testworld.With(func(c *publish.Config) { c.Places = webPlaces() })))
	const at, link = examplesPath, `href="/new/examples"`
	expect.Contains(t, "the home page", text(t, request(w, "GET", "/", "")), link)
	page := text(t, request(w, "GET", at, ""))
	for _, want := range []string{"Wick", "Runnel", `name="email"`} {
		expect.Contains(t, "the page of the examples", page, want)
	}
	token := regexp.MustCompile(`name="form_token" value="([^"]+)"`).FindStringSubmatch(page)[1]
	press := func(form url.Values) (*http.Response, string) {
		resp := request(w, "POST", at, form.Encode(), "Sec-Fetch-Site", "same-origin")
		return resp, text(t, resp)
	}
	before := w.written()
	for name, form := range map[string]url.Values{"no address": {"form_token": {token}}, "an address that is none": {"form_token": {token}, "email": {"nowhere"}}} {
		if resp, said := press(form); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(said, `value="`+token+`"`) || !strings.Contains(said, "Runnel") {
			t.Errorf("%s: %d %s", name, resp.StatusCode, said)
		}
	}
	if resp, _ := press(url.Values{"form_token": {""}, "email": {"new@example.org"}}); resp.StatusCode != http.StatusBadRequest || w.written() != before {
		t.Errorf("without a token: %d, or something was written", resp.StatusCode)
	}

	form := url.Values{"form_token": {token}, "email": {"new@example.org"}}
	resp, said := press(form)
	keys := shownKey.FindAllString(said, -1)
	if resp.StatusCode != http.StatusCreated || len(keys) != 1 {
		t.Fatalf("%d with the keys %v: %s", resp.StatusCode, keys, said)
	}
	by := must(w.in.Callers.Identify(t.Context(), sandlot.Presented{Key: sandlot.Secret(keys[0])}, sandlot.Sender{}))(t)
	list := must(w.service.Reader.Whoami(t.Context(), by, 10, ""))(t).Projects
	files := map[string]int{}
	for _, p := range list {
		files[p.Project.Title] = p.Project.FileCount
		expect.Contains(t, "what is said", said, `href="`+p.Addresses.Page+`"`)
	}
	expect.Same(t, "the projects", files, map[string]int{"Wick": 1, "Runnel": 7})
	before = w.written()
	if resp, again := press(form); resp.StatusCode != http.StatusCreated || !strings.Contains(again, keys[0]) || w.written() != before {
		t.Errorf("pressed again: %d %s", resp.StatusCode, again)
	}

	w.later(frontFor + 1e9)
	if home := text(t, request(w, "GET", "/", "")); strings.Contains(home, link) || !strings.Contains(home, "Runnel") {
		t.Errorf("afterwards the home page is %s", home)
	}
	if resp := request(w, "GET", at, ""); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/" {
		t.Errorf("afterwards the page of the examples: %d to %q", resp.StatusCode, resp.Header.Get("Location"))
	}
}

// TestRegressionM39ALoginPublishesTheExamplesUnderItsAccount, and sees no key.
func TestRegressionM39ALoginPublishesTheExamplesUnderItsAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resp := asPerson(w, "POST", examplesPath, "form_token=one")
	if said := text(t, resp); resp.StatusCode != http.StatusCreated || shownKey.MatchString(said) {
		t.Errorf("%d %s", resp.StatusCode, said)
	}
	list := must(w.service.Reader.Whoami(t.Context(), w.owner(w.kim.session), 10, ""))(t).Projects
	expect.Equal(t, "kim's projects", len(list), 3)
}
