package main

import (
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A fleet is the nodes that a proxy sends requests to.
type fleet struct {
	set []string // flags
	key string

	mu    sync.RWMutex // held for reading by what is under way
	nodes []*testenv.Server

	kept ledger
}

// upgradedBase is what the fleet is called by.
const upgradedBase = "sandlot.test"

// start adds a node. The proxy is the test, which says which address a visitor has.
func (f *fleet) start(t *testing.T, bin string) *testenv.Server {
	t.Helper()
	s := testenv.Start(t, bin, append([]string{"--base-url", "http://" + upgradedBase, "--trusted-proxies", "127.0.0.1"}, f.set...)...)
	f.add(s)
	return s
}

func (f *fleet) add(s *testenv.Server) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nodes = append(f.nodes, s)
}

// stop takes a node out, and ends it when nothing is under way there.
func (f *fleet) stop(t *testing.T, s *testenv.Server) {
	t.Helper()
	f.mu.Lock()
	f.nodes = slices.DeleteFunc(f.nodes, func(have *testenv.Server) bool { return have == s })
	f.mu.Unlock()
	expect.Equal(t, "exit code", s.Stop(t), 0)
	if strings.Contains(s.Logs(), "level=ERROR") {
		t.Errorf("a node has errors in its log:\n%s", s.Logs())
	}
}

// traffic publishes, updates and reads at one node after the other until stop is closed. Nothing may fail, and each node is ready.
func (f *fleet) traffic(t *testing.T, stop <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		if err := f.round(t, n); err != nil {
			t.Errorf("beside the upgrade: %v", err)
			return
		}
		testenv.Wait(t, 20*time.Millisecond, "the machine has other things to do, too")
	}
}

func (f *fleet) round(t *testing.T, n int) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	at := func(i int) *testenv.Server { return f.nodes[(n+i)%len(f.nodes)] }
	for _, s := range f.nodes {
		if !testenv.Poll(within, func() bool { // on a machine that is busy what it asks may come too late, once
			status, _ := open(t, s, s.URL()+"/readyz")
			return status == http.StatusOK
		}) {
			return errors.New("a node is not ready")
		}
	}
	text := fmt.Sprint("<p>page ", n)
	made, err := apiOf(at(0), f.key).Publish(t.Context(), client.Fields{}, strings.NewReader(text))
	if err != nil {
		return err
	}
	big := string(bigFile(text))
	if _, err := apiOf(at(1), f.key).Update(t.Context(), client.Fields{ProjectID: made.ProjectID, Filename: "big.bin"}, strings.NewReader(big)); err != nil {
		return err
	}
	f.kept.mu.Lock()
	defer f.kept.mu.Unlock()
	f.kept.pages[made.URL], f.kept.pages[made.URL+"big.bin"] = text, big
	if status, body := open(t, at(1), made.URL+"big.bin"); status != http.StatusOK || string(body) != big {
		return fmt.Errorf("what a node took it serves with %d and %d bytes", status, len(body))
	}
	return nil
}

// begun is what is begun at the first nodes and ended at the last.
type begun struct {
	project string // that everybody plays
	url     string
	plays   int
	again   map[string]string // the projects that calls with these Idempotency-Keys made
}

// part sends the part with that number of the upload that lasts as long as the upgrade.
func (f *fleet) part(t *testing.T, s *testenv.Server, n int, status int) map[string]any {
	t.Helper()
	got, answer := call(t, s, "POST", "/v1/publish", f.key, map[string]any{"upload_id": "an-upload-that-lasts-long", "part": n, "total_parts": 3, "content": page(100_000 + n)})
	expect.Equal(t, fmt.Sprint("part ", n), got, status)
	return answer
}

// once publishes under an Idempotency-Key.
func once(t *testing.T, s *testenv.Server, key, value string) string {
	t.Helper()
	made, err := apiOf(s, key).Publish(t.Context(), client.Fields{IdempotencyKey: value}, strings.NewReader("<p>"+value))
	expect.OK(t, err)
	return made.ProjectID
}

