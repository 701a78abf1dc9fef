package web

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
)

const (
	clientBack = "https://kite.example/back?from=sandlot"
	verifier   = "a-verifier-of-pkce-has-43-to-128-characters"
)

// program registers a client with these redirects.
func (w *world) program(name string, redirects ...string) oauth.Client {
	w.t.Helper()
	return must(w.cfg.OAuth.Register(w.t.Context(), sandlot.Caller{}, oauth.Registration{Name: name, RedirectURIs: redirects}))(w.t)
}

// asks is the address to which a client leads the browser. Pairs replace parameters, those without a value leave them out.
func asks(c oauth.Client, pairs ...string) string {
	challenge := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"client_id": {c.ID}, "redirect_uri": {c.Redirects[0]}, "response_type": {"code"}, "state": {"a state, with; \"signs\""},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(pairs); i += 2 {
		if q.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}
	return authorizePath + "?" + q.Encode()
}

// grant has a client ask, approves it for an account or one of its projects, and returns its tokens.
func (w *world) grant(c oauth.Client, by sandlot.Caller, id sandlot.ProjectID) oauth.Tokens {
	w.t.Helper()
	q := must(url.Parse(asks(c)))(w.t).Query()
	r := oauth.Request{
		ClientID: c.ID, RedirectURI: c.Redirects[0], ResponseType: "code", Challenge: q.Get("code_challenge"), ChallengeMethod: "S256",
	}
	asked := must(w.cfg.OAuth.Ask(w.t.Context(), by, r))(w.t)
	to := must(w.cfg.OAuth.Approve(w.t.Context(), by, r, oauth.Choice{Project: id, Form: asked.Form}))(w.t)
	return w.exchange(c, must(url.Parse(to))(w.t).Query().Get("code"))
}

func (w *world) exchange(c oauth.Client, code string) oauth.Tokens {
	w.t.Helper()
	in := oauth.CodeInput{Code: code, ClientID: c.ID, RedirectURI: c.Redirects[0], Verifier: verifier}
	return must(w.cfg.OAuth.Exchange(w.t.Context(), sandlot.Caller{}, in))(w.t)
}

var formTokens = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// consentForm opens a page with the question, and returns its form with an answer.
func (w *world) consentForm(target string, pairs ...string) string {
	w.t.Helper()
	body := text(w.t, asKim(w, "GET", target, ""))
	token := formTokens.FindStringSubmatch(body)
	if token == nil {
		w.t.Fatalf("%s shows no question: %s", target, body)
	}
	f := url.Values{"form_token": {token[1]}}
	for i := 0; i < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return f.Encode()
}

// back returns the parameters with which an answer redirects to the client.
func back(t *testing.T, resp *http.Response) url.Values {
	t.Helper()
	to := must(resp.Location())(t)
	if resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to.String(), clientBack+"&") {
		t.Fatalf("it is %d to %s", resp.StatusCode, to)
	}
	expect.Equal(t, "state", to.Query().Get("state"), "a state, with; \"signs\"")
	expect.Equal(t, "iss", to.Query().Get("iss"), "https://example.com/oauth")
	return to.Query()
}

func TestAConsentLeadsBackWithACodeOfWhatWasChosen(t *testing.T) {
	t.Parallel()
	for reach, project := range map[string]sandlot.ProjectID{"account": "", "project": gameID} {
		h := house(t)
		c := h.program("Kite", clientBack)
		form := h.consentForm(asks(c), "answer", "allow", "reach", reach, "project", string(gameID))
		got := back(t, asKim(h, "POST", asks(c), form))
		tokens := h.exchange(c, got.Get("code"))
		expect.Equal(t, "the scope", tokens.Scope, reach)
		expect.Equal(t, "the project", tokens.Project, project)
	}
}

func TestADenialLeadsBackAndGivesNothing(t *testing.T) {
	t.Parallel()
	h := house(t)
	c := h.program("Kite", clientBack)
	form, before := h.consentForm(asks(c), "answer", "deny"), h.written()
	got := back(t, asKim(h, "POST", asks(c), form))
	expect.Equal(t, "error", got.Get("error"), "access_denied")
	expect.Equal(t, "code", got.Get("code"), "")
	expect.Equal(t, "what is recorded", h.written(), before)
}

