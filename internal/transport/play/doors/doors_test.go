package doors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const token = "0123456789abcdef0123456789abcdef"

var at = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// A fake answers every call, and notes it.
type fake struct {
	err    error
	visit  players.Visit
	came   string // the arguments of the last call
	placed boards.Score
	query  boards.Query
	faults []faults.Report
	age    time.Duration
	calls  int
}

func (f *fake) note(v players.Visit, came string) error {
	f.calls++
	f.visit, f.came = v, came
	return f.err
}

func (f *fake) player(v players.Visit, came string) (players.Player, error) {
	return players.Player{ID: "p1", Name: "Kim", Since: "stamp"}, f.note(v, came)
}

func (f *fake) Hello(_ context.Context, _ sandlot.Caller, v players.Visit) (players.Player, error) {
	return f.player(v, "")
}

func (f *fake) Rename(_ context.Context, _ sandlot.Caller, v players.Visit, name string) (players.Player, error) {
	return f.player(v, name)
}

func (f *fake) Code(_ context.Context, _ sandlot.Caller, v players.Visit) (string, error) {
	return "ash bee cow dot", f.note(v, "")
}

func (f *fake) Resume(_ context.Context, _ sandlot.Caller, v players.Visit, code string) (players.Player, error) {
	return f.player(v, code)
}

func (f *fake) Saves(_ context.Context, _ sandlot.Caller, v players.Visit) ([]players.Value, error) {
	return []players.Value{{Name: "main", Size: 3, At: at}}, f.note(v, "")
}

func (f *fake) Load(_ context.Context, _ sandlot.Caller, v players.Visit, slot string) (players.Value, error) {
	return players.Value{Name: slot, JSON: []byte(`{"__proto__":1}`), At: at}, f.note(v, slot)
}

func (f *fake) Save(_ context.Context, _ sandlot.Caller, v players.Visit, slot string, value []byte) (players.Value, error) {
	return players.Value{Name: slot, Size: int64(len(value)), At: at}, f.note(v, slot+" "+string(value))
}

func (f *fake) DeleteSave(_ context.Context, _ sandlot.Caller, v players.Visit, slot string) error {
	return f.note(v, slot)
}

func (f *fake) SharedKeys(_ context.Context, _ sandlot.Caller, v players.Visit, prefix string) ([]players.Value, error) {
	return []players.Value{{Name: prefix + "1", Size: 3, At: at}}, f.note(v, prefix)
}

func (f *fake) LoadShared(_ context.Context, _ sandlot.Caller, v players.Visit, key string) (players.Value, error) {
	return players.Value{Name: key, JSON: []byte(`[1]`), At: at}, f.note(v, key)
}

func (f *fake) Share(_ context.Context, _ sandlot.Caller, v players.Visit, key string, value []byte) (players.Value, error) {
	return players.Value{Name: key, Size: int64(len(value)), At: at}, f.note(v, key+" "+string(value))
}

func (f *fake) DeleteShared(_ context.Context, _ sandlot.Caller, v players.Visit, key string) error {
	return f.note(v, key)
}

func (f *fake) Place(_ context.Context, _ sandlot.Caller, v players.Visit, in boards.Score) (boards.Placed, error) {
	f.placed = in
	return boards.Placed{Board: in.Board, Ascending: in.Ascending, Best: in.Score, Improved: true, Rank: 2, Of: 3, Player: "p1"}, f.note(v, in.Board)
}

func (f *fake) Top(_ context.Context, _ sandlot.Caller, v players.Visit, q boards.Query) (boards.Top, error) {
	f.query = q
	you := boards.Entry{Rank: 1, Name: "<b>", Score: 5, At: at, Player: "p1", You: true}
	return boards.Top{Board: q.Board, Period: boards.AllTime, Entries: []boards.Entry{you}, Of: 1, You: &you}, f.note(v, q.Board)
}

