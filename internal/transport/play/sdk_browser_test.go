package play

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/domain/players/boards"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// calls are the calls of players that came, each as its method and name. While away is set, none gets an answer.
type calls struct {
	mu   sync.Mutex
	came []string
	away bool
	// scored is called before the service gets a score, with the number of those before.
	scored func(before int)
}

// lost notes a call, and reports whether it gets no answer.
func (c *calls) lost(r *http.Request) bool {
	_, name, ok := strings.Cut(r.URL.Path, "/.sandlot/")
	if !ok || !strings.HasPrefix(name, "s") || name == sdkName {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := r.Method + " " + name; strings.HasPrefix(call, "POST scores/") && c.scored != nil {
		c.scored(len(c.came))
	}
	c.came = append(c.came, r.Method+" "+name)
	return c.away
}

func (c *calls) setAway(away bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away = away
}

// count returns how often a call came.
func (c *calls) count(call string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.came {
		if one == call {
			n++
		}
	}
	return n
}

// js evaluates an expression with await, and returns its value as JSON.
func js(t *testing.T, ctx context.Context, expression string) string {
	t.Helper()
	return run(t, ctx, chromedp.Evaluate[string](`(async () => String(JSON.stringify(`+expression+`)))()`, chromedp.EvalAwaitPromise))
}

// says checks the values of expressions, each followed by its value as JSON.
func says(t *testing.T, ctx context.Context, pairs ...string) {
	t.Helper()
	for pair := range slices.Chunk(pairs, 2) {
		if got := js(t, ctx, pair[0]); got != pair[1] {
			t.Errorf("%s is %s, want %s", pair[0], got, pair[1])
		}
	}
}

const game = `<!doctype html><title>Game</title><script src=".sandlot/sdk.js"></script><body><p>play`

// newGame serves a game with the script on a stage, and returns its address. The website is the stage's own name.
func newGame(t *testing.T, alone bool, page string) (*stage, string) {
	t.Helper()
	s := newStage(t, alone, func(c *Config) {
		c.Quarantine = true // nobody has verified an address here
		if c.Places.Content != "" {
			c.Places.Base = &url.URL{Scheme: "http", Host: c.Places.Content}
		}
		world := c.Gallery.(*world)
		c.Players, c.Boards, c.Faults = world.Runtime.Players, world.Runtime.Boards, world.Runtime.Faults
	})
	s.calls.scored = func(int) { s.Clock.Move(boards.MinSeconds * time.Second) } // the player has been there
	s.put(gameID, s.file("index.html", page))
	return s, s.url(gameID)
}

// another opens a tab of another device.
func another(t *testing.T, browser context.Context) context.Context {
	t.Helper()
	run(t, browser, chromedp.Navigate("about:blank"))
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	return ctx
}

func TestAGameSavesAndKeepsScores(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s, home := newGame(t, false, game)
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx,
		`sandlot.local`, `false`,
		`await sandlot.load()`, `null`,
		`await sandlot.save({level: 3, "é": [1, null, "<b>"]})`, `{"ok":true}`,
		`await sandlot.save(7, 'other')`, `{"ok":true}`,
		`await sandlot.load()`, `{"level":3,"é":[1,null,"<b>"]}`,
	)
	run(t, ctx, chromedp.Reload())
	says(t, ctx,
		`await sandlot.load()`, `{"level":3,"é":[1,null,"<b>"]}`,
		`await sandlot.load('other')`, `7`,
		// Of many saves the last counts, and few are sent.
		`await (async () => { const all = []; for (let n = 0; n < 50; n++) all.push(sandlot.save({n})); return [...new Set((await Promise.all(all)).map((r) => r.ok))]; })()`, `[true]`,
		`await sandlot.load()`, `{"n":49}`,
	)
	if n := s.calls.count("PUT saves/main"); n > 3 {
		t.Errorf("51 saves were sent in %d calls", n)
	}
	says(t, ctx,
		`(await sandlot.score(1230)).best`, `1230`,
		`(({ok, rank, of}) => ({ok, rank, of}))(await sandlot.score(100))`, `{"ok":true,"rank":1,"of":1}`,
		`(await sandlot.top()).entries.map(({rank, score, you}) => ({rank, score, you}))`, `[{"rank":1,"score":1230,"you":true}]`,
		`await sandlot.player.rename('  Kim  ')`, `{"ok":true,"name":"Kim"}`,
		`sandlot.player.name`, `"Kim"`,
		`await sandlot.ready()`, `undefined`,
	)
}

