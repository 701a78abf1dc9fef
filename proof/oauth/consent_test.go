package oauth

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestNothingButTheFormOfTheQuestionGivesConsent: it belongs to one session and to one request.
func TestNothingButTheFormOfTheQuestionGivesConsent(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, eve := s.join(t, "ada"), s.join(t, "eve")
	mine, evil := s.register(t, loopback), s.register(t, "https://evil.example/callback")
	hers, foreign := s.publish(t, ada.key, "Hers"), s.publish(t, eve.key, "Foreign")
	address := mine.address()
	token := func(p *person, q url.Values) string {
		_, f := p.ask(t, q).question(t)
		return f.Get("form_token")
	}
	good := form("form_token", token(ada, mine.request()), "answer", "allow", "reach", "account", "project", "")
	with := func(pairs ...string) url.Values {
		f := url.Values{}
		for name, values := range good {
			f[name] = values
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			if f[pairs[i]] = []string{pairs[i+1]}; pairs[i+1] == "" {
				delete(f, pairs[i])
			}
		}
		return f
	}
	before := &person{s: s, email: ada.email, key: ada.key, cookies: map[string]string{}}
	before.logIn(t) // in another browser
	ofProject := token(ada, mine.request("scope", "project"))
	for _, c := range []struct {
		about   string
		browser *person
		address string
		form    url.Values
		header  []string
	}{
		{"the form in the session of another person", eve, address, with(), nil},
		{"the form in the other session of the person", before, address, with(), nil},
		{"the form of the other session of the person", ada, address, with("form_token", token(before, mine.request())), nil},
		{"the form without a login", s.stranger(), address, with(), nil},
		{"the form with the key of the account", s.stranger(), address, with(), []string{"Authorization", "Bearer " + ada.key}},
		{"no token", ada, address, with("form_token", ""), nil},
		{"a wrong token", ada, address, with("form_token", strings.Repeat("a", 64)), nil},
		{"the token of another request", ada, evil.address(), with(), nil},
		{"the token of another state", ada, mine.address("state", "b"), with(), nil},
		{"the token of another challenge", ada, mine.address("code_challenge", challenge("b")), with(), nil},
		{"the token of another port", ada, mine.address("redirect_uri", "http://127.0.0.1:9/callback"), with(), nil},
		{"a second token", ada, address, url.Values{"form_token": {"a", good.Get("form_token")}, "answer": {"allow"}, "reach": {"account"}}, nil},
		{"a project of another person", ada, address, with("reach", "project", "project", foreign), nil},
		{"a project that there is not", ada, address, with("reach", "project", "project", "p-none"), nil},
		{"a project, and none is named", ada, address, with("reach", "project"), nil},
		{"no reach", ada, address, with("reach", ""), nil},
		{"another reach", ada, address, with("reach", "everything"), nil},
		{"no answer", ada, address, with("answer", ""), nil},
		{"the account for a program that asks for a project", ada, mine.address("scope", "project"), with("form_token", ofProject), nil},
		{"a foreign page", ada, address, with(), []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}},
		{"a page of a neighbour", ada, address, with(), []string{"Origin", "http://localhost:1", "Sec-Fetch-Site", "same-site"}},
		{"a page in a sandbox", ada, address, with(), []string{"Origin", "null", "Sec-Fetch-Site", "cross-site"}},
		{"a foreign page of an old browser", ada, address, with(), []string{"Origin", "https://evil.example", "Sec-Fetch-Site", ""}},
		{"another type of form", ada, address, with(), []string{"Content-Type", "text/plain"}},
	} {
		got := c.browser.again().does(t, "POST", c.address, c.form, c.header...)
		if to := got.header.Get("Location"); strings.Contains(to, "code=") && !strings.HasPrefix(to, "/") || got.status >= 500 {
			t.Errorf("%s gives consent: %d %s", c.about, got.status, to)
		}
	}
	for _, by := range []string{"GET", "HEAD", "PUT"} {
		got := ada.again().does(t, by, address+"&"+good.Encode(), nil)
		expect.Equal(t, "where "+by+" leads", got.header.Get("Location"), "")
	}
	for range 2 { // there is no consent that is remembered
		ada.ask(t, mine.request())
		if to := ada.allow(t, mine.request(), hers); to.Query().Get("code") == "" {
			t.Errorf("the form itself leads to %s", to)
		}
	}
}