func (f *fake) Report(_ context.Context, _ sandlot.Caller, v players.Visit, agent string, age time.Duration, list []faults.Report) error {
	f.faults, f.age = list, age
	return f.note(v, agent)
}

func (f *fake) Message(_ context.Context, _ sandlot.Caller, v players.Visit, text string) error {
	return f.note(v, text)
}

// A house is a Handler over a fake.
type house struct {
	*Handler
	*fake
	log bytes.Buffer
}

func newHouse(limits *admission.Limits) *house {
	h := &house{fake: &fake{}}
	h.Handler = New(Config{
		Players: h.fake, Boards: h.fake, Faults: h.fake, Admission: limits, Base: "https://sandlot.example",
		Log: slog.New(slog.NewTextHandler(&h.log, nil)),
	})
	return h
}

// send sends a call of the project's own page. target is "METHOD name", and headers are given as "Name: value".
func (h *house) send(target, body string, headers ...string) *http.Response {
	method, path, _ := strings.Cut(target, " ")
	r := httptest.NewRequest(method, "https://game.sandlot.example/.sandlot/"+path, strings.NewReader(body))
	r.Header.Set("X-Sandlot-Player", token)
	for _, one := range headers {
		name, value, _ := strings.Cut(one, ": ")
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
	}
	w := httptest.NewRecorder()
	h.Serve(w, r, Call{Project: sandlot.Project{ID: "game"}, Name: strings.TrimPrefix(r.URL.Path, "/.sandlot/")})
	return w.Result()
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
		t.Errorf("%s may be kept: %q", body, res.Header.Get("Cache-Control"))
	}
	return got
}

func TestEveryCallReachesItsService(t *testing.T) {
	t.Parallel()
	const stamp = `"at":"2026-11-28T12:00:00Z"`
	for _, c := range [][4]string{ // the call, its body, the arguments that arrive, the answer
		{"GET player", "", "", `{"ok":true,"id":"p1","name":"Kim","since":"stamp"}`},
		{"PATCH player", `{"name": "Kim"}`, "Kim", `{"ok":true,"id":"p1","name":"Kim","since":"stamp"}`},
		{"POST player/code", "", "", `{"code":"ash bee cow dot","ok":true}`},
		{"POST player/resume", `{"code": "a b c d"}`, "a b c d", `{"ok":true,"id":"p1","name":"Kim","since":"stamp"}`},
		{"GET saves", "", "", `{"ok":true,"saves":[{"slot":"main","size":3,` + stamp + `}]}`},
		{"GET saves/main", "", "main", `{"__proto__":1}`},
		{"PUT saves/main", ` {"a": 1}`, `main  {"a": 1}`, `{"ok":true,"slot":"main","size":9,` + stamp + `}`},
		{"POST saves/main", `{"value": {"a": 1}}`, `main {"a": 1}`, `{"ok":true,"slot":"main","size":8,` + stamp + `}`},
		{"DELETE saves/main", "", "main", `{"ok":true}`},
		{"GET shared?prefix=a%2F", "", "a/", `{"ok":true,"shared":[{"key":"a/1","size":3,` + stamp + `}]}`},
		{"GET shared/a%2Fb", "", "a/b", `[1]`},
		{"PUT shared/a/b", `"x"`, `a/b "x"`, `{"ok":true,"key":"a/b","size":3,` + stamp + `}`},
		{"DELETE shared/k", "", "k", `{"ok":true}`},
		{
			"POST scores/main", `{"score": -1.5e3, "order": "asc"}`, "main",
			`{"ok":true,"board":"main","order":"asc","best":-1500,"improved":true,"rank":2,"of":3,"player":"p1"}`,
		},
		{
			"GET scores/main", "", "main",
			`{"ok":true,"board":"main","period":"all","order":"desc","entries":[{"rank":1,"name":"\u003cb\u003e","score":5,"you":true,` + stamp +
				`,"player":"p1"}],"of":1,"you":{"rank":1,"name":"\u003cb\u003e","score":5,"you":true,` + stamp + `,"player":"p1"},"unverified":true,"untrusted":true}`,
		},
		{"POST errors", `{"errors": [{"kind": "error", "message": "x"}]}`, "browser", `{"ok":true}`},
		{"POST feedback", `{"text": "hi"}`, "hi", `{"ok":true}`},
	} {
		h := newHouse(nil)
		res := h.send(c[0], c[1], "User-Agent: browser")
		body := text(t, res)
		if res.StatusCode != http.StatusOK || body != c[3] || h.came != c[2] {
			t.Errorf("%s: %d %s with %q", c[0], res.StatusCode, body, h.came)
		}
		hash, _ := players.HashToken("game", token)
		if h.visit.Token != hash || h.visit.Project.ID != "game" || !h.visit.From.IsValid() {
			t.Errorf("%s: the visit is %+v", c[0], h.visit)
		}
		header := res.Header
		if header.Get("Cache-Control") != "no-store" || header.Get("Cross-Origin-Resource-Policy") != "same-origin" ||
			header.Get("Access-Control-Allow-Origin") != "" || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v", c[0], header)
		}
		if strings.HasPrefix(c[0], "GET ") {
			if head := h.send("HEAD "+c[0][4:], ""); head.StatusCode != http.StatusOK || text(t, head) != "" || head.Header.Get("Content-Length") != header.Get("Content-Length") {
				t.Errorf("HEAD %s: %d", c[0][4:], head.StatusCode)
			}
		}
	}
}