// TestAPageOfConsentGivesNoMoreThanAPressChose: nothing is chosen, no frame shows the page, and it says whose words a name is.
func TestAPageOfConsentGivesNoMoreThanAPressChose(t *testing.T) {
	t.Parallel()
	h := house(t)
	c := h.program("<b>Kite\u202e</b>", clientBack, "cursor://kite/back", "http://127.0.0.1/back")
	resp := asKim(h, "GET", asks(c), "")
	policy, body := resp.Header.Get("Content-Security-Policy"), text(t, resp)
	if !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "form-action 'self' https: cursor: http:;") {
		t.Errorf("its policy is %s", policy)
	}
	for _, never := range []string{"<b>", "<script", "\u202e", " checked", " selected", "autofocus"} {
		if strings.Contains(body, never) {
			t.Errorf("it has %q", never)
		}
	}
	for _, part := range []string{"<bdi>&lt;b&gt;Kite&lt;/b&gt;</bdi>", ">kite.example<", "<bdi>kim</bdi>", `value="game-abc123"`, `value="deny" formnovalidate`} {
		if !strings.Contains(body, part) {
			t.Errorf("it lacks %q: %s", part, body)
		}
	}
	for _, unchosen := range [][]string{{"answer", "allow"}, {"answer", "allow", "reach", "project", "project", ""}, {"answer", "allow", "reach", "project", "project", "none-abc123"}} {
		again := asKim(h, "POST", asks(c), h.consentForm(asks(c), unchosen...))
		if body := text(t, again); again.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, `role="alert"`) {
			t.Errorf("%v is %d: %s", unchosen, again.StatusCode, body)
		}
	}
}

func TestAProgramThatAsksForAProjectIsOfferedNoMore(t *testing.T) {
	t.Parallel()
	h := house(t)
	c := h.program("Kite", clientBack)
	target := asks(c, "scope", "project unknown")
	if body := text(t, asKim(h, "GET", target, "")); strings.Contains(body, `value="account"`) || !strings.Contains(body, `value="game-abc123"`) {
		t.Errorf("it offers %s", body)
	}
	expect.Equal(t, "the account", asKim(h, "POST", target, h.consentForm(target, "answer", "allow", "reach", "account")).StatusCode, http.StatusBadRequest)
	target = asks(c, "scope", "project")
	if body := text(t, asKim(home(t), "GET", asks(home(t).program("x", clientBack), "scope", "project"), "")); strings.Contains(body, `value="allow"`) {
		t.Errorf("an account without projects may allow: %s", body)
	}
	got := back(t, asKim(h, "POST", target, h.consentForm(target, "answer", "allow", "reach", "project", "project", " https://example.com/p/game-abc123 ")))
	expect.Equal(t, "error", got.Get("error"), "")
}

func TestRefusalsLeadBackOnlyToClientsOfOurs(t *testing.T) {
	t.Parallel()
	h := house(t)
	c := h.program("Kite", clientBack)
	for name, target := range map[string]string{
		"nothing": authorizePath, "an unknown client": asks(c, "client_id", "x"), "no client": asks(c, "client_id", ""),
		"another redirect": asks(c, "redirect_uri", "https://evil.example/back"), "no redirect": asks(c, "redirect_uri", ""),
		"a longer redirect": asks(c, "redirect_uri", clientBack+"/x"), "a parameter twice": asks(c) + "&state=x", "a client twice": asks(c) + "&client_id=x",
		"a broken query": asks(c) + "&x=%zz", "a long query": asks(c, "state", strings.Repeat("x", maxRequest)),
		"another client's id": asks(h.program("Other", "https://other.example/"), "redirect_uri", clientBack),
	} {
		for _, cookies := range []string{"x=y", cookieName + "=kim"} {
			resp := request(h, "GET", target, "", "Cookie", cookies)
			if resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Location") != "" || !strings.Contains(text(t, resp), "<h1>") {
				t.Errorf("%s is %d to %q", name, resp.StatusCode, resp.Header.Get("Location"))
			}
		}
		resp := asKim(h, "POST", target, "form_token=x&answer=allow&reach=account")
		expect.Equal(t, name+" as a form", resp.StatusCode, http.StatusBadRequest)
	}
	for code, target := range map[string]string{
		"unsupported_response_type": asks(c, "response_type", "token"), "invalid_request": asks(c, "code_challenge_method", "plain"),
		"invalid_target": asks(c, "resource", "https://example.com/mcp"),
	} {
		expect.Equal(t, "error", back(t, asKim(h, "GET", target, "")).Get("error"), code)
		stranger := request(h, "GET", target, "")
		if body := text(t, stranger); stranger.StatusCode != http.StatusBadRequest || stranger.Header.Get("Location") != "" || !strings.Contains(body, `href="https://kite.example/back?from=sandlot&amp;error=`+code) {
			t.Errorf("a stranger gets %d with %s", stranger.StatusCode, body)
		}
	}
	own := request(h, "GET", asks(h.program("Kite", "com.example.kite:/back"), "response_type", "token"), "")
	if body := text(t, own); !strings.Contains(body, `href="com.example.kite:/back?error=`) {
		t.Errorf("with a scheme of its own %s", body)
	}
	expect.Equal(t, "parameters of other servers", asKim(h, "GET", asks(c)+"&prompt=none&prompt=login", "").StatusCode, http.StatusOK)
}