// TestClaimsOfAProgramAreDataOnThePage of consent.
func TestClaimsOfAProgramAreDataOnThePage(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada := s.join(t, "ada")
	for _, name := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "</bdi></dd><h1>Sandlot</h1>", "{{.Me}}", "Sandlot\u202e\u2066gnp.exe",
		"a\x00b\u0007\u001b[31m\nc",
		strings.Repeat("long ", 2000), strings.Repeat("\u0301", 3000), "\u3164", "",
	} {
		grants := []string{"authorization_code", deviceGrant}
		got := s.registration(t, object{"client_name": name, "redirect_uris": []string{loopback}, "grant_types": grants})
		if got.status == http.StatusBadRequest {
			continue // refused is as good
		}
		mine := program{s, text(got.json(t), "client_id"), loopback, "a verifier"}
		asked := ada.ask(t, mine.request())
		code := asked.header.Get("Cache-Control")
		expect.Equal(t, "that nobody keeps the page: "+code, strings.Contains(code, "no-store") || strings.Contains(code, "private"), true)
		typed := ada.enter(t, s.askDevice(t, "client_id", mine.id).userCode)
		ada.grant(t, mine, "")
		for _, page := range []answer{asked.answer, typed, ada.does(t, "GET", "/account/keys", nil)} {
			for _, wrong := range []string{
				"<script>alert", "<img src=x", "<h1>Sandlot", "\u202e", "\u2066gnp", "\x00", "\u0007", "\u001b", strings.Repeat("long ", 25),
			} {
				if strings.Contains(page.text, wrong) {
					t.Errorf("a page about a program with the name %.60q has %q", name, wrong)
				}
			}
			if len(page.text) > 40_000 {
				t.Errorf("a page about a program with the name %.60q has %d bytes", name, len(page.text))
			}
		}
	}
	ada.endGrants(t)
	other := s.register(t, "https://agent.example/callback")
	expect.Contains(t, "the page of a program on the web", ada.ask(t, other.request()).text, "agent.example")
	local := ada.ask(t, s.register(t, loopback).request())
	expect.Equal(t, "that the page of a program of this machine names a host", strings.Contains(local.text, "agent.example"), false)
}