// fast is the beginning of a page whose timers run ten times as fast.
const fast = `<script>{ const f = setTimeout; window.setTimeout = (g, ms, ...all) => f(g, ms / 10, ...all); }</script>`

// TestAScoreIsHeldBackUntilItCounts: one of a player who has just come is sent again when the service says, and its call resolves then.
func TestAScoreIsHeldBackUntilItCounts(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s, home := newGame(t, false, fast+game)
	s.calls.scored = func(before int) {
		if before > 0 {
			s.Clock.Move(boards.MinSeconds * time.Second)
		}
	}
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx, `await sandlot.score(7)`, `{"ok":true,"best":7,"improved":true,"rank":1,"of":1}`)
	if n := s.calls.count("POST scores/main"); n != 2 {
		t.Errorf("it was sent %d times", n)
	}
}

// TestNoCallOfAGameThrows, whatever it brings, and none changes the prototypes of the page.
func TestNoCallOfAGameThrows(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	_, home := newGame(t, false, game)
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx,
		`await sandlot.save((() => { const a = {}; a.a = a; return a; })())`, `{"ok":false,"reason":"invalid_json"}`,
		`await sandlot.save(undefined)`, `{"ok":false,"reason":"invalid_json"}`,
		`await sandlot.save(10n)`, `{"ok":false,"reason":"invalid_json"}`,
		`await sandlot.save('x'.repeat(300000))`, `{"ok":false,"reason":"content_too_large"}`,
		`await sandlot.save(1, 'a b')`, `{"ok":false,"reason":"invalid_field"}`,
		`await sandlot.load('a b')`, `null`,
		`await sandlot.score(NaN)`, `{"ok":false,"reason":"invalid_field"}`,
		`await sandlot.score('9')`, `{"ok":false,"reason":"invalid_field"}`,
		`await sandlot.score(1, null)`, `{"ok":false,"reason":"invalid_field"}`,
		`await sandlot.score(1, {board: 'A B'})`, `{"ok":false,"reason":"invalid_field"}`,
		`await sandlot.top({limit: 'x'})`, `{"ok":false,"reason":"invalid_field"}`,
		`await sandlot.resume('no such code here')`, `{"ok":false,"reason":"invalid_code"}`,
		`await sandlot.resume(Object.create(null))`, `{"ok":false,"reason":"invalid_field"}`,
		`await sandlot.save(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'))`, `{"ok":true}`,
	)
	run(t, ctx, chromedp.Reload())
	says(t, ctx,
		`Object.keys(await sandlot.load())`, `["__proto__","constructor"]`,
		`[({}).polluted, Object.prototype.polluted, [].polluted]`, `[null,null,null]`,
	)
}

// TestTheLastSaveIsKeptWhenThePageIsLeft: it has not been sent by then, and goes by beacon.
func TestTheLastSaveIsKeptWhenThePageIsLeft(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s, home := newGame(t, false, game)
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx, `(await sandlot.save(1)).ok`, `true`)
	run(t, ctx, chromedp.Evaluate[bool](`sandlot.save(2); location = 'about:blank'; true`))
	testenv.Eventually(t, 30*time.Second, "the beacon comes", func() bool { return s.calls.count("POST saves/main") == 1 })
	testenv.Eventually(t, 30*time.Second, "the page is left", func() bool {
		gone, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`location.href === 'about:blank'`))
		return err == nil && gone
	})
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx, `await sandlot.load()`, `2`)
}