// TestALoginComesBackToTheWholeRequest: by mail, with a provider, and for a login of yesterday.
func TestALoginComesBackToTheWholeRequest(t *testing.T) {
	t.Parallel()
	h := house(t)
	target := asks(h.program("Kite", clientBack, "https://kite.example/"+strings.Repeat("long/", 150)))
	query := strings.TrimPrefix(target, authorizePath+"?")
	begun := request(h, "GET", target, "")
	kept := cookie(t, begun, consentCookie)
	expect.Equal(t, "it leads to", begun.Header.Get("Location"), "/login?to="+authorizePath)
	if kept.Value != query || !kept.HttpOnly || !kept.Secure || kept.MaxAge != consentSeconds || len(query) < maxPath {
		t.Fatalf("it keeps %+v of %s", kept, query)
	}
	sent := request(h, "POST", "/login", url.Values{"email": {"kim@mail.internal"}, "to": {authorizePath}}.Encode(), "Sec-Fetch-Site", "same-origin")
	h.browser = cookie(t, sent, loginCookie).Value
	h.in.SendMail()
	in := here(h, "POST", "/login/code", "code="+h.in.Mails[len(h.in.Mails)-1].Code)
	expect.Equal(t, "the login comes back to", in.Header.Get("Location"), authorizePath)
	cookies := cookieName + "=" + cookie(t, in, cookieName).Value + "; " + consentCookie + "=" + kept.Value
	expect.Equal(t, "and that to", request(h, "GET", authorizePath, "", "Cookie", cookies).Header.Get("Location"), target)
	expect.Equal(t, "which is", request(h, "GET", target, "", "Cookie", cookies).StatusCode, http.StatusOK)

	h.school().says = account.Assertion{Identity: account.Identity{Issuer: "https://id.example.org", Subject: "1"}}
	for _, what := range []string{"first", "next"} {
		begun := request(h, "GET", openIDPath+"?to="+authorizePath, "")
		through := request(h, "GET", OpenIDBack+"?code=c&state="+url.QueryEscape(h.school().last.State), "", "Cookie", openIDCookie+"="+cookieOf(begun, openIDCookie))
		expect.Equal(t, "the "+what+" login with a provider", strings.TrimSuffix(through.Header.Get("Location"), saidPlace), authorizePath)
	}
	form := h.consentForm(target, "answer", "allow", "reach", "account")
	h.later(freshFor + time.Minute)
	for _, method := range []string{"GET", "POST"} {
		old := asKim(h, method, target, form)
		if old.Header.Get("Location") != "/login?to="+authorizePath || cookie(t, old, consentCookie).Value != query {
			t.Errorf("%s with a login of before is %d to %s", method, old.StatusCode, old.Header.Get("Location"))
		}
	}
}

// TestAConsentSaysWhereNobodyCanLogIn, on a public site without mail and without a provider.
func TestAConsentSaysWhereNobodyCanLogIn(t *testing.T) {
	t.Parallel()
	h := house(t)
	target, code := asks(h.program("Kite", clientBack)), h.device("").UserCode
	public := admission.New(admission.Config{Public: true})
	h.change(func(c *Config) { c.Admission, c.OpenID = public, nil })
	for name, resp := range map[string]*http.Response{"a program": request(h, "GET", target, ""), "a terminal": h.connect("", false, "code", code)} {
		if body := text(t, resp); resp.StatusCode != http.StatusForbidden || !strings.Contains(body, "The operator of this site has to set that up") {
			t.Errorf("%s is %d: %s", name, resp.StatusCode, body)
		}
	}
	h.change(func(c *Config) { c.Ready.Mail = func() bool { return false } })
	expect.Equal(t, "while mail waits", request(h, "GET", target, "").StatusCode, http.StatusSeeOther)
}

