package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// trialTime is how long a trial takes at most here: one of ten seconds on a machine that does something else as well.
const trialTime = 2 * time.Minute

// A played is a project that a play-tester opens.
type played struct{ id, key, url string }

// playtests starts the program with a play-tester.
func playtests(t *testing.T, args ...string) *testenv.Server {
	t.Helper()
	testenv.Need(t, "chromium")
	args = append(args, "--playtest")
	if os.Geteuid() == 0 {
		args = append(args, "--playtest-user", "nobody")
	}
	return testenv.Start(t, testenv.Binary(t), args...)
}

// gives publishes a document.
func gives(t *testing.T, s *testenv.Server, account, title, document string) played {
	t.Helper()
	status, made := call(t, s, "POST", "/v1/publish", account, map[string]any{"content": []byte(document), "title": title})
	if status != http.StatusCreated {
		t.Fatalf("publish: %d %v", status, made)
	}
	return played{made["project_id"].(string), made["project_api_key"].(string), made["url"].(string)}
}

// checked waits until the current version was opened, and returns what was seen.
func checked(t *testing.T, s *testenv.Server, p played, within time.Duration) (checked map[string]any, codes string) {
	t.Helper()
	var answer map[string]any
	testenv.Eventually(t, within, "the current version of "+p.id+" is opened", func() bool {
		_, answer = call(t, s, "GET", "/v1/project/"+p.id+"/checks", p.key, nil)
		return answer["state"] == "done"
	})
	checked = answer["checked"].(map[string]any)
	for _, f := range checked["findings"].([]any) {
		codes += f.(map[string]any)["code"].(string) + " "
	}
	return checked, codes
}

const fails = `<!doctype html><title>%s</title><script src="missing.js"></script><script>nope()</script>`

// TestTheProgramOpensAPageThatFails, which a busy machine shows as well: its agent is given what is wrong with it.
func TestTheProgramOpensAPageThatFails(t *testing.T) {
	t.Parallel()
	s := playtests(t)
	_, codes := checked(t, s, gives(t, s, signUp(t, s), "Broken", fmt.Sprintf(fails, "Broken")), trialTime)
	for _, code := range []string{"script_error ", "missing_file "} {
		expect.Contains(t, "what is wrong", codes, code)
	}
}

// TestCallsForChecksEndWithTheirClientAndWithTheServer: neither a client that has gone nor a server that stops is waited for.
func TestCallsForChecksEndWithTheirClientAndWithTheServer(t *testing.T) {
	t.Parallel()
	s := playtests(t, "--stop-grace", "1m")
	account := signUp(t, s)
	gives(t, s, account, "First", "<!doctype html><title>First</title><p>1")
	p := gives(t, s, account, "Second", "<!doctype html><title>Second</title><p>2") // waits for the first
	checks := func(ctx context.Context) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, "GET", s.URL()+"/v1/project/"+p.id+"/checks?wait=25", nil)
		expect.OK(t, err)
		r.Header.Set("Authorization", "Bearer "+p.key)
		return s.Client().Do(r)
	}
	inFlight := func(want string) {
		t.Helper()
		testenv.Eventually(t, 10*time.Second, "requests in flight: "+want, func() bool {
			_, text := asks(t, s, "GET", "/metrics", "localhost")
			return strings.Contains(text, "\nsandlot_http_requests_in_flight "+want+"\n")
		})
	}
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { _, err := checks(ctx); left <- err }()
	inFlight("2") // that of the metrics, too
	leave()
	expect.Is(t, "the call of the client that has gone", <-left, context.Canceled)
	inFlight("1")

	type ended struct {
		answer map[string]any
		at     time.Time
	}
	answered := make(chan ended)
	go func() {
		resp, err := checks(t.Context())
		if err != nil {
			t.Error(err)
			close(answered)
			return
		}
		defer resp.Body.Close()
		var e ended
		err = json.NewDecoder(resp.Body).Decode(&e.answer)
		e.at = time.Now()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%d, %v", resp.StatusCode, err)
		}
		answered <- e
	}()
	inFlight("2")
	stopping := time.Now()
	expect.Equal(t, "exit code", s.Stop(t), 0)
	e := <-answered
	if took := e.at.Sub(stopping); took > 8*time.Second {
		t.Errorf("the answer came %v after the stop began: %v", took, e.answer)
	}
	expect.Contains(t, "states of what is not opened yet", "waiting running unavailable", fmt.Sprint(e.answer["state"]))
}