// TestASaveWithoutTheServiceIsSentLater: the browser keeps an unacknowledged save, and sends it when the page is loaded again.
func TestASaveWithoutTheServiceIsSentLater(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s, home := newGame(t, false, game)
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx, `(await sandlot.save('first')).ok`, `true`)
	s.calls.setAway(true)
	says(t, ctx,
		`await sandlot.save('second')`, `{"ok":true,"local":true,"reason":"offline"}`,
		`await sandlot.load()`, `"second"`,
		`(await sandlot.score(5)).local`, `true`,
		`(await sandlot.top()).local`, `true`,
	)
	run(t, ctx, chromedp.Navigate("about:blank"))
	s.calls.setAway(false)
	run(t, ctx, chromedp.Navigate(home))
	testenv.Eventually(t, 30*time.Second, "the save is sent", func() bool {
		return js(t, ctx, `await (await fetch('.sandlot/saves', {headers: {'X-Sandlot-Player': 'x'}})).status`) == "400" &&
			js(t, ctx, `JSON.parse(localStorage['.sandlot/save/main'])`) != "" && strings.Contains(js(t, ctx, `JSON.parse(localStorage['.sandlot/save/main']).sent`), "true")
	})
	says(t, ctx, `await sandlot.load()`, `"second"`)
}

// TestALoadEndsWhereTheNetworkSwallowsCalls: after a call that took 20 seconds to fail it makes no other, since a game waits for it.
func TestALoadEndsWhereTheNetworkSwallowsCalls(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	_, home := newGame(t, false, `<!doctype html><title>Game</title><script>
let at = 0, loads = 0;
Date.now = () => at;
fetch = async (address) => {
  if (address.endsWith('saves/main')) { at += 20000; loads++; }
  throw new TypeError('timed out');
};
</script>`+game)
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx, `await sandlot.load()`, `null`, `loads`, `1`)
}

// TestTwoDevicesAreOnePlayerThroughTheCode: saves and name follow the four words, and a newer save of the other device is not undone.
func TestTwoDevicesAreOnePlayerThroughTheCode(t *testing.T) {
	t.Parallel()
	first := testenv.Engine(t)
	_, home := newGame(t, false, game)
	second := another(t, first)
	run(t, first, chromedp.Navigate(home))
	says(t, first, `(await sandlot.save('mine')).ok`, `true`, `(await sandlot.player.rename('Kim')).ok`, `true`)
	code := js(t, first, `(await sandlot.code()).code`)
	if len(strings.Split(code, "-")) != 4 {
		t.Fatalf("the code is %s", code)
	}
	run(t, second, chromedp.Navigate(home))
	says(t, second,
		`(await sandlot.save('before')).ok`, `true`,
		`(window.late = sandlot.save('late')) && await sandlot.resume(`+code+`)`, `{"ok":true,"name":"Kim"}`,
		`await Promise.race([late, new Promise((go) => setTimeout(go, 5000, 'it never resolves'))])`, `{"ok":false,"reason":"resumed"}`,
		`await sandlot.load()`, `"mine"`,
		`(await sandlot.save('theirs')).ok`, `true`,
	)
	run(t, first, chromedp.Reload())
	says(t, first, `await sandlot.load()`, `"theirs"`)
}

// TestPagesOfChatsKeepTheirStorage by window.storage, where the page has none.
func TestPagesOfChatsKeepTheirStorage(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	_, home := newGame(t, false, game)
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx,
		`await storage.get('a:1')`, `null`,
		`await storage.set('a:1', 'x')`, `{"key":"a:1","value":"x","shared":false}`,
		`await storage.set('a:2', '{"n": 1}')`, `{"key":"a:2","value":"{\"n\": 1}","shared":false}`,
		`await storage.set('__proto__', 'y')`, `{"key":"__proto__","value":"y","shared":false}`,
		`await storage.set('all/1', [1], true)`, `{"key":"all/1","value":[1],"shared":true}`,
		`await storage.set('all/2', 2, true)`, `{"key":"all/2","value":2,"shared":true}`,
		`await storage.delete('all/2', true)`, `{"key":"all/2","deleted":true,"shared":true}`,
		`await storage.delete('a:2')`, `{"key":"a:2","deleted":true,"shared":false}`,
	)
	run(t, ctx, chromedp.Reload())
	says(t, ctx,
		`await storage.get('a:1')`, `{"key":"a:1","value":"x","shared":false}`,
		`await storage.list('a')`, `{"keys":["a:1"],"prefix":"a","shared":false}`,
		`(await storage.list()).keys.sort()`, `["__proto__","a:1"]`,
		`await storage.get('all/1', true)`, `{"key":"all/1","value":[1],"shared":true}`,
		`await storage.get('a:1', true)`, `null`,
		`await storage.list('al', true)`, `{"keys":["all/1"],"prefix":"al","shared":true}`,
	)
	other := another(t, ctx)
	run(t, other, chromedp.Navigate(home))
	says(t, other, `await storage.get('a:1')`, `null`, `(await storage.get('all/1', true)).value`, `[1]`)

	_, home = newGame(t, false, `<!doctype html><script>window.storage = 'own'</script>`+game)
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx, `storage`, `"own"`)
}

