package web

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/web/moderation"
)

// A bureau is a world in which kim is a moderator, and lee's project is reported.
type bureau struct {
	*world
	lees sandlot.ProjectID
}

func newBureau(t *testing.T, opts ...testworld.Option) *bureau {
	t.Helper()
	w := newWorld(t, opts...)
	b := &bureau{w, w.lee.project}
	b.role("kim", "moderator")
	b.report(b.lees, "deceptive", "It asks for my <b>password</b>.")
	return b
}

func (w *world) role(handle, role string) {
	w.t.Helper()
	w.in.Exec("UPDATE accounts SET role = ? WHERE handle = ?", role, handle)
}

// report sends a report as somebody does.
func (w *world) report(id sandlot.ProjectID, why, details string) {
	w.t.Helper()
	ctx := w.t.Context()
	_, token, err := w.cfg.Reports.Reportable(ctx, sandlot.Caller{}, id)
	expect.OK(w.t, err)
	must(w.cfg.Reports.Report(ctx, sandlot.Caller{}, operate.NewReport{Project: id, Reason: why, Details: details, FormToken: token}))(w.t)
}

// asModerator sends a request from kim's browser.
func (b *bureau) asModerator(method, target, form string) *http.Response {
	return request(b.world, method, target, form, "Cookie", cookieName+"="+b.kim.session, "Sec-Fetch-Site", "same-origin")
}

func (b *bureau) page(target string) string {
	b.t.Helper()
	resp := b.asModerator("GET", target, "")
	expect.Equal(b.t, target, resp.StatusCode, http.StatusOK)
	return text(b.t, resp)
}

var targets = regexp.MustCompile(`name="target" value="([^"]+)"`)

// target returns the value of the first target on a page.
func (b *bureau) target(page string) string {
	b.t.Helper()
	found := targets.FindStringSubmatch(page)
	if found == nil {
		b.t.Fatalf("there is no target: %s", page)
	}
	return html.UnescapeString(found[1])
}

func order(action string, targets ...string) string {
	return url.Values{"action": {action}, "target": targets}.Encode()
}

// suspended reports whether others find a project taken down.
func (w *world) suspended(id sandlot.ProjectID) bool {
	w.t.Helper()
	return must(w.db.Publish().Project(w.t.Context(), id))(w.t).Suspended
}

// TestTheDeskIsForModerators walks its routes: strangers log in and come back, other accounts find nothing, and an old login is proved again.
func TestTheDeskIsForModerators(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	n := 0
	for _, r := range b.routes {
		if r.access != moderator {
			continue
		}
		n++
		target := strings.ReplaceAll(r.path, "{id}", string(b.lees))
		query := "?hold=1&file=index.html"
		answer := func(session string) *http.Response {
			return request(b.world, r.method, target+query, "x=1", "Cookie", cookieName+"="+session, "Sec-Fetch-Site", "same-origin",
				"Referer", "https://example.com/desk/"+string(b.lees)+"?hold=1")
		}
		back := "/login?to=" + url.QueryEscape(target+query)
		if r.method != "GET" {
			back = "/login?to=" + url.QueryEscape("/desk/"+string(b.lees)+"?hold=1")
		}
		if resp := answer("nobody"); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != back {
			t.Errorf("%s %s as nobody: %d to %q", r.method, target, resp.StatusCode, resp.Header.Get("Location"))
		}
		if resp := answer(b.lee.session); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s %s without the role: %d", r.method, target, resp.StatusCode)
		}
		if resp := answer(b.kim.session); resp.StatusCode == http.StatusNotFound || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s as a moderator: %d, %q", r.method, target, resp.StatusCode, resp.Header.Get("Cache-Control"))
		}
		for _, since := range []time.Duration{desk.LoginAge, -desk.LoginAge} {
			b.later(since)
			if resp := answer(b.kim.session); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != back {
				t.Errorf("%s %s after %v: %d to %q", r.method, target, since, resp.StatusCode, resp.Header.Get("Location"))
			}
			b.later(-since)
		}
		b.role("kim", "operator")
		if resp := answer(b.kim.session); resp.StatusCode == http.StatusNotFound {
			t.Errorf("%s %s as the operator: %d", r.method, target, resp.StatusCode)
		}
		b.role("kim", "")
		if resp := answer(b.kim.session); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s %s once the role is lost: %d", r.method, target, resp.StatusCode)
		}
		b.role("kim", "moderator")
	}
	if n < 8 {
		t.Errorf("the desk has %d routes", n)
	}
}

