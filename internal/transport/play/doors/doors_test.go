package doors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

const token = "0123456789abcdef0123456789abcdef"

// A house is a Handler for a project of a world.
type house struct {
	*Handler
	*testworld.World
	project sandlot.Project
}

func newHouse(t *testing.T, limits *admission.Limits) *house {
	t.Helper()
	w := testworld.New(t)
	h := &house{World: w, project: w.PublishPage(testworld.Nobody(), "<!doctype html><title>one</title>").Project}
	h.Handler = New(Config{
		Players: w.Runtime.Players, Boards: w.Runtime.Boards, Faults: w.Runtime.Faults, Admission: limits, Base: "https://sandlot.example", Log: w.Log,
	})
	return h
}

// send sends a call of the project's own page. target is "METHOD name", and headers are given as "Name: value".
func (h *house) send(target, body string, headers ...string) *http.Response {
	r := request(target, strings.NewReader(body), headers...)
	w := httptest.NewRecorder()
	h.Serve(w, r, h.call(r))
	return w.Result()
}

func request(target string, body io.Reader, headers ...string) *http.Request {
	method, path, _ := strings.Cut(target, " ")
	r := httptest.NewRequest(method, "https://game.sandlot.example/.sandlot/"+path, body)
	r.Header.Set("X-Sandlot-Player", token)
	for _, one := range headers {
		name, value, _ := strings.Cut(one, ": ")
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
	}
	return r
}

func (h *house) call(r *http.Request) Call {
	return Call{Project: h.project, Name: strings.TrimPrefix(r.URL.Path, "/.sandlot/")}
}

// stamp returns the stamp of a stay of the player of a token that began a minute ago.
func (h *house) stamp(token string) string {
	hash, _ := players.HashToken(h.project.ID, token)
	return players.Stamp(h.Vault(), players.Visit{Project: h.project, Token: hash}, h.Now().Add(-time.Minute))
}

func text(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	expect.OK(t, err)
	return strings.TrimSuffix(string(b), "\n")
}

// refused checks that an answer is an error with all members.
func refused(t *testing.T, res *http.Response, status int, code sandlot.Code) refusal {
	t.Helper()
	var got refusal
	body := text(t, res)
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	if res.StatusCode != status || got.Status != status || got.Error != code || got.Reason != code || got.OK || got.Message == "" || got.Hint == "" {
		t.Errorf("%d %s, want %d %s", res.StatusCode, body, status, code)
	}
	if got.RetryAfter > 0 != (res.Header.Get("Retry-After") != "") {
		t.Errorf("Retry-After %q beside %s", res.Header.Get("Retry-After"), body)
	}
	if res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a cache may keep %s: %q", body, res.Header.Get("Cache-Control"))
	}
	return got
}

// changing matches the parts of answers that differ from run to run.
var changing = regexp.MustCompile(`"(id|player|since|code)":"[^"]+"`)