// TestAGameMayReplaceWhatTheScriptUses.
func TestAGameMayReplaceWhatTheScriptUses(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	_, home := newGame(t, false, game+`<script>
const no = () => { throw new Error('replaced'); };
const kept = {stringify: JSON.stringify, Promise};
window.fetch = JSON.parse = no;
window.Promise = class { constructor() { no(); } static race() { no(); } };
window.setTimeout = no;
console.log = console.error = no;
Map.prototype = null;
</script>`)
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx, `(await sandlot.save(3)).ok`, `true`, `await sandlot.load()`, `3`, `(await sandlot.score(3)).ok`, `true`)
}

// TestElsewhereTheScriptWorksAlone: at a version's address, on another host and in a file it keeps everything in the browser, calls nobody, and
// says so.
func TestElsewhereTheScriptWorksAlone(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s, home := newGame(t, false, game)
	copied := strings.Replace(game, ".sandlot/sdk.js", home+".sandlot/sdk.js", 1)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/sandbox" {
			w.Header().Set("Content-Security-Policy", "sandbox allow-scripts")
		}
		_, _ = w.Write([]byte(copied))
	}))
	t.Cleanup(elsewhere.Close)
	file := filepath.Join(t.TempDir(), "game.html")
	expect.OK(t, os.WriteFile(file, []byte(copied), 0o600))
	for _, at := range []string{
		strings.Replace(home, string(gameID), s.versionLabel(), 1), elsewhere.URL + "/folder/game.html", "file://" + file,
		elsewhere.URL + "/sandbox", // without storage: it has the memory alone
	} {
		run(t, ctx, chromedp.Navigate(at))
		says(t, ctx,
			`sandlot.local`, `true`,
			`await sandlot.load()`, `null`,
			`await sandlot.save({level: 3})`, `{"ok":true,"local":true}`,
			`await sandlot.load()`, `{"level":3}`,
			`await sandlot.score(5)`, `{"ok":true,"best":5,"improved":true,"rank":1,"of":1,"local":true}`,
			`await sandlot.score(9, {board: 'time', order: 'asc'})`, `{"ok":true,"best":9,"improved":true,"rank":1,"of":1,"local":true}`,
			`(await sandlot.score(10, {board: 'time', order: 'asc'})).best`, `9`,
			`(await sandlot.top()).entries.length`, `1`,
			`await sandlot.player.rename('Kim')`, `{"ok":true,"name":"Kim","local":true}`,
			`await sandlot.code()`, `{"ok":false,"reason":"off"}`,
			`await sandlot.resume('a b c d')`, `{"ok":false,"reason":"off"}`,
			`(await storage.set('k', 1)).value`, `1`,
			`(await storage.set('k', 2, true)).value`, `2`,
			`(await storage.get('k', true)).value`, `2`,
			`await storage.list('', true)`, `{"keys":["k"],"prefix":"","shared":true}`,
		)
		if strings.HasSuffix(at, "/sandbox") {
			continue
		}
		run(t, ctx, chromedp.Reload())
		says(t, ctx, `await sandlot.load()`, `{"level":3}`, `sandlot.player.name`, `"Kim"`)
	}
	if len(s.calls.came) > 0 {
		t.Errorf("calls came: %q", s.calls.came)
	}
}