func TestTheQueueShowsWhatWaits(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	b.add(gameID, publish.NewProject{Account: b.lee.account.ID, Title: hostile})
	b.later(time.Minute)
	b.report(gameID, "malware", "")
	b.in.Exec("INSERT INTO sightings (host, service, found_at, checked_at) VALUES ('example.net', 'urlhaus', 1, 2)")
	page := b.page("/desk")
	for _, want := range []string{
		`href="/desk/` + string(b.lees) + `"`, "&lt;script&gt;&#34;pong&#34;", "malware", "deceptive", "@lee", "email confirmed", "Reports: 1",
		"example.net is on a list of harmful sites: urlhaus",
		`src="/desk/game-abc123/picture"`, `dir="auto"`, "(2)",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the queue lacks %q", want)
		}
	}
	if strings.Index(page, string(b.lees)) > strings.Index(page, "game-abc123") {
		t.Error("the newer one stands first")
	}
	if strings.Contains(text(t, request(b.world, "GET", "/account", "", "Cookie", cookieName+"="+b.lee.session)), `href="/desk"`) {
		t.Error("the menu of another account has the desk")
	}
}

func TestACaseShowsReportsAndSourceAsText(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	at := "/desk/" + string(b.lees)
	page := b.page(at)
	for _, want := range []string{`desk-reason">deceptive<`, "It asks for my &lt;b&gt;password&lt;/b&gt;.", "Written by strangers", "a.js", "index.html", at + "/source?file=a.js"} {
		if !strings.Contains(page, want) {
			t.Errorf("the case lacks %q", want)
		}
	}
	if strings.Contains(page, "<iframe") {
		t.Error("the page is shown before a press")
	}
	source := b.page(at + "/source?file=index.html")
	if !strings.Contains(source, `<span class="line" id="L1">&lt;!doctype html&gt;&lt;p&gt;lee`) {
		t.Errorf("the source is %s", source)
	}
	for _, target := range []string{at + "/source?file=none", "/desk/none-abc123", "/desk/none-abc123/source?file=a"} {
		expect.Equal(t, target, b.asModerator("GET", target, "").StatusCode, http.StatusNotFound)
	}
}

func TestASourceIsBoundedAndShowsMisleadingCharacters(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	put := func(name, content string) {
		files := []testworld.File{{Name: name, Content: b.stage(content)}}
		expect.OK(t, testworld.PutFiles(t.Context(), b.service, b.owner(b.lee.session), b.lees, files, publish.Form{Token: name}))
	}
	put("long.txt", strings.Repeat("ab\n", moderation.MaxSource))
	put("lines.txt", strings.Repeat("\n", moderation.MaxLines+1))
	put("turned.txt", "x\u202ey\u2066z")
	put("bytes.bin", "a\x00b")
	source := func(name string) string { return b.page("/desk/" + string(b.lees) + "/source?file=" + name) }
	if page := source("long.txt"); len(page) > 2<<20 || !strings.Contains(page, "Only the start") {
		t.Errorf("the long one takes %d bytes", len(page))
	}
	if page := source("lines.txt"); strings.Count(page, `class="line"`) != moderation.MaxLines || !strings.Contains(page, "Only the start") {
		t.Errorf("it has %d lines", strings.Count(page, `class="line"`))
	}
	if page := source("turned.txt"); !strings.Contains(page, "x\ufffdy\ufffdz") {
		t.Error("letters are turned around")
	}
	if page := source("bytes.bin"); strings.Contains(page, `class="line"`) || !strings.Contains(page, "isn’t text") {
		t.Error("bytes are shown as text")
	}
}

// TestThePageIsFramedAfterAPressOnItsOwnOriginAlone: the policy of the desk names that origin and nothing else.
func TestThePageIsFramedAfterAPressOnItsOwnOriginAlone(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	at := "/desk/" + string(b.lees)
	frames := regexp.MustCompile(`frame-src ([^;]+);`)
	policy := func(resp *http.Response) string {
		return frames.FindStringSubmatch(resp.Header.Get("Content-Security-Policy"))[1]
	}
	for _, target := range []string{"/desk", at, at + "/source?file=index.html", at + "?hold=1"} {
		expect.Equal(t, target, policy(b.asModerator("GET", target, "")), "'none'")
	}
	b.suspend(b.lees)
	resp := b.asModerator("POST", at+"/page", "")
	expect.Equal(t, "status", resp.StatusCode, http.StatusOK)
	found := regexp.MustCompile(`<iframe class="desk-frame" src="(https://[a-z0-9-]+\.example\.net)/" [^>]*sandbox="allow-scripts" referrerpolicy="no-referrer"`).FindStringSubmatch(text(t, resp))
	if found == nil || policy(resp) != found[1] {
		t.Fatalf("the frame is %q, and the policy frames %q", found, policy(resp))
	}
	label := strings.TrimSuffix(strings.TrimPrefix(found[1], "https://"), ".example.net")
	if p, err := b.cfg.Desk.Framed(t.Context(), sandlot.Caller{}, label); err != nil || p.ID != b.lees {
		t.Errorf("the label frames %q: %v", p.ID, err)
	}
	if resp := b.asModerator("GET", at+"/page", ""); resp.Header.Get("Location") != at {
		t.Errorf("its address leads to %q", resp.Header.Get("Location"))
	}
}