// together has two nodes do all that there is in turns. program is who gives the operator's order.
func (f *fleet) together(t *testing.T, b *begun, program string, x, y *testenv.Server) {
	t.Helper()
	word := fmt.Sprintf("Wanderung%d", len(b.again))
	made, err := apiOf(x, f.key).Publish(t.Context(), client.Fields{Title: word + " 迷路の猫"}, strings.NewReader("<p>"+word))
	expect.OK(t, err)
	second := page(90_000)
	_, err = apiOf(y, f.key).Update(t.Context(), client.Fields{ProjectID: made.ProjectID, Filename: "index.html"}, strings.NewReader(string(second)))
	expect.OK(t, err)
	for _, s := range []*testenv.Server{x, y} {
		sees(t, s, made.URL, http.StatusOK, second)
		for _, part := range []string{strings.ToLower(word[3:]), "路の"} {
			testenv.Eventually(t, within, "it is found by "+part, func() bool {
				_, list := open(t, s, "http://"+upgradedBase+"/?q="+part)
				return strings.Contains(string(list), made.ProjectID)
			})
		}
		b.plays++
		r := from(t, s, fmt.Sprintf("203.0.113.%d", b.plays), "GET", "/v1/project/"+b.project, "", nil)
		expect.Equal(t, "a project", r.StatusCode, http.StatusOK)
		p := popular{Server: s, t: t}
		expect.Equal(t, "a play", p.ask(fmt.Sprintf("203.0.113.%d", b.plays), "GET", strings.TrimPrefix(strings.TrimSuffix(b.url, "/"), "http://"), "/", ""), http.StatusOK)
	}
	account, err := apiOf(y, "").Signup(t.Context(), client.Fields{})
	expect.OK(t, err)
	who, err := apiOf(x, account.APIKey).WhoAmI(t.Context(), 1)
	expect.OK(t, err)
	expect.Equal(t, "the account", who.Handle, account.Handle)
	for value, id := range b.again {
		expect.Equal(t, "the project of "+value+" sent again", once(t, y, f.key, value), id)
	}
	value := fmt.Sprintf("once-and-for-all-%d", len(b.again))
	b.again[value] = once(t, x, f.key, value)
	expect.Equal(t, "the project of a call sent again", once(t, y, f.key, value), b.again[value])
	args := append([]string{"admin", "suspend", made.ProjectID, "--reason", "a report"}, f.set[:4]...)
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("sandlot admin suspend: %v\n%s", err, out)
	}
	for _, s := range []*testenv.Server{x, y} {
		sees(t, s, made.URL, http.StatusUnavailableForLegalReasons, nil)
	}
}

// TestSoakARollingUpgradeServesThroughout: two nodes of the release before are replaced by nodes of this one, which bring the schema up to
// date beside them, or after them where a migration takes something away.
func TestSoakARollingUpgradeServesThroughout(t *testing.T) {
	testenv.Unraced(t)
	old := previous(t)
	if old == nil {
		return
	}
	f := &fleet{set: fullSet(t), kept: ledger{pages: map[string]string{}}}
	now := testenv.Binary(t)
	a, b := f.start(t, old.bin), f.start(t, old.bin)
	f.key = signUp(t, a)
	made, err := apiOf(a, f.key).Publish(t.Context(), client.Fields{}, strings.NewReader("<p>played"))
	expect.OK(t, err)
	over := &begun{project: made.ProjectID, url: made.URL, again: map[string]string{}}

	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { f.traffic(t, stop) })
	defer running.Wait()
	var ended sync.Once
	end := func() { ended.Do(func() { close(stop) }) }
	defer end()

	f.together(t, over, old.bin, a, b)
	f.part(t, a, 1, http.StatusAccepted)
	if !old.beside {
		t.Log("a migration takes away what the release before uses, whose nodes stop first")
		end()
		running.Wait()
		f.stop(t, a)
		f.stop(t, b)
	}
	c := f.start(t, now) // it migrates
	f.part(t, c, 2, http.StatusAccepted)
	if old.beside {
		f.together(t, over, now, a, c)
		f.stop(t, a)
	}
	if old.begins {
		a.Restart(t) // as after a crash
		f.add(a)
		f.together(t, over, old.bin, c, a)
		f.stop(t, a)
	}
	d := f.start(t, now)
	if old.beside {
		f.together(t, over, now, d, b)
		f.stop(t, b)
	}
	whole := f.part(t, d, 3, http.StatusCreated)
	f.together(t, over, now, c, d)
	end()
	running.Wait()

	f.kept.pages[whole["url"].(string)] = string(slices.Concat(page(100_001), page(100_002), page(100_003)))
	t.Logf("%d files were published meanwhile", len(f.kept.pages))
	for _, s := range []*testenv.Server{c, d} {
		for at, want := range f.kept.pages {
			sees(t, s, at, http.StatusOK, []byte(want))
		}
	}
	awaitStats(t, c, over.project, fmt.Sprint(over.plays, " plays"), func(_, plays float64) bool { return int(plays) == over.plays })
	f.stop(t, c)
	f.stop(t, d)
}