func TestTheQueryOfABoardIsRead(t *testing.T) {
	t.Parallel()
	h := newHouse(nil)
	h.send("GET scores/fast?period=week&limit=7&around=1", "")
	if want := (boards.Query{Board: "fast", Period: boards.Week, Limit: 7, Around: true}); h.query != want {
		t.Errorf("%+v", h.query)
	}
	h.send("POST scores/fast", `{"score": 3, "name": "Kim", "since": "stamp"}`)
	if want := (boards.Score{Board: "fast", Score: 3, Name: "Kim", Since: "stamp"}); h.placed != want {
		t.Errorf("%+v", h.placed)
	}
	h.send("POST errors", `{"age": 1500, "errors": [`+strings.Repeat(`{"kind": "error", "line": 3},`, 20)+`{}]}`)
	if len(h.faults) != faults.MaxReports || h.faults[0].Line != 3 || h.age != 1500*time.Millisecond {
		t.Errorf("%d errors, %+v, after %s", len(h.faults), h.faults[0], h.age)
	}
}

// TestNothingThatAPlayerSendsIsAFault: each bad call is refused with a code, a message and a hint, before any service is called.
func TestNothingThatAPlayerSendsIsAFault(t *testing.T) {
	t.Parallel()
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
		h := newHouse(nil)
		res := h.send(c.call, c.body)
		refused(t, res, c.status, c.code)
		if h.calls != 0 {
			t.Errorf("%s: a service was called", c.call)
		}
		if (c.status == http.StatusMethodNotAllowed) != (res.Header.Get("Allow") != "") {
			t.Errorf("%s: Allow %q", c.call, res.Header.Get("Allow"))
		}
	}
}

func TestAPackedBodyIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(nil)
	for _, call := range [][2]string{{"PUT saves/main", "1"}, {"POST saves/main", `{"value": 1}`}, {"PUT shared/k", "1"}, {"POST scores/main", `{"score": 1}`}} {
		got := refused(t, h.send(call[0], call[1], "Content-Encoding: gzip"), http.StatusUnsupportedMediaType, sandlot.CodeUnsupportedMediaType)
		expect.Contains(t, "hint", got.Hint, "unpacked")
	}
	expect.Equal(t, "calls of a service", h.calls, 0)
	expect.Equal(t, "status of identity", h.send("PUT saves/main", "1", "Content-Encoding: identity").StatusCode, http.StatusOK)
}