// TestAFormApprovesOnlyWhatItsPageAsked: not in another session, for another request, from elsewhere, or for the next time.
func TestAFormApprovesOnlyWhatItsPageAsked(t *testing.T) {
	t.Parallel()
	h := house(t)
	c, other := h.program("Kite", clientBack), h.program("Other", clientBack)
	form := h.consentForm(asks(c), "answer", "allow", "reach", "account")
	for name, resp := range map[string]*http.Response{
		"another client's request": asKim(h, "POST", asks(other), form),
		"another state":            asKim(h, "POST", asks(c, "state", "x"), form),
		"another challenge":        asKim(h, "POST", asks(c, "code_challenge", strings.Repeat("A", 43)), form),
		"another session":          request(h, "POST", asks(c), form, "Cookie", cookieName+"=firefox", "Sec-Fetch-Site", "same-origin"),
		"no token":                 asKim(h, "POST", asks(c), "form_token=&answer=allow&reach=account"),
		"no field":                 asKim(h, "POST", asks(c), "answer=allow&reach=account"),
		"two answers":              asKim(h, "POST", asks(c), form+"&answer=deny"),
	} {
		if resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Location") != "" {
			t.Errorf("%s: %d to %q", name, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://game-abc123.example.net"}, {"Origin", "null"}} {
		resp := request(h, "POST", asks(c), form, append(header, "Cookie", cookieName+"=kim")...)
		expect.Equal(t, "a form with "+strings.Join(header, " "), resp.StatusCode, http.StatusForbidden)
	}
	expect.Equal(t, "its own", back(t, asKim(h, "POST", asks(c), form)).Get("error"), "")
	expect.Equal(t, "the next time", asKim(h, "GET", asks(c), "").StatusCode, http.StatusOK)
}

// device asks for consent for a program in a terminal, and returns its codes.
func (w *world) device(project string) oauth.Device {
	w.t.Helper()
	return must(w.cfg.OAuth.AskDevice(w.t.Context(), sandlot.Caller{}, oauth.DeviceInput{Project: project}))(w.t)
}

// deviceForm types a code in kim's browser, and returns the form of the question with an answer.
func (w *world) deviceForm(code string, pairs ...string) string {
	w.t.Helper()
	body := text(w.t, w.connect("", true, "code", code))
	token := formTokens.FindStringSubmatch(body)
	if token == nil {
		w.t.Fatalf("the code shows no question: %s", body)
	}
	f := url.Values{"form_token": {token[1]}, "code": {code}}
	for i := 0; i < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return f.Encode()
}

func TestATypedCodeConnectsATerminal(t *testing.T) {
	t.Parallel()
	h := house(t)
	d := h.device(string(gameID))
	typed := strings.ToLower(strings.Replace(d.UserCode, "-", "", 1))
	asked := h.connect("", false, "code", " "+typed+" ")
	expect.Equal(t, "without a login it leads to", asked.Header.Get("Location"), "/login?to="+connectPath)
	expect.Equal(t, "and is kept", cookie(t, asked, connectCookie).Value, d.UserCode)
	page := request(h, "GET", connectPath, "", "Cookie", cookieName+"=kim; "+connectCookie+"="+d.UserCode)
	body := text(t, page)
	for _, part := range []string{`class="consent-care"`, d.UserCode, `<option value="game-abc123" selected>`, `action="/connect/device"`} {
		if !strings.Contains(body, part) {
			t.Errorf("the question lacks %q: %s", part, body)
		}
	}
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self';") || strings.Contains(body, `value="account"`) {
		t.Errorf("its policy is %s, its body %s", policy, body)
	}
	for name, form := range map[string]string{
		"no token":               "code=" + d.UserCode + "&form_token=&answer=allow&reach=project&project=game-abc123",
		"another device's token": strings.Replace(h.deviceForm(h.device("").UserCode, "answer", "allow", "reach", "account"), "code=", "code="+d.UserCode+"&was=", 1),
	} {
		expect.Equal(t, name, asKim(h, "POST", "/connect/device", form).StatusCode, http.StatusBadRequest)
	}
	for _, unchosen := range []string{"", "none-abc123"} {
		again := asKim(h, "POST", "/connect/device", h.deviceForm(d.UserCode, "answer", "allow", "reach", "project", "project", unchosen))
		expect.Equal(t, "a project "+unchosen, again.StatusCode, http.StatusUnprocessableEntity)
	}
	done := asKim(h, "POST", "/connect/device", h.deviceForm(d.UserCode, "answer", "allow", "reach", "project", "project", string(gameID)))
	expect.Equal(t, "it leads to", done.Header.Get("Location"), "/connect/done"+saidPlace)
	if cookie(t, done, connectCookie).MaxAge >= 0 {
		t.Error("the code stays in the browser")
	}
	expect.Equal(t, "which is", asKim(h, "GET", "/connect/done", "").StatusCode, http.StatusOK)
	tokens := must(h.cfg.OAuth.PollDevice(t.Context(), sandlot.Caller{}, d.Code, ""))(t)
	expect.Equal(t, "the terminal has", tokens.Scope+" "+string(tokens.Project), "project game-abc123")
	expect.Equal(t, "the code again", h.connect("", true, "code", d.UserCode).StatusCode, http.StatusGone)
}