// TestEveryCallIsAnswered has calls of one player, in their order.
func TestEveryCallIsAnswered(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	const at = `"at":"2026-05-04T12:00:00Z"`
	const entry = `{"rank":1,"name":"\u003cb\u003e","score":-1500,"you":true,` + at + `,"player":*}`
	code := ""
	for _, c := range [][3]string{ // the call, its body, the answer
		{"GET player", "", `{"ok":true,"id":"","name":"","since":*}`},
		{"PATCH player", `{"name": "<b>"}`, `{"ok":true,"id":*,"name":"\u003cb\u003e","since":*}`},
		{"POST player/code", "", `{"code":*,"ok":true}`},
		{"POST player/resume", `{"code": "CODE"}`, `{"ok":true,"id":*,"name":"\u003cb\u003e","since":*}`},
		{"PUT saves/main", ` {"a": 1}`, `{"ok":true,"slot":"main","size":9,` + at + `}`},
		{"GET saves/main", "", ` {"a": 1}`},
		{"POST saves/main", `{"value": {"__proto__": 1}}`, `{"ok":true,"slot":"main","size":16,` + at + `}`},
		{"GET saves/main", "", `{"__proto__": 1}`},
		{"GET saves", "", `{"ok":true,"saves":[{"slot":"main","size":16,` + at + `}]}`},
		{"DELETE saves/main", "", `{"ok":true}`},
		{"GET saves", "", `{"ok":true,"saves":[]}`},
		{"PUT shared/a/b", `"x"`, `{"ok":true,"key":"a/b","size":3,` + at + `}`},
		{"GET shared/a%2Fb", "", `"x"`},
		{"GET shared?prefix=a%2F", "", `{"ok":true,"shared":[{"key":"a/b","size":3,` + at + `}]}`},
		{"DELETE shared/a/b", "", `{"ok":true}`},
		{"GET shared", "", `{"ok":true,"shared":[]}`},
		{
			"POST scores/main", `{"score": -1.5e3, "order": "asc", "since": "STAMP"}`,
			`{"ok":true,"board":"main","order":"asc","best":-1500,"improved":true,"rank":1,"of":1,"player":*}`,
		},
		{
			"GET scores/main", "", `{"ok":true,"board":"main","period":"all","order":"asc","entries":[` + entry + `],"of":1,"you":` + entry +
				`,"unverified":true,"untrusted":true}`,
		},
		{"POST errors", `{"errors": [{"kind": "error", "message": "x"}]}`, `{"ok":true}`},
		{"POST feedback", `{"text": "hi"}`, `{"ok":true}`},
	} {
		res := h.send(c[0], strings.NewReplacer("CODE", code, "STAMP", h.stamp(token)).Replace(c[1]))
		body := text(t, res)
		if c[0] == "POST player/code" {
			code = strings.Split(body, `"`)[3]
		}
		if masked := changing.ReplaceAllString(body, `"$1":*`); res.StatusCode != http.StatusOK || masked != c[2] {
			t.Errorf("%s: %d %s", c[0], res.StatusCode, masked)
		}
		header := res.Header
		if header.Get("Cache-Control") != "no-store" || header.Get("Cross-Origin-Resource-Policy") != "same-origin" ||
			header.Get("Access-Control-Allow-Origin") != "" || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v", c[0], header)
		}
		if name, reads := strings.CutPrefix(c[0], "GET "); reads {
			if head := h.send("HEAD "+name, ""); head.StatusCode != http.StatusOK || text(t, head) != "" || head.Header.Get("Content-Length") != header.Get("Content-Length") {
				t.Errorf("HEAD %s: %d", name, head.StatusCode)
			}
		}
	}
	expect.Same(t, "messages", h.Query("SELECT text FROM feedback"), []string{"hi"})
}

func TestTheQueryOfABoardIsRead(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	for i, name := range []string{"Ada", "Bob", "Eve"} {
		player := strings.Repeat(name, 12)
		body := fmt.Sprintf(`{"score": %d, "name": %q, "since": %q}`, 9-i, name, h.stamp(player))
		expect.Equal(t, "status", h.send("POST scores/fast", body, "X-Sandlot-Player: "+player).StatusCode, http.StatusOK)
	}
	for query, want := range map[string]string{
		"": "Ada Bob Eve", "?limit=1": "Ada", "?around=1&limit=1": "Eve", "?around=false&limit=2": "Ada Bob", "?period=week&limit=1": "Ada",
	} {
		var got struct {
			Period  string
			Entries []struct{ Name string }
		}
		expect.OK(t, json.Unmarshal([]byte(text(t, h.send("GET scores/fast"+query, "", "X-Sandlot-Player: "+strings.Repeat("Eve", 12)))), &got))
		var names []string
		for _, e := range got.Entries {
			names = append(names, e.Name)
		}
		expect.Equal(t, "entries of "+query, strings.Join(names, " "), want)
		expect.Equal(t, "week of "+query, got.Period == "week", strings.Contains(query, "week"))
	}
}