func TestADecisionIsMadeOnceAndUndone(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	form := order("take-down", b.target(b.page("/desk")))
	resp := b.asModerator("POST", "/desk", form)
	to := resp.Header.Get("Location")
	if resp.StatusCode != http.StatusSeeOther || !regexp.MustCompile(`^/desk\?undo=\d+#said$`).MatchString(to) || !b.suspended(b.lees) {
		t.Fatalf("%d to %q, suspended: %v", resp.StatusCode, to, b.suspended(b.lees))
	}
	if again := b.asModerator("POST", "/desk", form); again.Header.Get("Location") != to {
		t.Errorf("the same form again: %d to %q", again.StatusCode, again.Header.Get("Location"))
	}
	var said string
	for _, c := range resp.Cookies() {
		if c.Name == saidCookie {
			said = c.Value
		}
	}
	bar := func(cookie string) string {
		return text(t, request(b.world, "GET", strings.TrimSuffix(to, "#said"), "", "Cookie", cookieName+"="+b.kim.session+cookie))
	}
	if page := bar("; " + saidCookie + "=" + said); !strings.Contains(page, "Taken down: 1") || !strings.Contains(page, `class="desk-undo"`) {
		t.Error("there is no bar to undo it")
	}
	if strings.Contains(bar(""), `class="desk-undo"`) {
		t.Error("an address alone offers to undo")
	}
	undo := "decision=" + strings.TrimSuffix(strings.TrimPrefix(to, "/desk?undo="), "#said")
	for range 2 { // also sent twice
		if resp := b.asModerator("POST", "/desk/undo", undo); resp.StatusCode != http.StatusSeeOther || b.suspended(b.lees) {
			t.Errorf("undone: %d, suspended: %v", resp.StatusCode, b.suspended(b.lees))
		}
	}
}

// TestOfTwoDecisionsTheSecondIsTold, and changes nothing.
func TestOfTwoDecisionsTheSecondIsTold(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	b.role("lee", "")
	other := b.person("mia")
	b.role("mia", "moderator")
	at := "/desk/" + string(b.lees)
	seen := b.target(b.page(at))
	by := must(b.in.Callers.Identify(t.Context(), sandlot.Presented{Session: other.session}, sandlot.Sender{}))(t)
	must(b.cfg.Desk.Decide(t.Context(), by, desk.Order{Action: desk.Hold, Reason: "deceptive", Targets: []desk.Target{{Project: b.lees}}}))(t)
	for _, from := range []string{"", "&case=" + string(b.lees)} {
		resp := b.asModerator("POST", "/desk", order("take-down-account", seen)+from)
		if page := text(t, resp); resp.StatusCode != http.StatusConflict || !strings.Contains(page, "<bdi>@mia</bdi> already decided") || !strings.Contains(page, "Hold") {
			t.Errorf("from %q: %d: %s", from, resp.StatusCode, page)
		}
	}
	if b.suspended(b.lees) {
		t.Error("the second decision was made")
	}
}

func TestABadDecisionChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	b.report(b.kim.project, "other", "")
	own, target := string(b.kim.project)+" 0 ", b.target(b.page("/desk"))
	before := b.written()
	for name, c := range map[string]struct{ form, says string }{
		"nothing chosen":    {order("hold"), "Choose at least one project"},
		"their own project": {order("dismiss", own), "can’t decide about this"},
		"among others":      {order("hold", target, own), "can’t decide about this"},
		"another decision":  {order("promote", target), "from the list"},
		"another reason":    {order("hold", target) + "&reason=boredom", "from the list"},
		"too many words":    {order("hold", target) + "&text=" + strings.Repeat("x", desk.MaxText+1), "too long"},
	} {
		resp := b.asModerator("POST", "/desk", c.form)
		if page := text(t, resp); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, c.says) {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
	if got := b.asModerator("POST", "/desk/"+string(b.lees)+"/note", "text=+"); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("an empty note: %d", got.StatusCode)
	}
	expect.Equal(t, "what was written", b.written(), before)
	if page := b.page("/desk/" + string(b.kim.project)); strings.Contains(page, `class="desk-bar"`) {
		t.Error("their own case offers decisions")
	}
}

