package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"regexp"
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

// bounces is a game in which something moves.
const bounces = `<!doctype html><title>%s</title><canvas id="c" width="600" height="400"></canvas><script>
let n = 0, x = document.getElementById('c').getContext('2d')
function frame() { x.fillStyle = '#124'; x.fillRect(0, 0, 600, 400); x.fillStyle = '#fb3'; x.fillRect(n++ %% 560, 180, 40, 40); requestAnimationFrame(frame) }
frame()</script>`

const fails = `<!doctype html><title>%s</title><script src="missing.js"></script><script>nope()</script>`

// TestSoakTheProgramOpensWhatIsPublished: with a play-tester each new version is opened once; its picture is the project's, and its agent
// hears what is wrong, and twenty that come at once are opened as well.
func TestSoakTheProgramOpensWhatIsPublished(t *testing.T) {
	testenv.Unraced(t) // a trial is ten seconds of a browser: beside all other tests it may see nothing
	s := playtests(t)
	account := signUp(t, s)
	good := gives(t, s, account, "Bounce", fmt.Sprintf(bounces, "Bounce"))
	seen, codes := checked(t, s, good, trialTime)
	expect.Equal(t, "what is wrong with what works", codes, "")
	expect.Equal(t, "that it moved", seen["moved"], true)
	var poster []string
	testenv.Eventually(t, trialTime, "the picture is on the project's page", func() bool {
		_, page := open(t, s, baseOf(s)+"/p/"+good.id)
		poster = posterAt.FindStringSubmatch(string(page))
		return poster != nil
	})
	status, picture := open(t, s, baseOf(s)+poster[1])
	expect.Equal(t, "the status of the picture", status, http.StatusOK)
	size, err := png.DecodeConfig(bytes.NewReader(picture))
	expect.OK(t, err)
	expect.Equal(t, "its size", image.Pt(size.Width, size.Height), image.Pt(640, 360))

	bad := gives(t, s, account, "Broken", fmt.Sprintf(fails, "Broken"))
	_, codes = checked(t, s, bad, trialTime)
	expect.Equal(t, "what is wrong with what fails", codes, "page_blank script_error missing_file ")
	status, answer := call(t, s, "POST", "/v1/update", bad.key, map[string]any{"project_id": bad.id, "filename": "index.html", "content": []byte(fmt.Sprintf(bounces, "Mended"))})
	expect.Equal(t, "the status of the update", status, http.StatusOK)
	if _, codes = checked(t, s, bad, trialTime); codes != "" {
		t.Errorf("mended as version %v, it still has %s", answer["version"], codes)
	}
	t.Run("many at once", func(t *testing.T) { manyAtOnce(t, s) })
}

// TestTheProgramOpensAPageThatFails, which a busy machine shows as well: its agent is given what is wrong with it.
func TestTheProgramOpensAPageThatFails(t *testing.T) {
	t.Parallel()
	s := playtests(t)
	_, codes := checked(t, s, gives(t, s, signUp(t, s), "Broken", fmt.Sprintf(fails, "Broken")), trialTime)
	for _, code := range []string{"script_error ", "missing_file "} {
		expect.Contains(t, "what is wrong", codes, code)
	}
}

// posterAt is where a project's page has its picture.
var posterAt = regexp.MustCompile(`<div class="poster">\s*<img [^>]*src="(/i/[^"]+\.png)"`)

// burst is how many versions come at once.
const burst = 20

// manyAtOnce publishes versions while others are opened: each is opened once.
func manyAtOnce(t *testing.T, s *testenv.Server) {
	var all []played
	for range 4 {
		account := signUp(t, s)
		for i := range burst / 4 {
			document := []string{bounces, fails}[i%2]
			all = append(all, gives(t, s, account, "Many", fmt.Sprintf(document, "Many")))
		}
	}
	for i, p := range all {
		_, codes := checked(t, s, p, burst*trialTime)
		expect.Equal(t, "that something is wrong with the one that fails", codes != "", i%(burst/4)%2 == 1)
	}
	_, metrics := open(t, s, baseOf(s)+"/metrics")
	for _, want := range []string{fmt.Sprintf(`sandlot_trials_total{outcome="done"} %d`, burst+3), `sandlot_trials_total{outcome="failed"} 0`} {
		if !strings.Contains(string(metrics), want+"\n") {
			t.Errorf("the metrics have no %s", want)
		}
	}
}