func TestErrorsOfAPageAreCounted(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	var list []string
	for i := range 20 {
		list = append(list, fmt.Sprintf(`{"kind": "error", "message": "x", "source": "a.js", "line": %d}`, i+1))
	}
	expect.Equal(t, "status", h.send("POST errors", `{"age": 1500, "errors": [`+strings.Join(list, ",")+`]}`, "User-Agent: Firefox/140").StatusCode, http.StatusOK)
	expect.OK(t, h.Runtime.Faults.Pending.Flush(t.Context()))
	expect.Equal(t, "errors", len(h.Query("SELECT place FROM faults WHERE firefox = 1 AND place LIKE 'a.js:%'")), faults.MaxReports)
}

// TestNothingThatAPlayerSendsIsAFault: each bad call is refused with a code, a message and a hint, and changes nothing.
func TestNothingThatAPlayerSendsIsAFault(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	written := h.Written()
	deep := strings.Repeat("[", 20_000)
	for _, c := range []struct {
		call, body string
		status     int
		code       sandlot.Code
	}{
		{"GET nothing", "", 404, sandlot.CodeNotFound},
		{"GET saves/", "", 404, sandlot.CodeNotFound},
		{"GET scores", "", 404, sandlot.CodeNotFound},
		{"GET player/x", "", 404, sandlot.CodeNotFound},
		{"PUT player", "", 405, sandlot.CodeMethodNotAllowed},
		{"DELETE scores/main", "", 405, sandlot.CodeMethodNotAllowed},
		{"GET errors", "", 405, sandlot.CodeMethodNotAllowed},
		{"PATCH player", "", 400, sandlot.CodeMissingField},
		{"PATCH player", `{"name": 1}`, 400, sandlot.CodeInvalidField},
		{"PATCH player", `{"name": `, 400, sandlot.CodeInvalidJSON},
		{"PATCH player", `[]`, 400, sandlot.CodeInvalidJSON},
		{"PATCH player", deep, 413, sandlot.CodeContentTooLarge},
		{"POST player/resume", `{}`, 400, sandlot.CodeMissingField},
		{"POST saves/main", `{"player": "` + token + `"}`, 400, sandlot.CodeMissingField},
		{"POST saves/main", deep, 400, sandlot.CodeInvalidJSON},
		{"POST scores/main", `{}`, 400, sandlot.CodeMissingField},
		{"POST scores/main", `{"score": null}`, 400, sandlot.CodeMissingField},
		{"POST scores/main", `{"score": NaN}`, 400, sandlot.CodeInvalidJSON},
		{"POST scores/main", `{"score": Infinity}`, 400, sandlot.CodeInvalidJSON},
		{"POST scores/main", `{"score": 1e999}`, 400, sandlot.CodeInvalidField},
		{"POST scores/main", `{"score": "9"}`, 400, sandlot.CodeInvalidField},
		{"POST scores/main", `{"score": 9, "order": "up"}`, 400, sandlot.CodeInvalidField},
		{"GET scores/main?limit=ten", "", 400, sandlot.CodeInvalidField},
		{"POST errors", `{"errors": {}}`, 400, sandlot.CodeInvalidField},
		{"POST errors", `{"age": "old"}`, 400, sandlot.CodeInvalidField},
		{"POST feedback", `{}`, 400, sandlot.CodeMissingField},
		{"PUT saves/main", strings.Repeat("x", 10_000_000), 413, sandlot.CodeContentTooLarge},
	} {
		res := h.send(c.call, c.body)
		refused(t, res, c.status, c.code)
		if (c.status == http.StatusMethodNotAllowed) != (res.Header.Get("Allow") != "") {
			t.Errorf("%s: Allow %q", c.call, res.Header.Get("Allow"))
		}
	}
	expect.Equal(t, "writes", h.Written(), written)
}

func TestAPackedBodyIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	written := h.Written()
	for _, call := range [][2]string{{"PUT saves/main", "1"}, {"POST saves/main", `{"value": 1}`}, {"PUT shared/k", "1"}, {"POST scores/main", `{"score": 1}`}} {
		got := refused(t, h.send(call[0], call[1], "Content-Encoding: gzip"), http.StatusUnsupportedMediaType, sandlot.CodeUnsupportedMediaType)
		expect.Contains(t, "hint", got.Hint, "unpacked")
	}
	expect.Equal(t, "writes", h.Written(), written)
	expect.Equal(t, "status of identity", h.send("PUT saves/main", "1", "Content-Encoding: identity").StatusCode, http.StatusOK)
}