// TestOnlyTheProjectsOwnPageAndProgramsCall, also to read: neither another site, nor another project, which is of the same site.
func TestOnlyTheProjectsOwnPageAndProgramsCall(t *testing.T) {
	t.Parallel()
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
		for _, call := range []string{"GET saves/main", "GET shared", "GET scores/main", "PUT saves/main", "POST scores/main", "POST errors"} {
			h := newHouse(nil)
			method, path, _ := strings.Cut(call, " ")
			r := httptest.NewRequest(method, "https://game.sandlot.example/.sandlot/"+path, strings.NewReader(`{"score": 1}`))
			for _, one := range c.headers {
				name, value, _ := strings.Cut(one, ": ")
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			h.Serve(w, r, Call{Project: sandlot.Project{ID: "game"}, Name: path, Framed: c.framed})
			if !c.ok {
				refused(t, w.Result(), http.StatusForbidden, sandlot.CodeForeignOrigin)
			}
			if c.ok != (w.Code == http.StatusOK) || c.ok != (h.calls == 1) {
				t.Errorf("%s with %q: %d, %d calls", call, c.headers, w.Code, h.calls)
			}
			origin := map[bool]string{true: "null"}[c.framed]
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != origin {
				t.Errorf("%s with %q: Access-Control-Allow-Origin %q", call, c.headers, got)
			}
		}
	}
}

func TestAPreflightIsAnsweredInThePathFormAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(nil)
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
			t.Error("the token may not be sent")
		}
	}
}

func TestATokenComesInTheHeaderOrInABeacon(t *testing.T) {
	t.Parallel()
	h := newHouse(nil)
	hash, _ := players.HashToken("game", token)
	for _, call := range [][2]string{
		{"POST saves/main", `{"player": "` + token + `", "value": 1}`},
		{"POST scores/main", `{"player": "` + token + `", "score": 1}`},
		{"POST errors", `{"player": "` + token + `"}`},
		{"POST feedback", `{"player": "` + token + `", "text": "x"}`},
	} {
		h.visit = players.Visit{}
		if res := h.send(call[0], call[1], "X-Sandlot-Player: "); res.StatusCode != http.StatusOK || h.visit.Token != hash {
			t.Errorf("%s: %d, %x", call[0], res.StatusCode, h.visit.Token)
		}
		bad := strings.Replace(call[1], token, "short", 1)
		refused(t, h.send(call[0], bad, "X-Sandlot-Player: "), http.StatusBadRequest, sandlot.CodePlayerRequired)
	}
	for _, wrong := range []string{"short", token + token + "0", strings.Repeat("é", 20), token[:31] + " ", "../" + token} {
		refused(t, h.send("GET player", "", "X-Sandlot-Player: "+wrong), http.StatusBadRequest, sandlot.CodePlayerRequired)
	}
	if res := h.send("GET scores/main", "", "X-Sandlot-Player: "); res.StatusCode != http.StatusOK || h.visit.Token != (sandlot.Digest{}) {
		t.Errorf("without a token: %d", res.StatusCode)
	}
	if other, _ := players.HashToken("other", token); other == hash {
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
	h := newHouse(nil)
	r := httptest.NewRequest("PUT", "/.sandlot/saves/main", unread{t})
	r.ContentLength = 10 << 20
	w := httptest.NewRecorder()
	h.Serve(w, r, Call{Name: "saves/main"})
	refused(t, w.Result(), http.StatusRequestEntityTooLarge, sandlot.CodeContentTooLarge)

	// A body that does not say its length ends at the bound.
	endless := &counted{}
	r = httptest.NewRequest("PUT", "/.sandlot/saves/main", endless)
	r.ContentLength = -1
	w = httptest.NewRecorder()
	h.Serve(w, r, Call{Name: "saves/main"})
	refused(t, w.Result(), http.StatusRequestEntityTooLarge, sandlot.CodeContentTooLarge)
	if endless.n > 2*maxValue {
		t.Errorf("%d bytes were read", endless.n)
	}
	if h.bodies.Held() != 0 {
		t.Errorf("%d slots are held", h.bodies.Held())
	}

	// One network fills no more than its share of the slots, and small bodies need none.
	limits := admission.New(admission.Config{Public: true})
	h = newHouse(limits)
	stop := make(chan struct{})
	for range mostBodiesOf {
		r := httptest.NewRequest("PUT", "/.sandlot/saves/main", waiting(stop))
		r.ContentLength = smallBody + 1
		go h.Serve(httptest.NewRecorder(), r, Call{Name: "saves/main"})
	}
	testenv.Eventually(t, 30*time.Second, "all slots are taken", func() bool { return h.bodies.Held() == mostBodiesOf })
	refused(t, h.send("PUT saves/main", strings.Repeat("1", smallBody+1)), http.StatusTooManyRequests, sandlot.CodeRateLimited)
	if res := h.send("PUT saves/main", "1"); res.StatusCode != http.StatusOK {
		t.Errorf("a small body: %d", res.StatusCode)
	}
	close(stop)
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

// TestErrorsOfServicesHaveTheirStatus: a refusal is shown as it is, a fault is logged and not shown, and neither has a token.
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
		h := newHouse(nil)
		h.err = c.err
		got := refused(t, h.send("PUT saves/main", "1"), c.status, c.code)
		if got.RetryAfter != c.retry || strings.Contains(got.Message+got.Hint, "secret") {
			t.Errorf("%v: %+v", c.err, got)
		}
		if logged := h.log.String(); (c.code == sandlot.CodeInternal) != strings.Contains(logged, "a secret") || strings.Contains(logged, token) {
			t.Errorf("%v: logged %q", c.err, logged)
		}
	}
}

