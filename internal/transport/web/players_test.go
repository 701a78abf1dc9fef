package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/testkit/expect"
)

// brought are rows of boards, with difficult names.
var brought = []boards.Row{
	{Player: "aaaaaaaaaa", Name: "Mia", Score: 128_400.5},
	{Player: "bbbbbbbbbb", Name: `<b>"Jörg" & Söhne`, Score: 120_000},
	{Player: "cccccccccc", Score: 99_000},
	{Player: "dddddddddd", Name: "雪だるま", Score: 98_500},
	{Player: "eeeeeeeeee", Name: "عبد الرحمن 2!", Score: 90_000},
	{Player: "ffffffffff", Name: strings.Repeat("W", 20), Score: 80_000},
	{Player: "gggggggggg", Name: "theo_1998", Score: 70_000},
	{Player: "hhhhhhhhhh", Name: "https://a.example", Score: 100},
	{Player: "jjjjjjjjjj", Name: "Ada", Score: -3},
	{Player: "kkkkkkkkkk", Name: "Noor", Score: -4},
	{Player: "mmmmmmmmmm", Name: "Last", Score: -1e20},
}

// brings adds a board to kim's project.
func (w *world) brings(board string) { w.bringsTo(w.kim.project, boards.Board{Name: board}) }

func (w *world) bringsTo(id sandlot.ProjectID, b boards.Board) {
	w.t.Helper()
	b.MinSeconds, b.CreatedAt, b.MovedAt = boards.MinSeconds, w.now(), w.now()
	var rows []boards.Row
	for _, r := range brought {
		r.At, r.Seen = w.now(), w.now()
		rows = append(rows, r)
	}
	expect.OK(w.t, w.in.DB.Boards().Bring(w.t.Context(), id, b, rows, 0))
}

// toldTo sends a message to a project, and returns its number.
func (w *world) toldTo(id sandlot.ProjectID, text string) string {
	w.t.Helper()
	m := faults.NewMessage{Version: 1, Text: text, Token: hash(text), At: w.now()}
	expect.OK(w.t, w.in.DB.Faults().AddMessage(w.t.Context(), id, m, 5))
	return w.in.Query("SELECT max(id) FROM feedback")[0]
}

// remembered adds boards, messages and errors to harbor, and fills almost all of its players' room.
func (e *exhibition) remembered() {
	e.t.Helper()
	e.bringsTo(harbor, boards.Board{Name: "speedrun-of-the-long-way-home", Ascending: true})
	e.bringsTo(harbor, boards.Board{Name: boards.Default})
	e.bringsTo("long-q7w2e5", boards.Board{Name: boards.Default})
	e.in.Exec("UPDATE player_totals SET held = 220 * 1024 * 1024 WHERE project = (SELECT num FROM projects WHERE id = ?)", string(harbor))
	e.toldTo(harbor, "Love it! The third level is too hard. Can you add a pause key?")
	e.toldTo(harbor, arabicWords[:120]+" https://evil.example/"+strings.Repeat("x", 80))
	for i := range messagesShown {
		e.toldTo(harbor, fmt.Sprint("Level ", i, "?"))
	}
	var list []faults.Counted
	for i, g := range []faults.Group{
		{Kind: "error", Message: "Uncaught TypeError: Cannot read properties of undefined (reading 'x') <img src=x>", Place: "game.js:120:17", Stack: "TypeError: x\n    at step (game.js:120:17)\n    at loop (game.js:88:3)", Browsers: map[string]int64{"chrome": 40, "firefox": 3, "other": 1}, Count: 44},
		{Kind: "resource", Message: "Not loaded: audio", Place: longName, Browsers: map[string]int64{"safari": 2}, Count: 2},
		{Kind: "webgl", Message: "The WebGL context was lost.", Browsers: map[string]int64{"edge": 1}, Count: 1},
	} {
		g.Version, g.FirstAt, g.LastAt = 22, e.now().Add(-time.Hour), e.now()
		list = append(list, faults.Counted{Project: harbor, Hash: hash(fmt.Sprint(i)), Group: g})
	}
	expect.OK(e.t, e.in.DB.Faults().AddFaults(e.t.Context(), list))
}

// asOwner requests a page as kim.
func (w *world) asOwner(target string) *http.Response {
	return request(w, "GET", target, "", "Cookie", cookieName+"="+w.kim.session)
}

func TestAProjectsPageShowsItsBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := w.path("/p/{id}")
	if body := text(t, request(w, "GET", at, "")); strings.Contains(body, "board-shown") || !strings.Contains(body, `class="board late"`) || !strings.Contains(body, "data-tell") {
		t.Errorf("without a score: %s", body)
	}
	expect.Equal(t, "page of a missing board", request(w, "GET", at+"/board", "").StatusCode, http.StatusNotFound)
	expect.Equal(t, "part of a missing board", request(w, "GET", at+"/board?bare", "").StatusCode, http.StatusNoContent)
	w.brings("main")
	w.later(2 * time.Second)
	body := text(t, request(w, "GET", at, ""))
	for _, want := range []string{
		`<th scope="row"><span class="who"><bdi>Mia</bdi></span></th><td>128,400.5</td>`, "&lt;b&gt;&#34;Jörg&#34; &amp; Söhne", "<bdi>No name</bdi>", "11 players", "Unverified", `aria-current="true">All time`, "data-player",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, never := range []string{"Last", "<b>", `href="https://a.example`, "board-names"} {
		if strings.Contains(body, never) {
			t.Errorf("the page has %s", never)
		}
	}
	w.brings("speedrun")
	w.later(2 * time.Second)
	if body := text(t, request(w, "GET", at, "")); !strings.Contains(body, `<option value="main" selected>Main</option><option value="speedrun">`) {
		t.Errorf("there is no choice of two boards: %s", body)
	}
}

func TestAPlayerIsShownByItsID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.brings("main")
	at := w.path("/p/{id}/board?bare&board=main&period=")
	first := text(t, request(w, "GET", at+"all&you=aaaaaaaaaa", ""))
	if !strings.Contains(first, `<tr class="mine" aria-current="true"><td>1</td>`) || strings.Contains(first, "<tfoot>") || !strings.Contains(first, "You’re number 1 of 11.") {
		t.Errorf("the first: %s", first)
	}
	last := text(t, request(w, "GET", at+"all&you=mmmmmmmmmm", ""))
	if !strings.Contains(last, `<tfoot><tr class="mine" aria-current="true"><td>11</td>`) || !strings.Contains(last, "-1e&#43;20") {
		t.Errorf("the last: %s", last)
	}
	for _, you := range []string{"", "nobody", url.QueryEscape(`"><script>`)} {
		if body := text(t, request(w, "GET", at+"week&you="+you, "")); strings.Contains(body, "mine") || strings.Contains(body, "<script>") {
			t.Errorf("%q: %s", you, body)
		}
	}
	if body := text(t, request(w, "GET", at+"never&board=none", "")); !strings.Contains(body, `data-board="main" data-period="all"`) {
		t.Errorf("an unknown board and period: %s", body)
	}
}

func TestABoardIsAPageWithoutScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.brings("main")
	resp := request(w, "GET", w.path("/p/{id}/board?period=today"), "")
	body := text(t, resp)
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, "<h1>Leaderboard</h1>") || !strings.Contains(body, w.path(`href="/p/{id}"`)) || !strings.Contains(body, w.path(`href="/p/{id}/board?board=main&amp;period=week"`)) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	expect.Equal(t, "in search engines", resp.Header.Get("X-Robots-Tag"), "noindex")
	expect.Equal(t, "a missing project", request(w, "GET", "/p/none-abc123/board", "").StatusCode, http.StatusNotFound)
}

func TestWithoutARuntimeAPageHasNothingOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.brings("main")
	left := func() string {
		w.later(2 * time.Second)
		body := text(t, request(w, "GET", w.path("/p/{id}"), ""))
		var has []string
		for _, part := range []string{"board-shown", "data-player", "data-tell", "js/board.js"} {
			if strings.Contains(body, part) {
				has = append(has, part)
			}
		}
		return strings.Join(has, " ")
	}
	expect.Equal(t, "on", left(), "board-shown data-player data-tell js/board.js")
	for _, c := range []struct{ to, want string }{{"read", "board-shown js/board.js"}, {"off", ""}} {
		expect.Equal(t, c.to, w.send(w.path("/account/projects/{id}/runtime"), url.Values{"runtime": {c.to}}).StatusCode, http.StatusSeeOther)
		expect.Equal(t, c.to, left(), c.want)
		expect.Equal(t, c.to+": the form", request(w, "GET", w.path("/p/{id}/message"), "").StatusCode, http.StatusNotFound)
	}
	expect.Equal(t, "page of the board", request(w, "GET", w.path("/p/{id}/board"), "").StatusCode, http.StatusNotFound)
	expect.Equal(t, "the owner sees it", w.asOwner(w.path("/account/projects/{id}/boards/main")).StatusCode, http.StatusOK)
	w.change(func(c *Config) { c.Players, c.Boards, c.Faults = nil, nil, nil })
	expect.Equal(t, "without the services", left(), "")
	expect.Equal(t, "the owner's page", w.asOwner(w.path("/account/projects/{id}/players")).StatusCode, http.StatusNotFound)
	if body := text(t, w.asOwner(w.path("/account/projects/{id}"))); strings.Contains(body, "/players\"") {
		t.Error("a tab leads to a missing page")
	}
}

