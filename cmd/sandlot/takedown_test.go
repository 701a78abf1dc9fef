package main

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// admin runs the program as an operator beside the server.
func admin(t *testing.T, s *testenv.Server, args ...string) string {
	t.Helper()
	out, err := exec.Command(testenv.Binary(t), append(append([]string{"admin"}, args...), "--data", s.Data())...).CombinedOutput()
	if err != nil {
		t.Fatalf("sandlot admin %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// stubborn is a project whose worker shows the first copy of the page for ever, from what it has kept.
var stubborn = map[string]string{
	"index.html": `<!doctype html><title>game</title><script>
navigator.serviceWorker.register('sw.js').then(() => navigator.serviceWorker.ready).then(() => { document.title = 'ready'; });
</script>`,
	"sw.js": `self.addEventListener('install', (e) => e.waitUntil(caches.open('all').then((c) => c.add('/')).then(() => self.skipWaiting())));
self.addEventListener('activate', (e) => e.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (e) => { if (e.request.mode === 'navigate') e.respondWith(caches.match('/')); });`,
}

func TestAServiceWorkerEndsWithItsProject(t *testing.T) {
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t))
	key := signUp(t, s)
	status, project := call(t, s, "POST", "/v1/publish", key, map[string]any{"content": []byte(stubborn["index.html"])})
	if status != http.StatusCreated {
		t.Fatalf("publish: %d %v", status, project)
	}
	if status, answer := call(t, s, "POST", "/v1/update", key, map[string]any{"filename": "sw.js", "content": []byte(stubborn["sw.js"])}); status != http.StatusOK {
		t.Fatalf("update: %d %v", status, answer)
	}
	ctx := testenv.Engine(t)
	url := project["url"].(string)
	until := func(what, expression string) {
		t.Helper()
		var err error
		if !testenv.Poll(time.Minute, func() (yes bool) {
			// An error may be that the page is just being replaced.
			yes, err = chromedp.Run(ctx, chromedp.Evaluate[bool](`Promise.resolve(`+expression+`)`, chromedp.EvalAwaitPromise))
			return yes && err == nil
		}) {
			t.Fatalf("not so: %s (%v)", what, err)
		}
	}
	act(t, ctx, chromedp.Navigate(url))
	until("the worker is registered", `document.title === 'ready' && navigator.serviceWorker.controller !== null`)
	admin(t, s, "suspend", project["project_id"].(string), "--reason", "a report")
	awaitStatus(t, s, url, http.StatusUnavailableForLegalReasons)

	// The worker answers this load, but has the browser look for its successor.
	act(t, ctx, chromedp.Navigate(url))
	until("the page is the one of the service", `document.body !== null && document.body.textContent.includes('taken down')`)
	until("no worker is left", `navigator.serviceWorker.getRegistrations().then((list) => list.length === 0)`)
	until("nothing is kept", `caches.keys().then((names) => names.length === 0)`)
	act(t, ctx, chromedp.Reload())
	until("the page after a reload", `document.body !== null && document.body.textContent.includes('taken down')`)

	admin(t, s, "reinstate", project["project_id"].(string))
	awaitStatus(t, s, url, http.StatusOK)
	act(t, ctx, chromedp.Navigate(url))
	until("the reinstated project registers its worker again", `document.title === 'ready' && navigator.serviceWorker.controller !== null`)
}

// awaitStatus sends a request until the answer has a status, and returns the time that it took.
func awaitStatus(t *testing.T, s *testenv.Server, url string, want int) time.Duration {
	t.Helper()
	begun := time.Now()
	last := 0
	if !testenv.Poll(20*time.Second, func() bool {
		resp, err := s.Client().Get(url)
		expect.OK(t, err)
		resp.Body.Close()
		last = resp.StatusCode
		return last == want
	}) {
		t.Fatalf("%s answers %d", url, last)
	}
	return time.Since(begun)
}

// fivefold is the slack that a busy machine is given.
const fivefold = 5
