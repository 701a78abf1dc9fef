package main

import (
	"fmt"
	"net/http"
	"os"
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
func playtests(t *testing.T) *testenv.Server {
	t.Helper()
	testenv.Need(t, "chromium")
	args := []string{"--playtest"}
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
