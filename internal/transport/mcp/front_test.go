package mcp

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

const newest = "2026-07-28"

// modern is a message with the _meta of a version.
func modern(method, version string, params map[string]any) string {
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    version,
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
	return rpc(method, params)
}

// unknownKey is a well-formed key that nobody has.
func unknownKey(t *testing.T) string {
	t.Helper()
	key, err := sandlot.MintSecret(sandlot.AccountKey, rand.Reader)
	expect.OK(t, err)
	return string(key)
}

func TestMCPNeverAnswers401WithoutAToken(t *testing.T) {
	w := newWorld(t)
	for _, body := range []string{
		rpc("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}}),
		rpc("tools/list", map[string]any{}), rpc("ping", map[string]any{}), rpc("resources/list", map[string]any{}),
		modern("server/discover", newest, map[string]any{}),
	} {
		w.post("/mcp", body).wants(200)
	}
	for _, one := range tools() {
		w.post("/mcp", rpc("tools/call", map[string]any{"name": one.name, "arguments": map[string]any{"project": "sky-hopper-7k2m9p"}})).wants(200)
	}
}

func TestMCPAccountAnswersEveryCallWithoutATokenWith401(t *testing.T) {
	w := settled(t)
	for _, body := range []string{rpc("initialize", map[string]any{}), rpc("tools/list", nil), rpc("nonsense", nil), "not even JSON"} {
		got := w.post("/mcp/account", body).wants(401).says("needs an account").says("http://localhost:8080/docs/agents").says("http://localhost:8080/mcp,")
		want := `Bearer resource_metadata="http://localhost:8080/.well-known/oauth-protected-resource/mcp/account", scope="account"`
		expect.Equal(t, "challenge", got.header.Get("WWW-Authenticate"), want)
	}
	w.post("/mcp/account", rpc("tools/list", nil), "Authorization", "Bearer "+w.account).wants(200)
	w.post("/mcp/account", rpc("tools/list", nil), "Authorization", "Bearer "+w.project).wants(200)
}

func TestAWrongTokenIs401OnBothAddresses(t *testing.T) {
	w := settled(t)
	token := w.call("", "publish", `{"html":`+q(page)+`}`).done().str("edit_token")
	for _, path := range []string{"/mcp", "/mcp/account"} {
		for name, key := range map[string]string{"unknown": "Bearer " + unknownKey(t), "mistyped": "Bearer " + w.account + "x", "of another scheme": "Basic bTpl", "an edit_token": "Bearer " + token} {
			got := w.post(path, rpc("tools/list", nil), "Authorization", key).wants(401)
			challenge := got.header.Get("WWW-Authenticate")
			expect.Contains(t, path+", "+name, challenge, `error="invalid_token"`)
			expect.Equal(t, path+", "+name+": the way to another", strings.Contains(challenge, "resource_metadata="), path == "/mcp/account")
		}
	}
}

func TestAHeaderKeyWorksOnBothAddresses(t *testing.T) {
	w := settled(t)
	for _, path := range []string{"/mcp", "/mcp/account"} {
		for _, key := range []string{w.account, w.project} {
			a := w.post(path, rpc("tools/call", map[string]any{"name": "get_project", "arguments": map[string]any{"project": w.id}}), "Authorization", "Bearer "+key)
			if got := a.wants(200).tool().done(); got.data["files"] == nil {
				t.Errorf("%s: the owner sees no files: %v", path, got.data)
			}
		}
	}
}

func TestTheHeadersAreSetFromTheBody(t *testing.T) {
	w := newWorld(t)
	call := map[string]any{"name": "stats", "arguments": map[string]any{"project": "nothing-here"}}
	for name, tc := range map[string]struct {
		body    string
		headers []string
		mended  []string
	}{
		"an older version beside the newest _meta": {modern("tools/call", newest, call), []string{"Mcp-Protocol-Version", "2025-11-25"}, []string{"version", "method", "name"}},
		"no version": {modern("tools/call", newest, call), nil, []string{"version", "method", "name"}},
		"no method":  {modern("tools/call", newest, call), []string{"Mcp-Protocol-Version", newest, "Mcp-Name", "stats"}, []string{"method"}},
		"a newest version without _meta": {
			rpc("tools/call", map[string]any{"name": "stats", "arguments": map[string]any{"project": "nothing-here"}}),
			[]string{"Mcp-Protocol-Version", newest},
			[]string{"version"},
		},
		"an unknown later version": {rpc("tools/list", nil), []string{"Mcp-Protocol-Version", "2027-01-01"}, []string{"version"}},
		"an unknown older version": {rpc("tools/list", nil), []string{"Mcp-Protocol-Version", "2024-10-07"}, []string{"version"}},
		"another name":             {modern("tools/call", newest, call), []string{"Mcp-Protocol-Version", newest, "Mcp-Method", "tools/call", "Mcp-Name", "x"}, []string{"name"}},
		"nothing to mend":          {modern("tools/call", newest, call), []string{"Mcp-Protocol-Version", newest, "Mcp-Method", "tools/call", "Mcp-Name", "stats"}, nil},
		"a session of nobody":      {rpc("tools/list", nil), []string{"Mcp-Session-Id", "abc", "Last-Event-Id", "7"}, nil},
	} {
		before := map[string]int64{}
		for _, what := range mendable {
			before[what] = w.front.Mended().Get(what)
		}
		headers := append([]string{"Accept", "application/json, text/event-stream", "Content-Type", "application/json"}, tc.headers...)
		if w.post("/mcp", tc.body, headers...).wants(200); t.Failed() {
			t.Fatal(name)
		}
		for _, what := range mendable {
			want := int64(0)
			if strings.Contains(" "+strings.Join(tc.mended, " ")+" ", " "+what+" ") {
				want = 1
			}
			expect.Equal(t, name+": mended "+what, w.front.Mended().Get(what)-before[what], want)
		}
	}
}

func TestAVersionOfMetaThatIsNotSpokenIsRefusedWithThoseThatAre(t *testing.T) {
	newWorld(t).post("/mcp", modern("tools/list", "2027-01-01", map[string]any{})).wants(400).says(newest).says("-32022")
}

func TestAnyOrNoTypeIsTaken(t *testing.T) {
	w := newWorld(t)
	for _, headers := range [][]string{
		{},
		{"Accept", "*/*"},
		{"Accept", "application/json", "Content-Type", "application/json; charset=utf-8"},
		{"Accept", "text/event-stream", "Content-Type", "text/plain"},
	} {
		w.post("/mcp", rpc("tools/list", nil), headers...).wants(200)
	}
	if w.front.Mended().Get("accept") == 0 || w.front.Mended().Get("content_type") == 0 {
		t.Error("nothing was counted")
	}
}

func TestOnlyPOSTIsTaken(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/mcp", "/mcp/account"} {
		for _, method := range []string{"GET", "DELETE", "PUT", "OPTIONS"} {
			r, err := http.NewRequest(method, w.server.URL+path, nil)
			expect.OK(t, err)
			expect.Equal(t, method, w.do(r).wants(405).header.Get("Allow"), "POST")
		}
	}
}