func TestANoteIsForModerators(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	at := "/desk/" + string(b.lees)
	if resp := b.asModerator("POST", at+"/note", "text=seen+<i>before"); resp.Header.Get("Location") != at+"#said" {
		t.Errorf("it leads to %q", resp.Header.Get("Location"))
	}
	if page := b.page(at); !strings.Contains(page, "seen &lt;i&gt;before") {
		t.Error("the case lacks the note")
	}
}

// TestTheLinkOfAMessageHoldsWithOneButton: the link to a project that is down, or held by a moderator, leads to the case.
func TestTheLinkOfAMessageHoldsWithOneButton(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	at := "/desk/" + string(b.lees)
	page := b.page(at + "?hold=1")
	if !strings.Contains(page, "Hold it now") || strings.Count(page, `action="/desk"`) != 1 {
		t.Fatalf("it shows %s", page)
	}
	resp := b.asModerator("POST", "/desk", order("hold", b.target(page))+"&case="+string(b.lees))
	expect.Equal(t, "status", resp.StatusCode, http.StatusSeeOther)
	p := must(b.db.Publish().Project(t.Context(), b.lees))(t)
	expect.Equal(t, "rule", p.Held.Rule, sandlot.HeldModerator)
	if resp := b.asModerator("GET", at+"?hold=1", ""); resp.Header.Get("Location") != at {
		t.Errorf("then it leads to %q", resp.Header.Get("Location"))
	}
}

func TestTheScreenshotIsForModeratorsAlsoWhileItIsDown(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	resp := b.asModerator("GET", "/desk/"+string(b.lees)+"/picture", "")
	if got := text(t, resp); resp.Header.Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(got, "<svg") {
		t.Errorf("without one it is %q", got)
	}
	picture := b.stage("\xff\xd8\xff a picture")
	shot := cover.Fresh{ID: sandlot.JPEGPicture + "shot", Sizes: map[int]sandlot.Blob{640: picture.Blob}}
	expect.OK(t, b.db.Covers().Shoot(t.Context(), b.lees, 3, shot, b.now()))
	b.suspend(b.lees)
	resp = b.asModerator("GET", "/desk/"+string(b.lees)+"/picture", "")
	if got := text(t, resp); resp.Header.Get("Content-Type") != "image/jpeg" || !strings.HasSuffix(got, "a picture") || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("it is %q: %v", got, resp.Header)
	}
}

func TestAnAppealExplainsWhyAProjectIsNotShown(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	b.cfg.Contact = "mailto:help@example.org"
	b.change(func(*Config) {})
	at := "/appeal/" + string(b.lees)
	look := func(session string) (int, string) {
		resp := request(b.world, "GET", at, "", "Cookie", cookieName+"="+session)
		return resp.StatusCode, text(t, resp)
	}
	if status, _ := look(""); status != http.StatusNotFound {
		t.Errorf("an untroubled project is %d", status)
	}
	expect.Equal(t, "an unknown one", request(b.world, "GET", "/appeal/none-abc123", "").StatusCode, http.StatusNotFound)
	for rule, says := range map[sandlot.Rule]string{
		sandlot.HeldFields: "ask for a password", sandlot.HeldReports: "several people", sandlot.HeldJudge: "automatic check", sandlot.HeldModerator: "a moderator",
	} {
		b.in.Exec("UPDATE projects SET hold = ?, hold_at = 1, hold_end = 0 WHERE id = ?", string(rule), string(b.lees))
		status, page := look("")
		if status != http.StatusOK || !strings.Contains(page, says) || !strings.Contains(page, `href="mailto:help@example.org"`) || !strings.Contains(page, "/login?to=/appeal/") {
			t.Errorf("held by %s: %d: %s", rule, status, page)
		}
		if _, page := look(b.lee.session); !strings.Contains(page, "is yours") || strings.Contains(page, "Confirm your email") != (rule == sandlot.HeldFields) {
			t.Errorf("held by %s, its owner sees %s", rule, page)
		}
	}
	b.suspend(b.lees)
	if status, page := look(b.kim.session); status != http.StatusOK || !strings.Contains(page, "took it down") || strings.Contains(page, "is yours") {
		t.Errorf("taken down: %d: %s", status, page)
	}
}