// TestOnlyTheProjectsOwnPageAndProgramsCall: another site may not, nor another project, which is of the same site.
func TestOnlyTheProjectsOwnPageAndProgramsCall(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	for _, c := range []struct {
		headers []string
		framed  bool
		ok      bool
	}{
		{headers: nil, ok: true}, // a program
		{headers: []string{"Sec-Fetch-Site: same-origin"}, ok: true},
		{headers: []string{"Sec-Fetch-Site: none"}, ok: true},
		{headers: []string{"Sec-Fetch-Site: same-origin", "Origin: https://game.sandlot.example"}, ok: true},
		{headers: []string{"Origin: https://game.sandlot.example"}, ok: true},
		{headers: []string{"Sec-Fetch-Site: cross-site"}},
		{headers: []string{"Sec-Fetch-Site: same-site"}},
		{headers: []string{"Sec-Fetch-Site: cross-site", "Origin: null"}},
		{headers: []string{"Origin: null"}},
		{headers: []string{"Origin: https://other.sandlot.example"}},
		{headers: []string{"Origin: https://game.sandlot.example.evil.example"}},
		{headers: []string{"Origin: https://game.sandlot.example:8443"}},
		{headers: []string{"Origin: ://"}},
		{headers: []string{"Sec-Fetch-Site: same-origin", "Origin: https://evil.example"}},
		{headers: []string{"Sec-Fetch-Site: cross-site", "Origin: null"}, framed: true, ok: true},
		{headers: []string{"Sec-Fetch-Site: cross-site", "Origin: https://evil.example"}, framed: true},
		{headers: []string{"Sec-Fetch-Site: cross-site"}, framed: true},
	} {
		for _, call := range []string{"GET player", "GET shared", "GET scores/main", "PUT saves/main", "POST scores/main", "POST errors"} {
			r := request(call, strings.NewReader(`{}`), c.headers...)
			made := h.call(r)
			made.Framed = c.framed
			written, w := h.Written(), httptest.NewRecorder()
			h.Serve(w, r, made)
			if !c.ok {
				refused(t, w.Result(), http.StatusForbidden, sandlot.CodeForeignOrigin)
				expect.Equal(t, "writes of "+call, h.Written(), written)
			}
			if c.ok && w.Code != http.StatusOK && !strings.Contains(w.Body.String(), string(sandlot.CodeMissingField)) {
				t.Errorf("%s with %q: %d", call, c.headers, w.Code)
			}
			origin := map[bool]string{true: "null"}[c.framed]
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != origin {
				t.Errorf("%s with %q: Access-Control-Allow-Origin %q", call, c.headers, got)
			}
		}
	}
}

func TestOnlyThePathFormAllowsCORS(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	for _, framed := range []bool{false, true} {
		r := httptest.NewRequest("OPTIONS", "/.sandlot/saves/main", nil)
		w := httptest.NewRecorder()
		h.Serve(w, r, Call{Name: "saves/main", Framed: framed})
		const methods = "GET, HEAD, PUT, POST, DELETE, OPTIONS"
		want := map[bool]string{true: methods}[framed]
		if w.Code != http.StatusNoContent || w.Header().Get("Allow") != methods || w.Header().Get("Access-Control-Allow-Methods") != want {
			t.Errorf("framed %t: %d %v", framed, w.Code, w.Header())
		}
		if framed && !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "X-Sandlot-Player") {
			t.Error("the header of the token is not allowed")
		}
	}
}