func TestCallsHaveLimitsByNetwork(t *testing.T) {
	t.Parallel()
	one := admission.Rate{Count: 1, Per: time.Hour, Burst: 1}
	for _, call := range [][2]string{{"GET saves/main", ""}, {"PUT saves/main", "1"}, {"POST errors", "{}"}} {
		h := newHouse(admission.New(admission.Config{PlayerReads: one, PlayerWrites: one, PlayerReports: one, Public: true}))
		if res := h.send(call[0], call[1]); res.StatusCode != http.StatusOK {
			t.Errorf("the first %s: %d", call[0], res.StatusCode)
		}
		refused(t, h.send(call[0], call[1]), http.StatusTooManyRequests, sandlot.CodeRateLimited)
		if h.calls != 1 {
			t.Errorf("%s: %d calls", call[0], h.calls)
		}
	}
}

// TestCodesAreGuessedAtTheLimitOfANetwork: a wrong one counts like a wrong key.
func TestCodesAreGuessedAtTheLimitOfANetwork(t *testing.T) {
	t.Parallel()
	h := newHouse(admission.New(admission.Config{WrongKeys: admission.Rate{Count: 2, Per: time.Hour, Burst: 2}, Public: true}))
	resume := func(code string) *http.Response { return h.send("POST player/resume", `{"code": "`+code+`"}`) }
	if res := resume("right"); res.StatusCode != http.StatusOK {
		t.Errorf("a right one: %d", res.StatusCode)
	}
	h.err = sandlot.Refuse(sandlot.CodeInvalidCode, "Wrong.")
	for _, code := range []string{"a", "b"} {
		refused(t, resume(code), http.StatusBadRequest, sandlot.CodeInvalidCode)
	}
	calls := h.calls
	refused(t, resume("c"), http.StatusTooManyRequests, sandlot.CodeRateLimited)
	if h.calls != calls {
		t.Error("the third was tried")
	}
	h.err = nil
	if res := resume("right"); res.StatusCode != http.StatusOK {
		t.Errorf("one that was right before: %d", res.StatusCode)
	}
}

// TestTheDocumentHasEveryCall of players, and no other.
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
