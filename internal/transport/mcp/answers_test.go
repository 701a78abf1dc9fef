package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot/internal/testkit/expect"
)

// fake lets one answer stand for the API.
func (w *world) fake(status int, body string) {
	w.api = http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(status)
		_, _ = rw.Write([]byte(body))
	})
}

// TestAnErrorHasTheCorrectedCallAsACallOfATool in words and as data, with the arguments that tools have.
func TestAnErrorHasTheCorrectedCallAsACallOfATool(t *testing.T) {
	w := settled(t)
	got := w.call(w.account, "update", `{"projectId":`+q(w.id)+`,"files":[{"filename":"a.js","text":"1"}]}`).refused("invalid_field")
	call := got.data["fix"].(map[string]any)
	expect.Equal(t, "tool", call["tool"], any("update"))
	expect.Equal(t, "project", call["arguments"].(map[string]any)["project"], any(w.id))
	last := got.text[strings.LastIndex(got.text, "\n")+1:]
	var printed map[string]any
	expect.OK(t, json.Unmarshal([]byte(last), &printed), got.text)
	expect.Same(t, "the call in words", printed, call)
	if !strings.HasPrefix(got.text, "invalid_field: ") || got.str("hint") == "" || got.str("message") == "" {
		t.Errorf("%s %v", got.text, got.data)
	}
}

// TestProposedCallsHaveATool for every operation that has one, and none for the others.
func TestProposedCallsHaveATool(t *testing.T) {
	w := newWorld(t)
	for name, tc := range map[string]struct{ operation, arguments, want string }{
		"a file":          {"file", `{"project_id":"a","filename":"b.js"}`, `{"tool":"get_project","arguments":{"project":"a","file":"b.js"}}`},
		"a deletion":      {"delete-file", `{"project_id":"a","filename":"b.js"}`, `{"tool":"update","arguments":{"project":"a","delete":["b.js"]}}`},
		"a ticket":        {"uploads", `{"title":"x"}`, `{"tool":"upload","arguments":{"title":"x"}}`},
		"the account":     {"whoami", `{}`, `{"tool":"list_projects","arguments":{}}`},
		"none":            {"export", `{}`, ""},
		"nothing that is": {"x", `7`, ""},
	} {
		w.fake(400, `{"error":"invalid_field","message":"m","hint":"h","status":400,"fix":{"operation":"`+tc.operation+`","arguments":`+tc.arguments+`}}`)
		got := w.call("", "publish", `{}`).refused("invalid_field")
		_, last, _ := strings.Cut(got.text, "h\n")
		expect.Equal(t, name, last, tc.want)
	}
}

// TestErrorsStayWithinTheirBounds however long they are on REST, and have no command for a shell.
func TestErrorsStayWithinTheirBounds(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("word ", 400)
	for _, arguments := range []string{`{"project_id":"a"}`, `{"title":` + q(long[:500]) + `}`, `{"title":` + q(long) + `}`} {
		body, err := json.Marshal(map[string]any{
			"error": "invalid_field", "message": long, "hint": "Send POST /v1/update with project_id:\ncurl http://x/ -d '{}'\n" + long, "status": 400,
			"fix": json.RawMessage(`{"operation":"update","arguments":` + arguments + `}`), "limit": 7, "names": strings.Fields(long),
		})
		expect.OK(t, err)
		w.fake(400, string(body))
		got := w.call("", "publish", `{}`).refused("invalid_field")
		if n := got.size(); n > 3000 {
			t.Errorf("the error has %d characters", n)
		}
		if strings.Contains(got.str("hint"), "curl") || !strings.Contains(got.str("hint"), "Send update with project:") {
			t.Errorf("the hint: %s", got.str("hint"))
		}
	}
}