func TestAMessageReachesTheCreator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := w.path("/p/{id}/message")
	say := func(words string, header ...string) *http.Response {
		return request(w, "POST", at, url.Values{"text": {words}}.Encode(), append(header, "Sec-Fetch-Site", "same-origin")...)
	}
	resp := say("<b>Well done</b> https://a.example")
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != w.path("/p/{id}#said") {
		t.Errorf("it is %d to %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	if got := text(t, say("Again", "Accept", "application/json")); got != `{"ok":true}` {
		t.Errorf("a script gets %s", got)
	}
	for words, why := range map[string]string{" ": "blank", strings.Repeat("x", faults.MaxFeedback+1): "long"} {
		resp := say(words)
		if body := text(t, resp); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, ">"+words+"</textarea>") || !strings.Contains(body, "1 to 280 characters") {
			t.Errorf("%s: %d %s", why, resp.StatusCode, body)
		}
	}
	expect.Equal(t, "from another site", request(w, "POST", at, "text=x", "Sec-Fetch-Site", "cross-site").StatusCode, http.StatusForbidden)
	body := text(t, w.asOwner(w.path("/account/projects/{id}/players")))
	if !strings.Contains(body, "&lt;b&gt;Well done&lt;/b&gt; https://a.example</p>") || !strings.Contains(body, ">Again</p>") || strings.Contains(body, `href="https://a.example`) {
		t.Errorf("its creator sees %s", body)
	}
	if n := len(w.in.Query("SELECT id FROM feedback")); n != 2 {
		t.Errorf("%d messages are kept", n)
	}
}

func TestOwnersSeeBoardsMessagesAndErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.brings("main")
	at := w.path("/account/projects/{id}/players")
	body := text(t, w.asOwner(at))
	if !strings.Contains(body, "/boards/main\"><bdi class=\"left-name\">Main</bdi></a>") || strings.Contains(body, "own-note") || !strings.Contains(body, "No messages yet.") {
		t.Errorf("the page is %s", body)
	}
	w.in.Exec("UPDATE player_totals SET held = 220 * 1024 * 1024")
	if body := text(t, w.asOwner(at)); !strings.Contains(body, "Players’ data fills 85% of its room") {
		t.Errorf("there is no warning: %s", body)
	}
	group := faults.Group{Version: 1, Kind: "rejection", Message: "<script>alert(1)</script>", Browsers: map[string]int64{"chrome": 2, "firefox": 3}, Count: 5, FirstAt: w.now(), LastAt: w.now()}
	expect.OK(t, w.in.DB.Faults().AddFaults(t.Context(), []faults.Counted{{Project: w.kim.project, Hash: hash("x"), Group: group}}))
	if body := text(t, w.asOwner(at+"?version=1")); !strings.Contains(body, "&lt;script&gt;alert(1)&lt;/script&gt;") || !strings.Contains(body, "Firefox 3 · Chrome 2") || !strings.Contains(body, "5 times") {
		t.Errorf("the errors of a version are %s", body)
	}
	if body := text(t, w.asOwner(at)); strings.Contains(body, "alert(1)") {
		t.Error("the errors of another version are shown")
	}
}

func TestAnOwnerKeepsABoardInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.brings("main")
	at := "/account/projects/{id}/boards/main"
	rows := func() string {
		return strings.Join(w.in.Query("SELECT y.id FROM scores s JOIN players y ON y.num = s.player WHERE s.period = 0 ORDER BY sort"), " ")
	}
	all := rows()
	expect.Equal(t, "a row is removed", w.send(w.path(at+"/remove"), url.Values{"player": {"bbbbbbbbbb"}}).StatusCode, http.StatusSeeOther)
	expect.Equal(t, "without it", rows(), strings.Replace(all, "bbbbbbbbbb ", "", 1))
	asked := text(t, w.asOwner(w.path(at)+"/refuse?player=aaaaaaaaaa&name=Mia"))
	if !strings.Contains(asked, "Refuse \u2068Mia\u2069?") || !strings.Contains(asked, `name="player" value="aaaaaaaaaa"`) {
		t.Errorf("it asks %s", asked)
	}
	expect.Equal(t, "a player is refused", w.send(w.path(at+"/refuse"), url.Values{"player": {"aaaaaaaaaa"}}).StatusCode, http.StatusSeeOther)
	expect.Equal(t, "without the player", strings.Contains(rows(), "aaaaaaaaaa"), false)
	expect.Equal(t, "a bound is set", w.send(w.path(at), url.Values{"min": {"-3,5"}, "max": {""}, "min_seconds": {"60"}}).StatusCode, http.StatusSeeOther)
	expect.Equal(t, "rows within it", strings.HasSuffix(rows(), "jjjjjjjjjj"), true)
	if body := text(t, w.asOwner(w.path(at))); !strings.Contains(body, `name="min" inputmode="decimal" dir="ltr" autocomplete="off" maxlength="40" value="-3.5"`) || !strings.Contains(body, `value="60"`) {
		t.Errorf("the page has %s", body)
	}
	expect.Equal(t, "it is emptied", w.send(w.path(at+"/reset"), url.Values{}).StatusCode, http.StatusSeeOther)
	if body := text(t, w.asOwner(w.path(at))); !strings.Contains(body, "0 players") || !strings.Contains(body, "No scores in this period yet") {
		t.Errorf("an empty board is %s", body)
	}
	expect.Equal(t, "it is deleted", w.send(w.path(at+"/delete"), url.Values{}).StatusCode, http.StatusSeeOther)
	expect.Equal(t, "afterwards", w.asOwner(w.path(at)).StatusCode, http.StatusNotFound)
}

func TestABoundIsOneNumber(t *testing.T) {
	t.Parallel()
	for _, n := range []float64{0, 1000, -1.5, 1.234, -12.345, 0.125, 1234.567, 1e20} {
		if got, ok := bound(" " + written(&n)); !ok || *got != n {
			t.Errorf("%v is written as %s, and read as %v", n, written(&n), got)
		}
	}
	for _, text := range []string{"1,000", "1.000", "-999,999", "1,000,000", "1 000", "ten", "NaN", "1e999"} {
		if _, ok := bound(text); ok {
			t.Errorf("%s is read as a number", text)
		}
	}
	if n, ok := bound("-3,5"); !ok || *n != -3.5 {
		t.Errorf("-3,5 is read as %v", n)
	}
	w := newWorld(t)
	w.brings("main")
	resp := w.send(w.path("/account/projects/{id}/boards/main"), url.Values{"min": {"1,000"}, "max": {""}, "min_seconds": {"5"}})
	expect.Equal(t, "status", resp.StatusCode, http.StatusUnprocessableEntity)
	expect.Contains(t, "page", text(t, resp), "such as 1000 or 2.5")
	expect.Equal(t, "rows", len(w.in.Query("SELECT player FROM scores WHERE period = 0")), len(brought))
}

func TestTheHomePageHasBoardsToBeat(t *testing.T) {
	t.Parallel()
	w := house(t)
	if body := text(t, request(w, "GET", "/", "")); strings.Contains(body, "row-beat") {
		t.Error("there is a row without a board")
	}
	w.bringsTo(gameID, boards.Board{Name: "main"})
	w.later(10 * time.Second)
	_, beat, ok := strings.Cut(text(t, request(w, "GET", "/", "")), `id="row-beat"`)
	if !ok || !strings.Contains(beat, "Best: 128,400.5 by <bdi>Mia</bdi>") {
		t.Errorf("the row is %s", beat)
	}
	w.later(48 * time.Hour)
	if body := text(t, request(w, "GET", "/", "")); strings.Contains(body, "row-beat") {
		t.Error("the board of another day is there")
	}
}

func TestAVisitorsTokenCanSendAMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := must(w.gallery.MintPlayerToken(t.Context(), sandlot.Caller{}))(t)
	if _, ok := players.HashToken(w.kim.project, token); !ok {
		t.Error("the token of a visitor is not valid for a player")
	}
}