func TestATokenComesInTheHeaderOrInABeacon(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	const none = "X-Sandlot-Player: "
	for _, call := range [][2]string{
		{"POST saves/main", `{"player": "` + token + `", "value": 1}`},
		{"POST scores/main", `{"player": "` + token + `", "score": 1, "since": "` + h.stamp(token) + `"}`},
		{"POST errors", `{"player": "` + token + `"}`},
		{"POST feedback", `{"player": "` + token + `", "text": "x"}`},
	} {
		expect.Equal(t, "status of "+call[0], h.send(call[0], call[1], none).StatusCode, http.StatusOK)
		bad := strings.Replace(call[1], token, "short", 1)
		refused(t, h.send(call[0], bad, none), http.StatusBadRequest, sandlot.CodePlayerRequired)
	}
	expect.Equal(t, "the player's save", text(t, h.send("GET saves/main", "")), "1")
	expect.Equal(t, "players", len(h.Query("SELECT id FROM players")), 1)
	for _, wrong := range []string{"short", token + token + "0", strings.Repeat("é", 20), token[:31] + " ", "../" + token} {
		refused(t, h.send("GET player", "", none+wrong), http.StatusBadRequest, sandlot.CodePlayerRequired)
	}
	expect.Equal(t, "status without a token", h.send("GET scores/main", "", none).StatusCode, http.StatusOK)
	here, _ := players.HashToken("here", token)
	if other, _ := players.HashToken("other", token); other == here {
		t.Error("the same token is the same player of two projects")
	}
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func TestABodyIsBoundedBeforeItIsRead(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	put := func(h *house, body io.Reader, length int64) *http.Response {
		r, w := request("PUT saves/main", body), httptest.NewRecorder()
		r.ContentLength = length
		h.Serve(w, r, h.call(r))
		return w.Result()
	}
	refused(t, put(h, unread{t}, 10<<20), http.StatusRequestEntityTooLarge, sandlot.CodeContentTooLarge)

	// A body without a length ends at the bound.
	endless := &counted{}
	refused(t, put(h, endless, -1), http.StatusRequestEntityTooLarge, sandlot.CodeContentTooLarge)
	if endless.n > 2*maxValue {
		t.Errorf("%d bytes were read", endless.n)
	}
	expect.Equal(t, "slots", h.bodies.Held(), 0)

	// One network fills no more than its share of the slots, and small bodies need none.
	h = newHouse(t, admission.New(admission.Config{Public: true}))
	stop, all := make(chan struct{}), sync.WaitGroup{}
	for range mostBodiesOf {
		all.Go(func() { put(h, waiting(stop), smallBody+1) })
	}
	testenv.Eventually(t, 30*time.Second, "all slots are taken", func() bool { return h.bodies.Held() == mostBodiesOf })
	refused(t, h.send("PUT saves/main", strings.Repeat("1", smallBody+1)), http.StatusTooManyRequests, sandlot.CodeRateLimited)
	expect.Equal(t, "status of a small body", h.send("PUT saves/main", "1").StatusCode, http.StatusOK)
	close(stop)
	all.Wait()
}

// A counted body never ends.
type counted struct{ n int }

func (c *counted) Read(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

// A waiting body ends when the channel is closed.
type waiting chan struct{}

func (w waiting) Read([]byte) (int, error) {
	<-w
	return 0, io.EOF
}

// A failing store saves nothing.
type failing struct {
	players.Store
	err error
}

func (f failing) Save(context.Context, players.Holder, string, []byte, int64) error { return f.err }

// TestErrorsOfServicesHaveTheirStatus: a refusal is returned unchanged, a fault is logged and hidden, and neither has a token.
func TestErrorsOfServicesHaveTheirStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		code   sandlot.Code
		retry  int
	}{
		{sandlot.Refuse(sandlot.CodeRuntimeOff, "Off."), 403, sandlot.CodeRuntimeOff, 0},
		{sandlot.Refuse(sandlot.CodeTooEarly, "Early.").After(4500 * time.Millisecond), 429, sandlot.CodeTooEarly, 5},
		{sandlot.Refuse(sandlot.CodeScoreRefused, "High.").Note("Lower."), 422, sandlot.CodeScoreRefused, 0},
		{sandlot.Refuse(sandlot.CodeSaveNotFound, "None."), 404, sandlot.CodeSaveNotFound, 0},
		{sandlot.Refuse(sandlot.CodeQuotaExceeded, "Full."), 429, sandlot.CodeQuotaExceeded, 0},
		{sandlot.ErrUnavailable, 503, sandlot.CodeUnavailable, 5},
		{context.Canceled, 503, sandlot.CodeUnavailable, 5},
		{sandlot.CodeProjectNotFound, 404, sandlot.CodeProjectNotFound, 0},
		{errors.New("a secret"), 500, sandlot.CodeInternal, 0},
	} {
		h := newHouse(t, nil)
		h.Players.Store = failing{h.Players.Store, c.err}
		got := refused(t, h.send("PUT saves/main", "1"), c.status, c.code)
		if got.RetryAfter != c.retry || strings.Contains(got.Message+got.Hint, "secret") {
			t.Errorf("%v: %+v", c.err, got)
		}
		if logged := h.Logs.String(); (c.code == sandlot.CodeInternal) != strings.Contains(logged, "a secret") || strings.Contains(logged, token) {
			t.Errorf("%v: logged %q", c.err, logged)
		}
	}
}