// TestAToolThatNeedsAnAccountSaysTheWayOn without ending the conversation.
func TestAToolThatNeedsAnAccountSaysTheWayOn(t *testing.T) {
	w := newWorld(t)
	got := w.call("", "list_projects", `{}`).refused("key_required")
	want := "Your user connects once: http://localhost:8080/docs/agents. Or go on without: publish makes a project with an edit_token."
	expect.Contains(t, "the text", got.text, want)
	expect.Same(t, "the challenge", got.whole.Meta["mcp/www_authenticate"], any([]any{`Bearer error="insufficient_scope", error_description="This needs an account.", ` +
		`resource_metadata="http://localhost:8080/.well-known/oauth-protected-resource/mcp/account", scope="account"`}))
	expect.Equal(t, "a corrected call", got.data["fix"], nil)
	got = w.call("", "restore", `{"project":"a-1","version":2}`).refused("key_required")
	if !strings.Contains(got.text, "with an edit_token, which this tool takes.") || !strings.Contains(got.text, `"edit_token":"<edit_token>"`) {
		t.Error(got.text)
	}
}

// TestNoProposedCallAsksForAnAddress since a model that must give one invents it, and tools publish without.
func TestNoProposedCallAsksForAnAddress(t *testing.T) {
	got := newWorld(t).call("", "publish", `{"title":"x"}`).refused("missing_field")
	if strings.Contains(got.text, "mail") || !strings.Contains(got.text, `{"tool":"publish"`) {
		t.Error(got.text)
	}
}

// TestAFaultOfTheAPIIsAnErrorOfTheTool also if it breaks off, or panics.
func TestAFaultOfTheAPIIsAnErrorOfTheTool(t *testing.T) {
	w := newWorld(t)
	for name, api := range map[string]http.HandlerFunc{
		"no JSON": func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("<html>")) },
		"broken": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write([]byte(`{"a`))
			panic(http.ErrAbortHandler)
		},
		"at once":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a panic":   func(http.ResponseWriter, *http.Request) { panic("of the API") },
		"no answer": func(http.ResponseWriter, *http.Request) {},
		"no error":  func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(502) },
	} {
		w.api = api
		for _, one := range tools() {
			if got := w.call("", one.name, `{"project":"a-1","file":"x"}`); !got.whole.IsError && one.name != "get_project" {
				t.Errorf("%s: %s answers %s", name, one.name, got.text)
			}
		}
	}
	if !strings.Contains(w.Logs.String(), "of the API") {
		t.Error("the panic is not in the log")
	}
}

// checkAnswer is an answer of the API about a page with hostile words.
func checkAnswer(state string, picture int) string {
	list := make([]string, 20)
	for i := range list {
		list[i] = strings.Repeat(hostile, 10)
	}
	failed := make([]map[string]any, 20)
	findings := make([]map[string]string, 8)
	for i := range failed {
		failed[i] = map[string]any{"path": "/" + strings.Repeat("x", 300), "status": 404}
	}
	for i := range findings {
		findings[i] = map[string]string{"code": "script_error", "message": strings.Repeat(hostile, 5), "hint": "Mend it with POST /v1/update."}
	}
	out, _ := json.Marshal(map[string]any{
		"project_id": "a-1", "version": 3, "state": state, "reason": nil, "ahead": 4,
		"checked": map[string]any{
			"version": 3, "moved": true, "first_paint_ms": 20, "errors": list, "other_hosts": list, "failed_requests": failed, "findings": findings,
		},
		"picture": map[string]any{"content_type": "image/jpeg", "content": base64.StdEncoding.EncodeToString(make([]byte, picture))},
	})
	return string(out)
}