func TestAnObjectionIsMadeOnceWithoutALogin(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	made := must(b.cfg.Desk.Decide(t.Context(), b.owner(b.kim.session), desk.Order{
		Action: desk.TakeDown, Reason: "deceptive", Text: "A <b>bank</b>", Targets: []desk.Target{{Project: b.lees}},
	}))(t)
	code := "the-code-of-a-message"
	digest := sandlot.DigestOf([]byte(code))
	b.in.Exec("UPDATE decisions SET code = ? WHERE id = ?", digest[:], made[0].ID)
	ask := func(code string) (*http.Response, string) {
		resp := request(b.world, "GET", "/object?code="+code, "")
		return resp, text(t, resp)
	}
	resp, page := ask(code)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(page, "A &lt;b&gt;bank&lt;/b&gt;") || !strings.Contains(page, "taken down") || !strings.Contains(page, `maxlength="2000"`) {
		t.Errorf("%d: %s", resp.StatusCode, page)
	}
	send := func(code, words string) int {
		form := url.Values{"code": {code}, "text": {words}}.Encode()
		return request(b.world, "POST", "/object", form, "Sec-Fetch-Site", "same-origin").StatusCode
	}
	expect.Equal(t, "no words", send(code, " "), http.StatusUnprocessableEntity)
	expect.Equal(t, "too many", send(code, strings.Repeat("あ", desk.MaxObjection+1)), http.StatusUnprocessableEntity)
	expect.Equal(t, "another code", send("other", "why"), http.StatusGone)
	expect.Equal(t, "sent", send(code, strings.Repeat("あ", desk.MaxObjection)), http.StatusOK)
	expect.Equal(t, "sent again", send(code, "more"), http.StatusGone)
	if resp, _ := ask(code); resp.StatusCode != http.StatusGone {
		t.Errorf("its link then is %d", resp.StatusCode)
	}
	if page := b.page("/desk/" + string(b.lees)); !strings.Contains(page, "The creator objects") || !strings.Contains(page, "ああ") {
		t.Error("the case lacks the objection")
	}
}

// moderator makes mizu one, with a session of that name.
func (w *world) moderator() {
	w.t.Helper()
	w.role("mizu", "moderator")
	w.session(w.accountOf("mizu"), "mizu")
}

// moderated is a world in which mizu has something to decide: an ordinary case, and the most difficult ones.
func (w *world) moderated() {
	w.t.Helper()
	w.moderator()
	for i, id := range []sandlot.ProjectID{harbor, "long-q7w2e5", "sand-c8d4f6", "light-h7d3k9", "untitled-b6n1v3", "tide-r5h2j9", suspended} {
		w.later(time.Hour)
		for n := range i + 1 {
			w.report(id, operate.Reasons()[n%len(operate.Reasons())], []string{"", "It asks for my bank’s password.", arabicWords, longTitle}[n%4])
		}
	}
	by := w.owner("mizu")
	expect.OK(w.t, w.cfg.Desk.Note(w.t.Context(), by, "long-q7w2e5", longTitle+" "+arabicWords))
	for _, action := range []desk.Action{desk.Hold, desk.TakeDown} {
		o := desk.Order{Action: action, Reason: "deceptive", Text: hebrewWords, Targets: []desk.Target{{Project: "long-q7w2e5"}}}
		must(w.cfg.Desk.Decide(w.t.Context(), by, o))(w.t)
	}
	w.report("long-q7w2e5", "malware", longLabel)
}

// contested is a world with a decision to which the code "contested" objects.
func (w *world) contested() {
	w.t.Helper()
	w.moderator()
	o := desk.Order{Action: desk.TakeDownAccount, Reason: "deceptive", Text: arabicWords, Targets: []desk.Target{{Project: "long-q7w2e5"}}}
	made := must(w.cfg.Desk.Decide(w.t.Context(), w.owner("mizu"), o))(w.t)
	digest := sandlot.DigestOf([]byte("contested"))
	w.in.Exec("UPDATE decisions SET code = ? WHERE id = ?", digest[:], made[0].ID)
}

// held is a world in which noor's project is held by a rule.
func held(rule sandlot.Rule) func(*world) {
	return func(w *world) {
		w.in.Exec("UPDATE projects SET hold = ?, hold_at = 1, hold_end = 0 WHERE id = 'sand-c8d4f6'", string(rule))
	}
}