func TestRefusalsAreErrorsOfJSONRPC(t *testing.T) {
	w := newWorld(t)
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for name, tc := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"a batch":                 {"[" + rpc("tools/list", nil) + "]", 400, "Batches"},
		"a batch of nothing":      {" []", 400, "Batches"},
		"no JSON":                 {"{", 400, "one object in JSON"},
		"nothing":                 {"", 400, "one object in JSON"},
		"a text":                  {`"tools/list"`, 400, "one object in JSON"},
		"two messages":            {rpc("ping", nil) + rpc("ping", nil), 400, "one object in JSON"},
		"another version of it":   {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, 400, "one object in JSON"},
		"a method that is none":   {`{"jsonrpc":"2.0","id":1,"method":7}`, 400, "one object in JSON"},
		"an id that is none":      {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, "one object in JSON"},
		"5,000 levels":            {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish","arguments":` + nested(5000) + `}}`, 400, "nested"},
		"20,000 levels":           {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish","arguments":` + nested(20000) + `}}`, 400, "error"},
		"an unknown method":       {rpc("tools/cancel", nil), 200, "-32601"},
		"a stream":                {modern("subscriptions/listen", newest, map[string]any{}), 200, "Nothing is pushed"},
		"an unknown tool":         {rpc("tools/call", map[string]any{"name": "delete_everything"}), 200, "unknown tool"},
		"params that are a list":  {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, 200, "error"},
		"an unknown new method":   {modern("tools/cancel", newest, map[string]any{}), 404, "-32601"},
		"an unknown resource":     {rpc("resources/read", map[string]any{"uri": "file:///etc/passwd"}), 200, "error"},
		"a message of 5 MB":       {rpc("tools/call", map[string]any{"name": "publish", "arguments": map[string]any{"html": strings.Repeat("x", 5<<20)}}), 413, "upload"},
		"a name without a method": {`{"jsonrpc":"2.0","id":1,"params":{}}`, 202, ""},
	} {
		got := w.post("/mcp", tc.body)
		if tc.status == 202 {
			expect.Equal(t, name, got.status, 202)
			continue
		}
		got.wants(tc.status).says(tc.says)
		if strings.Contains(got.text, `"result"`) {
			t.Errorf("%s: %s", name, got.text)
		}
	}
	expect.Equal(t, "a notification that is not known", w.post("/mcp", `{"jsonrpc":"2.0","method":"notifications/nothing"}`).status, 202)
}

func TestAForeignOriginIsRefused(t *testing.T) {
	w := newWorld(t)
	for _, origin := range []string{"https://evil.test", "null", "http://localhost:8081", w.front.tools.Places.Base.String() + ".evil.test"} {
		got := w.post("/mcp", rpc("tools/list", nil), "Origin", origin).wants(403)
		expect.Equal(t, "CORS", got.header.Get("Access-Control-Allow-Origin"), "")
	}
	w.post("/mcp", rpc("tools/list", nil), "Origin", w.front.tools.Places.Base.String()).wants(200)
}

func TestAPublicHostFromThisMachineIsTaken(t *testing.T) {
	w := newWorld(t)
	r, err := http.NewRequest("POST", w.server.URL+"/mcp", strings.NewReader(rpc("tools/list", nil)))
	expect.OK(t, err)
	r.Host = "play.example.net"
	w.do(r).wants(200)
}

func TestCapabilitiesPromiseNoPush(t *testing.T) {
	w := newWorld(t)
	got := w.post("/mcp", rpc("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})).wants(200)
	got.says(`"capabilities":{"resources":{},"tools":{}}`).says(`"protocolVersion":"2025-06-18"`)
	w.post("/mcp", modern("server/discover", newest, map[string]any{})).wants(200).says(`"ttlMs":3600000`).says(`"cacheScope":"public"`)
	w.post("/mcp", modern("tools/list", newest, map[string]any{})).wants(200).says(`"ttlMs":3600000`).says(`"cacheScope":"public"`)
	if n := len([]rune(instructions)); n > 500 {
		t.Errorf("the instructions have %d characters", n)
	}
}

// TestAllFiveVersionsPublishAndRead with the messages of each version.
func TestAllFiveVersionsPublishAndRead(t *testing.T) {
	w := newWorld(t)
	expect.Same(t, "versions", versions, sdk.SupportedProtocolVersions())
	for _, version := range versions {
		send := func(method string, params map[string]any) answered {
			if version == newest {
				return w.post("/mcp", modern(method, version, params), "Mcp-Protocol-Version", version, "Mcp-Method", method)
			}
			return w.post("/mcp", rpc(method, params), "Mcp-Protocol-Version", version)
		}
		if version != newest {
			send("initialize", map[string]any{"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}}).
				wants(200).says(`"protocolVersion":"` + version + `"`)
		}
		send("tools/list", map[string]any{}).wants(200).says("publish")
		made := send("tools/call", map[string]any{"name": "publish", "arguments": map[string]any{"html": page}}).wants(200).tool().done()
		args := map[string]any{"project": made.str("project"), "file": "index.html", "edit_token": made.str("edit_token")}
		read := send("tools/call", map[string]any{"name": "get_project", "arguments": args}).wants(200).tool().done()
		expect.Equal(t, version, read.str("text"), page)
	}
}

// TestTheClientOfTheSDKGoesOnAfterARefusedTool in one session without a key.
func TestTheClientOfTheSDKGoesOnAfterARefusedTool(t *testing.T) {
	w := newWorld(t)
	session := w.connect(t, "/mcp", "")
	call := func(name string, args map[string]any) got {
		t.Helper()
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
		expect.OK(t, err)
		return read(t, r)
	}
	call("list_projects", nil).refused("key_required")
	made := call("publish", map[string]any{"files": []any{map[string]any{"filename": "index.html", "text": page}}}).done()
	call("update", map[string]any{"project": made.str("project"), "files": []any{}}).refused("key_required")
	call("update", map[string]any{"project": made.str("project"), "edit_token": made.str("edit_token"), "files": []any{map[string]any{"filename": "a.js", "text": "1"}}}).done()
	list, err := session.ListTools(t.Context(), nil)
	expect.OK(t, err)
	expect.Equal(t, "tools", len(list.Tools), len(tools()))
	docs, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "sandlot://guide"})
	expect.OK(t, err)
	if !strings.Contains(docs.Contents[0].Text, "publish") {
		t.Errorf("the guide: %.200s", docs.Contents[0].Text)
	}
	_, err = session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "sandlot://reference"})
	expect.OK(t, err)
}

// TestOuterCallsAreChargedOnce as a look where they make no call of the API, and as that call where they do.
func TestOuterCallsAreChargedOnce(t *testing.T) {
	w := newWorld(t, func(c *admission.Config, _ *publish.Config) {
		c.Work = admission.Rate{Count: 60, Per: time.Hour, Burst: 60}
		c.Public = true
	})
	w.addr = "203.0.113.1:4711"
	for i := range 20 {
		got := w.post("/mcp", rpc("tools/list", nil))
		if got.status == 429 {
			if got.wants(429).header.Get("Retry-After") == "" || i == 0 {
				t.Errorf("refused after %d: %v", i, got.header)
			}
			return
		}
	}
	t.Error("twenty lists were never too many")
}

// TestALargeCallOfAToolThatReadsIsCharged though its arguments are refused before the API sees them.
func TestALargeCallOfAToolThatReadsIsCharged(t *testing.T) {
	w := newWorld(t, func(c *admission.Config, _ *publish.Config) {
		c.Work = admission.Rate{Count: 60, Per: time.Hour, Burst: 60}
		c.Public = true
	})
	w.addr = "203.0.113.1:4711"
	body := rpc("tools/call", map[string]any{"name": "check", "arguments": strings.Repeat("x", smallBody)})
	for range 20 {
		if w.post("/mcp", body).status == 429 {
			return
		}
	}
	t.Error("twenty large ones were never too many")
}

func TestACallIsChargedAsThatOfTheAPI(t *testing.T) {
	w := newWorld(t, func(c *admission.Config, _ *publish.Config) {
		c.Writes = admission.Rate{Count: 1, Per: time.Hour, Burst: 1}
		c.Public = true
	})
	w.addr = "203.0.113.1:4711"
	w.call("", "publish", `{"html":`+q(page)+`}`).done()
	w.call("", "publish", `{"html":`+q(page)+`}`).refused("rate_limited")
	w.post("/mcp", rpc("tools/list", nil)).wants(200)
}

// TestOnlySoManyLargeMessagesAreReadAtOnce of one client, and small ones are read beside them.
func TestOnlySoManyLargeMessagesAreReadAtOnce(t *testing.T) {
	w := newWorld(t, func(c *admission.Config, _ *publish.Config) { c.Public = true })
	w.addr = "203.0.113.1:4711"
	var open []*slowBody
	for range 2 {
		slow := newSlowBody(t, w)
		open = append(open, slow)
	}
	large := rpc("tools/call", map[string]any{"name": "publish", "arguments": map[string]any{"html": page + strings.Repeat(" ", 2*smallBody)}})
	testenv.Eventually(t, 10*time.Second, "both to be read", func() bool { return w.front.large.Held() == 2 })
	if got := w.post("/mcp", large).wants(429); got.header.Get("Retry-After") == "" {
		t.Error("it does not say when to come back")
	}
	w.post("/mcp", rpc("tools/list", nil)).wants(200)
	for _, one := range open {
		one.end()
	}
	testenv.Eventually(t, 10*time.Second, "the slots to be free", func() bool { return w.front.large.Held() == 0 })
	w.post("/mcp", large).wants(200)
}

// A slowBody is the body of a large message whose end is still to come.
type slowBody struct {
	w    *io.PipeWriter
	done chan struct{}
}

func newSlowBody(t *testing.T, w *world) *slowBody {
	t.Helper()
	pr, pw := io.Pipe()
	s := &slowBody{pw, make(chan struct{})}
	go func() {
		defer close(s.done)
		if res, err := w.server.Client().Post(w.server.URL+"/mcp", "application/json", pr); err == nil {
			_ = res.Body.Close()
		}
	}()
	_, err := pw.Write(bytes.Repeat([]byte(" "), 2*smallBody))
	expect.OK(t, err)
	return s
}

// end ends the message, and waits for its answer.
func (s *slowBody) end() {
	_ = s.w.Close()
	<-s.done
}