func TestADeniedTerminalGetsNothing(t *testing.T) {
	t.Parallel()
	h := house(t)
	d := h.device("")
	denied := asKim(h, "POST", "/connect/device", h.deviceForm(d.UserCode, "answer", "deny"))
	expect.Equal(t, "it leads to", denied.Header.Get("Location"), "/connect/done"+saidPlace)
	_, err := h.cfg.OAuth.PollDevice(t.Context(), sandlot.Caller{}, d.Code, "")
	expect.Equal(t, "the terminal gets", err.Error()[:len("access_denied")], "access_denied")
}

// TestNoAddressFillsInACode: somebody else's link must not have a person approve with a press.
func TestNoAddressFillsInACode(t *testing.T) {
	t.Parallel()
	h := house(t)
	code := h.device("").UserCode
	for _, query := range []string{"?user_code=", "?code=", "/"} {
		if body := text(t, asKim(h, "GET", connectPath+query+code, "")); strings.Contains(body, code) {
			t.Errorf("%s shows %s", query, body)
		}
	}
	expect.Equal(t, "a question about another's project", strings.Contains(text(t, h.connect("", true, "code", h.device("other-abc123").UserCode)), " selected"), false)
}

func TestGuessesAtATerminalsCodeAreCounted(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.limits = admission.New(admission.Config{WrongKeys: admission.Rate{Count: 3, Per: time.Hour, Burst: 3}})
	for _, path := range []string{"", "/device", ""} {
		wrong := h.connect(path, true, "code", "BCDF-GHJK", "form_token", "x", "answer", "allow", "reach", "account")
		expect.Equal(t, "a wrong one", wrong.StatusCode, http.StatusGone)
	}
	expect.Equal(t, "a fourth", h.connect("", true, "code", "BCDF-GHJL").StatusCode, http.StatusTooManyRequests)
	expect.Equal(t, "a right one", h.connect("", true, "code", h.device("").UserCode).StatusCode, http.StatusTooManyRequests)
}

func TestGrantsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	h := house(t)
	c := h.program("Kite", clientBack)
	tokens := h.grant(c, h.owner("kim"), gameID)
	listed := regexp.MustCompile(`(?s)id="grants".*?<bdi>Kite</bdi>.*?/p/game-abc123.*?name="id" value="(\d+)" aria-label="[^"]*Kite`).FindStringSubmatch(text(t, asKim(h, "GET", "/account/keys", "")))
	if listed == nil {
		t.Fatalf("the page is %s", text(t, asKim(h, "GET", "/account/keys", "")))
	}
	question := text(t, asKim(h, "GET", "/account/keys/revoke?id="+listed[1], ""))
	if !strings.Contains(question, "Kite") || !strings.Contains(question, `name="grant"`) {
		t.Errorf("the question is %s", question)
	}
	asKim(h, "POST", "/account/keys/revoke", "grant=true&id="+listed[1])
	if body := text(t, asKim(h, "GET", "/account/keys", "")); strings.Contains(body, "Kite") {
		t.Errorf("afterwards the page is %s", body)
	}
	_, err := h.cfg.OAuth.Refresh(t.Context(), sandlot.Caller{}, oauth.RefreshInput{Token: tokens.Refresh, ClientID: c.ID})
	if err == nil {
		t.Error("its tokens work")
	}
}

// TestAWindowOfConsentStaysWithItsOpener, through the login: a website that waits for the window would take it for closed.
func TestAWindowOfConsentStaysWithItsOpener(t *testing.T) {
	t.Parallel()
	h := house(t)
	target := asks(h.program("Kite", clientBack))
	opener := func(path, cookie string) string {
		return request(h, "GET", path, "", "Cookie", cookie, "Sec-Fetch-Site", "cross-site").Header.Get("Cross-Origin-Opener-Policy")
	}
	expect.Equal(t, "another page", opener("/docs", cookieName+"=kim"), "same-origin")
	expect.Equal(t, "another login", opener("/login", "x=y"), "same-origin")
	expect.Equal(t, "the question", opener(target, cookieName+"=kim"), "unsafe-none")
	expect.Equal(t, "the way to its login", opener(target, "x=y"), "unsafe-none")
	for _, path := range []string{"/login", "/login/code"} {
		expect.Equal(t, "its login at "+path, opener(path, consentCookie+"=client_id=x"), "unsafe-none")
	}
}