// TestOddRequestsAreRefusedAndNoFault: each is answered at once by a page.
func TestOddRequestsAreRefusedAndNoFault(t *testing.T) {
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	for about, query := range map[string]string{
		"nothing": "", "no pairs": "a;b;&&==", "a bad escape": mine.request().Encode() + "&scope=%zz", "a bad escape alone": "%",
		"a client of 10 KB":           mine.request("client_id", strings.Repeat("a", 10_000)).Encode(),
		"a client that is a document": mine.request("client_id", "https://127.0.0.1/client.json").Encode(),
		"a client with NUL":           mine.request("client_id", mine.id+"\x00").Encode(),
		"a client of no UTF-8":        mine.request("client_id", "\xff\xfe").Encode(),
		"a client with a line end":    mine.request("client_id", mine.id[:20]+"\r\n"+mine.id[20:]).Encode(),
		"a redirect of 10 KB":         mine.request("redirect_uri", loopback+strings.Repeat("a", 10_000)).Encode(),
		"a thousand of a parameter":   mine.request().Encode() + strings.Repeat("&scope=a", 1000),
	} {
		got := ada.does(t, "GET", authorizePath+"?"+query, nil)
		if got.status < 400 || got.status >= 500 || !got.isPage() {
			t.Errorf("%s: %d %s", about, got.status, got.header.Get("Location"))
		}
	}
	for about, changes := range map[string][]string{
		"a state with NUL": {"state", "a\x00b"}, "a state of no UTF-8": {"state", "\xff\xfe"},
		"a state of 1 MB":   {"state", strings.Repeat("a", 1<<20)},
		"a scope of 100 KB": {"scope", strings.Repeat("a ", 50_000)}, "a challenge of 100 KB": {"code_challenge", strings.Repeat("a", 100_000)},
	} {
		got, err := s.try(t, "GET", mine.address(changes...), "", "Cookie", ada.cookie())
		if err == nil && (got.status >= 500 || strings.Contains(got.header.Get("Location"), "code=")) {
			t.Errorf("%s: %d %s", about, got.status, got.header.Get("Location"))
		}
	}
	const encoded = "application/x-www-form-urlencoded"
	for _, path := range []string{tokenPath, devicePath, revokePath, registerPath} {
		for about, c := range map[string]struct{ body, kind string }{
			"nothing": {"", ""}, "no form": {"%%%", encoded}, "JSON of no object": {"[1]", "application/json"},
			"no JSON": {"{", "application/json"}, "another type": {"a=b", "text/plain"},
			"1 MB":         {"grant_type=" + strings.Repeat("a", 1<<20), encoded},
			"1 MB of JSON": {`{"client_name":"` + strings.Repeat("a", 1<<20) + `"}`, "application/json"},
			"5,000 levels": {`{"redirect_uris":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}", "application/json"},
			"NUL":          {"grant_type=%00&client_id=%00&token=%00&device_code=%00", encoded},
			"no UTF-8":     {"grant_type=%ff&client_id=%ff", encoded},
			"all twice":    {strings.Repeat("&grant_type=refresh_token&client_id=terminal&token=a", 2), encoded},
			"a wrong type": {`{"redirect_uris":7,"client_name":[]}`, "application/json"},
		} {
			if path == devicePath && about == "nothing" || path == revokePath && about == "NUL" {
				continue // which is a good request
			}
			got, err := s.try(t, "POST", path, c.body, "Content-Type", c.kind)
			if err != nil {
				t.Errorf("%s to %s: %v", about, path, err)
				continue
			}
			if got.status < 400 || got.status >= 500 || !strings.Contains(got.text, `"error":"`) {
				t.Errorf("%s to %s: %d %s", about, path, got.status, got.text)
			}
		}
		for _, method := range []string{"GET", "PUT", "DELETE", "HEAD"} {
			got := s.send(t, method, path+"?grant_type=refresh_token", "")
			expect.Equal(t, "status of "+method+" "+path, got.status, http.StatusMethodNotAllowed)
		}
	}
	inQuery := s.send(t, "POST", tokenPath+"?grant_type=refresh_token&refresh_token=slr_a&client_id="+mine.id, "")
	inQuery.refusedAs(t, "a form in the query", "invalid_request")
}

// TestAFrameNeverShowsTheQuestion, not even in a page of the same site, with which the browser sends the cookies.
func TestAFrameNeverShowsTheQuestion(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	s := start(t)
	ada, mine := s.join(t, "ada"), s.register(t, loopback)
	address := s.base + mine.address()
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>Win</title><iframe src=%q></iframe><iframe src=%q></iframe>`, address, s.base+"/connect")
	}))
	t.Cleanup(evil.Close)
	for _, page := range []answer{ada.ask(t, mine.request()).answer, ada.does(t, "GET", "/connect", nil)} {
		expect.Contains(t, "the policy", page.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	}
	browser := testenv.Engine(t)
	ada.lend(t, browser)
	expect.OK(t, chromedp.Do(browser, chromedp.Navigate(address)))
	var shown string
	testenv.Eventually(t, limit, "the question alone", func() bool {
		var err error
		shown, err = chromedp.Run(browser, chromedp.Evaluate[string](`document.body.innerText`))
		return err == nil && strings.Contains(shown, "Sky Agent")
	})
	expect.OK(t, chromedp.Do(browser, chromedp.Navigate(strings.Replace(evil.URL, "127.0.0.1", "localhost", 1))))
	var frames struct {
		FrameTree struct {
			ChildFrames []struct {
				Frame struct {
					URL            string `json:"url"`
					UnreachableURL string `json:"unreachableUrl"`
				} `json:"frame"`
			} `json:"childFrames"`
		} `json:"frameTree"`
	}
	expect.OK(t, chromedp.Do(browser, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, "Page.getFrameTree", nil, &frames)
	})))
	expect.Equal(t, "frames", len(frames.FrameTree.ChildFrames), 2)
	for _, f := range frames.FrameTree.ChildFrames {
		expect.Equal(t, "what a frame shows in place of "+f.Frame.UnreachableURL, strings.HasPrefix(f.Frame.URL, "chrome-error:"), true)
	}
}