// TestCheckTellsWhatWasSeen with the picture, and words of the page as data alone.
func TestCheckTellsWhatWasSeen(t *testing.T) {
	w := newWorld(t)
	w.fake(200, checkAnswer("done", maxPicture))
	got := w.call("", "check", `{"project":"a-1"}`).done()
	expect.Equal(t, "blocks", len(got.whole.Content), 2)
	picture := got.whole.Content[1].(*sdk.ImageContent)
	expect.Equal(t, "picture", fmt.Sprint(picture.MIMEType, len(picture.Data)), fmt.Sprint("image/jpeg", maxPicture))
	if strings.Contains(got.text, "ignore") || !strings.Contains(got.text, "Something moved.") || !strings.Contains(got.text, "script_error") {
		t.Errorf("the text: %s", got.text)
	}
	seen := got.data["data"].(map[string]any)
	errors := seen["console_errors"].([]any)
	if first := errors[0].(string); len(errors) != 5 || strings.ContainsAny(first, "\u202e\u2066\u0007\n") {
		t.Errorf("console errors: %q", errors)
	}
	got.whole.Content = got.whole.Content[:1]
	if n := got.size(); n > 3000 {
		t.Errorf("the answer has %d characters without the picture", n)
	}
	w.fake(200, checkAnswer("done", maxPicture+1))
	expect.Equal(t, "a larger picture", len(w.call("", "check", `{"project":"a-1"}`).done().whole.Content), 1)
}

// TestCheckWaitsAndTellsThePlaceInTheQueue by one call of the API, which waits.
func TestCheckWaitsAndTellsThePlaceInTheQueue(t *testing.T) {
	w := newWorld(t)
	var asked string
	w.api = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked = r.URL.RequestURI()
		_, _ = rw.Write([]byte(`{"project_id":"a-1","version":2,"state":"waiting","reason":null,"ahead":4,"checked":null}`))
	})
	got := w.call("", "check", `{"project":"a-1"}`).done()
	expect.Equal(t, "call", asked, "/v1/project/a-1/checks?picture=true&wait=25")
	if !strings.Contains(got.text, "4 others come first") || got.num("ahead") != 4 {
		t.Errorf("%s %v", got.text, got.data)
	}
	w.fake(200, `{"project_id":"a-1","version":2,"state":"off","reason":"x","checked":null,"warnings":[{"code":"missing_file","message":"m","hint":"h"}]}`)
	got = w.call("", "check", `{"project":"a-1"}`).done()
	if !strings.Contains(got.text, "No play-tester") || len(got.data["warnings"].([]any)) != 1 {
		t.Errorf("without a play-tester: %s %v", got.text, got.data)
	}
}

// TestAPublishSaysThatThePlayTesterWillLook and when.
func TestAPublishSaysThatThePlayTesterWillLook(t *testing.T) {
	w := newWorld(t)
	for answer, want := range map[string]string{
		`"checks":{"state":"waiting","url":"u","message":"GET u waits for it."}`: "run check, which waits for it. With inputs, check plays it at once.",
		`"checks":{"state":"unavailable","url":"u"}`:                             "run check later.",
		`"checks":{"state":"off","url":"u"}`:                                     "No play-tester opens pages here",
		`"dry_run":true,"next":"POST u plays the version once it is made."`:      "Once it is made, check opens it, and plays your inputs.",
	} {
		w.fake(200, `{"project_id":"a-1","version":1,"url":"http://a/",`+answer+`}`)
		expect.Contains(t, "the text", w.call("", "publish", `{"html":"x"}`).done().text, want)
	}
}

// TestThePartOfAFileIsReadWithoutTheRest and the API sees a client that left, not a fault.
func TestThePartOfAFileIsReadWithoutTheRest(t *testing.T) {
	w := newWorld(t)
	ended := make(chan error, 1)
	w.api = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		line := []byte(strings.Repeat("a", 99) + "\n")
		for sent := 0; ; sent += len(line) {
			if _, err := rw.Write(line); err != nil {
				if sent > 2*windowSize || r.Context().Err() == nil {
					err = fmt.Errorf("%d bytes, context %v: %w", sent, r.Context().Err(), err)
					ended <- err
				}
				close(ended)
				return
			}
		}
	})
	got := w.call("", "get_project", `{"project":"a-1","file":"endless.txt"}`).done()
	expect.Equal(t, "next line", got.num("next_line"), 328)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