// TestACopyOfTheScriptWorksAlone: beside a page on another host, whether that answers other addresses with 404 or with its page, and in a file. A
// load asks a foreign server once, and a file calls nobody.
func TestACopyOfTheScriptWorksAlone(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	w := newWorld(t)
	w.put(gameID, w.file("index.html", game))
	script := bodyOf(t, get(newHandler(w, "localhost", w.playing), "/.sandlot/sdk.js"))
	folder := t.TempDir()
	expect.OK(t, os.Mkdir(filepath.Join(folder, ".sandlot"), 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(folder, ".sandlot", "sdk.js"), []byte(script), 0o600))
	expect.OK(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte(game), 0o600))
	files := http.FileServer(http.Dir(folder))
	var loads atomic.Int32
	server := func(pageForAll bool) string {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/saves/main") && r.Method == http.MethodGet {
				loads.Add(1)
			}
			if pageForAll && !strings.HasSuffix(r.URL.Path, ".js") {
				r.URL.Path = "/"
			}
			files.ServeHTTP(w, r)
		}))
		t.Cleanup(elsewhere.Close)
		return elsewhere.URL
	}
	for _, c := range []struct {
		at, local, kept string
		loads           int32
	}{
		{server(false) + "/", "false", `{"ok":true,"local":true,"reason":"offline"}`, 3},
		{server(true) + "/", "false", `{"ok":true,"local":true,"reason":"offline"}`, 3},
		{"file://" + folder + "/index.html", "true", `{"ok":true,"local":true}`, 0},
	} {
		loads.Store(0)
		run(t, ctx, chromedp.Navigate(c.at))
		says(t, ctx, `sandlot.local`, c.local, `await sandlot.load()`, `null`, `await sandlot.save({level: 3})`, c.kept)
		run(t, ctx, chromedp.Navigate("about:blank"))
		run(t, ctx, chromedp.Navigate(c.at))
		says(t, ctx, `await sandlot.load('other')`, `null`, `await sandlot.load()`, `{"level":3}`, `(await sandlot.score(5)).local`, `true`)
		expect.Equal(t, "loads of the slot at "+c.at, loads.Load(), c.loads) // the script makes one of them, for the unsent save
	}
}

// TestInThePathFormTheCodeBridges: the page has no storage, so that each load is another player until the code is typed.
func TestInThePathFormTheCodeBridges(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s, _ := newGame(t, true, game)
	at := "http://" + s.addr + "/~/" + string(gameID) + "/"
	run(t, ctx, chromedp.Navigate(at))
	says(t, ctx,
		`[self.origin, sandlot.local]`, `["null",false]`,
		`(await sandlot.save('mine')).ok`, `true`,
		`await sandlot.load()`, `"mine"`,
		`(await sandlot.score(4)).ok`, `true`,
		`(await storage.set('k', 1, true)).value`, `1`,
	)
	code := js(t, ctx, `(await sandlot.code()).code`)
	run(t, ctx, chromedp.Reload())
	says(t, ctx,
		`await sandlot.load()`, `null`,
		`(await sandlot.resume(`+code+`)).ok`, `true`,
		`await sandlot.load()`, `"mine"`,
	)
}