func TestCallsHaveLimitsByNetwork(t *testing.T) {
	t.Parallel()
	one := admission.Rate{Count: 1, Per: time.Hour, Burst: 1}
	for _, call := range [][2]string{{"GET saves", ""}, {"PUT saves/main", "1"}, {"POST errors", "{}"}} {
		h := newHouse(t, admission.New(admission.Config{PlayerReads: one, PlayerWrites: one, PlayerReports: one, Public: true}))
		if res := h.send(call[0], call[1]); res.StatusCode != http.StatusOK {
			t.Errorf("the first %s: %d", call[0], res.StatusCode)
		}
		refused(t, h.send(call[0], call[1]), http.StatusTooManyRequests, sandlot.CodeRateLimited)
	}
}

// TestCodesAreGuessedAtTheLimitOfANetwork: a wrong one counts like a wrong key.
func TestCodesAreGuessedAtTheLimitOfANetwork(t *testing.T) {
	t.Parallel()
	h := newHouse(t, admission.New(admission.Config{WrongKeys: admission.Rate{Count: 2, Per: time.Hour, Burst: 2}, Public: true}))
	resume := func(code string) *http.Response { return h.send("POST player/resume", `{"code": "`+code+`"}`) }
	code := func() string { return strings.Split(text(t, h.send("POST player/code", "{}")), `"`)[3] }
	right := code()
	expect.Equal(t, "status of a right code", resume(right).StatusCode, http.StatusOK)
	for _, wrong := range []string{"acorn-acorn-acorn-acorn", "acorn"} {
		refused(t, resume(wrong), http.StatusBadRequest, sandlot.CodeInvalidCode)
	}
	refused(t, resume("zebra"), http.StatusTooManyRequests, sandlot.CodeRateLimited)
	expect.Equal(t, "status of the code that was right before", resume(right).StatusCode, http.StatusOK)
	refused(t, resume(code()), http.StatusTooManyRequests, sandlot.CodeRateLimited)
}

// TestTheDocumentHasEveryCall: the OpenAPI document has the calls of players, and no other below /.sandlot/.
func TestTheDocumentHasEveryCall(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../api/openapi.yaml")
	expect.OK(t, err)
	var document struct{ Paths map[string]map[string]any }
	expect.OK(t, yaml.Unmarshal(text, &document))
	var have, want []string
	for path, item := range document.Paths {
		name, ok := strings.CutPrefix(path, "/.sandlot/")
		for method := range item {
			if ok && method != "servers" && method != "parameters" {
				before, _, _ := strings.Cut(name, "{")
				have = append(have, strings.ToUpper(method)+" "+before)
			}
		}
	}
	for _, rt := range routes {
		for _, m := range rt.methods {
			want = append(want, m.name+" "+rt.name)
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	expect.Same(t, "calls of the document", have, want)
}