// TestTheWebsitesPageTalksToTheGame that it frames, and no other page does.
func TestTheWebsitesPageTalksToTheGame(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s, home := newGame(t, false, game)
	port := s.addr[strings.LastIndexByte(s.addr, ':')+1:]
	frame := `new Promise((shown) => {
  window.heard = [];
  addEventListener('message', ({data, origin}) => { if (data.sandlot) heard.push(data); });
  const f = document.createElement('iframe');
  f.src = '` + home + `';
  f.onload = () => shown(true);
  document.body.append(f);
  window.ask = (what) => { f.contentWindow.postMessage(what, '*'); };
})`
	answer := func(what string) string {
		t.Helper()
		run(t, ctx, chromedp.Evaluate[bool](`heard.length = 0, ask(`+what+`), true`))
		run(t, ctx, chromedp.Poll[bool](`heard.length > 0`))
		return js(t, ctx, `heard[0]`)
	}
	run(t, ctx, chromedp.Navigate("http://localhost:"+port+"/website"))
	run(t, ctx, chromedp.Evaluate[bool](frame, chromedp.EvalAwaitPromise))
	if got := answer(`{sandlot: 'hello'}`); got != `{"sandlot":"player","id":"","name":"","local":false}` {
		t.Errorf("hello: %s", got)
	}
	if got := answer(`{sandlot: 'rename', name: 'Kim'}`); !strings.HasSuffix(got, `,"name":"Kim","local":false}`) || strings.Contains(got, `"id":""`) {
		t.Errorf("rename: %s", got)
	}
	if got := answer(`{sandlot: 'code'}`); len(strings.Split(got, "-")) != 4 {
		t.Errorf("code: %s", got)
	}
	if got := answer(`{sandlot: 'tell', text: 'More levels'}`); got != `{"sandlot":"told","ok":true}` {
		t.Errorf("tell: %s", got)
	}
	if got := answer(`{sandlot: 'resume', code: 'wrong'}`); got != `{"sandlot":"resumed","ok":false}` {
		t.Errorf("resume: %s", got)
	}

	s.put("frame-abc234", s.file("index.html", page("other")))
	run(t, ctx, chromedp.Navigate(s.url("frame-abc234")))
	run(t, ctx, chromedp.Evaluate[bool](frame, chromedp.EvalAwaitPromise))
	run(t, ctx, chromedp.Evaluate[bool](`ask({sandlot: 'hello'}), ask({sandlot: 'code'}), ask({sandlot: 'toString'}), true`))
	// An answer would come before that of a call made later.
	says(t, ctx, `await fetch('/?later').then(() => fetch('/?later')).then(() => heard)`, `[]`)
}

// TestAnotherProjectReachesNothing of a game: neither its saves, nor its boards, nor its shared values.
func TestAnotherProjectReachesNothing(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s, home := newGame(t, false, game)
	s.put("thief-abc234", s.file("index.html", page("thief")))
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx, `(await storage.set('k', 'secret', true)).value`, `"secret"`)
	run(t, ctx, chromedp.Navigate(s.url("thief-abc234")))
	for _, call := range []string{
		`fetch('` + home + `.sandlot/shared/k')`, `fetch('` + home + `.sandlot/scores/main', {method: 'POST', body: '{"score": 9}'})`,
		`fetch('` + home + `.sandlot/shared/k', {method: 'PUT', body: '1'})`, `fetch('` + home + `.sandlot/shared/k', {headers: {'X-Sandlot-Player': 'x'}})`,
		`fetch('` + home + `.sandlot/shared/k', {mode: 'no-cors'})`,
		`new Promise((yes, no) => { const s = document.createElement('script'); s.src = '` + home + `.sandlot/shared/k'; s.onload = yes; s.onerror = no; document.head.append(s); })`,
	} {
		says(t, ctx, `await `+call+`.then((r) => 'reached', () => 'no')`, `"no"`)
	}
	run(t, ctx, chromedp.Navigate(home))
	says(t, ctx, `(await storage.get('k', true)).value`, `"secret"`)
}

// TestTheScriptReportsErrorsOnce, also those before the rest of the page, and that a game is not ready within ten seconds.
func TestTheScriptReportsErrorsOnce(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	s, home := newGame(t, false, fast+strings.Replace(game, "<body>", "<script>early();</script><body>", 1)+`<script>if (0) sandlot.ready();</script>`)
	run(t, ctx, chromedp.Navigate(home))
	list, _ := s.reported(t, 2)
	sameReports(t, list, "error Uncaught ReferenceError: early is not defined :1 true", "ready No ready() within 10 s. :0 false")
	run(t, ctx, chromedp.Navigate("about:blank"))
	s.next(t)
	if len(s.reports) > 0 {
		t.Errorf("reported as well: %s", <-s.reports)
	}
}
