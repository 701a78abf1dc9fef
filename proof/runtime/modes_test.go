package runtime

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// probe is a game that plays by itself: it loads, saves the next level, scores, and reads the board. It reports all to the page around it.
const probe = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<script src=".sandlot/sdk.js"></script>
<title>Tide Pools</title></head><body><p>Tide</p>
<script>
const report = window.report = {};
const play = async () => {
  report.loaded = await sandlot.load();
  report.saved = await sandlot.save({level: (report.loaded ? report.loaded.level : 0) + 1});
  report.again = await sandlot.load();
  report.score = await sandlot.score(1230);
  report.top = await sandlot.top();
  report.refused = await sandlot.save(1n);
  report.player = typeof sandlot.player;
  report.done = true;
};
play().catch((e) => { report.thrown = String(e); });
setInterval(() => { if (parent !== window) parent.postMessage({report}, '*'); }, 50);
</script></body></html>`

// game publishes the probe, on whose board scores count at once.
func (s *site) game(t *testing.T) project {
	t.Helper()
	p := s.publish(t, "Tide Pools", map[string]string{"index.html": probe})
	p.quick(t, "main")
	return p
}

// framed is a script for the page around a frame, which returns the report of the frame.
const framed = `new Promise((r) => addEventListener('message', (e) => { if (e.data.report && (e.data.report.done || e.data.report.thrown)) r(e.data.report); }))`

// own is a script for the game's page itself.
const own = `new Promise((r) => setInterval(() => { if (report.done || report.thrown) r(report); }, 20))`

// A played is the report of a probe.
type played struct {
	t      *testing.T
	report object
}

func report(t *testing.T, in tab, expression string) played {
	t.Helper()
	got, _ := asks(t, in, expression).(object)
	return played{t, got}
}

// at returns a part of the report.
func (p played) at(path string) (v any) {
	v = p.report
	for name := range strings.SplitSeq(path, ".") {
		in, _ := v.(object)
		v = in[name]
	}
	return v
}

// is fails the test unless the report has these values at their paths.
func (p played) is(want object) {
	p.t.Helper()
	for path, v := range want {
		if got := p.at(path); fmt.Sprint(got) != fmt.Sprint(v) {
			p.t.Errorf("%s is %v, not %v, in %v", path, got, v, p.report)
		}
	}
}

// plays opens the game's page, and compares its report.
func plays(t *testing.T, in tab, address string, want object) {
	t.Helper()
	opens(t, in, address)
	report(t, in, own).is(want)
}

// online returns the report of load n with the service.
func online(n int) object {
	before := any(nil)
	if n > 1 {
		before = n - 1
	}
	return object{
		"done": true, "thrown": nil, "loaded.level": before, "saved.ok": true, "saved.local": nil, "again.level": n, "score.ok": true, "score.local": nil, "score.best": 1230,
		"score.rank": 1, "score.of": 2, "top.ok": true, "top.of": 2, "refused.ok": false, "player": "object",
	}
}

// local returns the report of load n without the service.
func local(n int) object {
	want := online(n)
	for path, v := range (object{"saved.local": true, "score.local": true, "score.of": 1, "top.of": 1, "top.local": true}) {
		want[path] = v
	}
	return want
}

func TestSoakAGamePlaysInEveryPlace(t *testing.T) {
	testenv.Unraced(t)
	s := start(t)
	both(t, false).each(t, func(t *testing.T, open func() tab) {
		t.Run("at its address", func(t *testing.T) { playsAtItsAddress(t, s.game(t), open) })
		t.Run("in the project's page", func(t *testing.T) { playsInItsPage(t, s.game(t), open) })
		t.Run("in another site's page", func(t *testing.T) { playsElsewhere(t, s.game(t), open) })
		t.Run("by the path form", func(t *testing.T) { playsByPath(t, s.game(t), open) })
		t.Run("as a version", func(t *testing.T) { playsAsVersion(t, s.game(t), open) })
		t.Run("from a file", func(t *testing.T) { playsFromFile(t, s.blank(t), open) })
		t.Run("on another host", func(t *testing.T) { playsOnAnotherHost(t, s.blank(t), open) })
		t.Run("published with the copy", func(t *testing.T) { playsBesideACopy(t, s, open) })
		t.Run("without the script", func(t *testing.T) { playsWithoutScript(t, open) })
	})
}

func playsAtItsAddress(t *testing.T, p project, open func() tab) {
	device := open()
	plays(t, device, p.url, online(1))
	plays(t, device, p.url, online(2))
	awaits(t, device, `document.cookie === ''`)
}

func playsInItsPage(t *testing.T, p project, open func() tab) {
	device := open()
	for _, size := range [][2]int{{390, 844}, {1280, 800}} {
		expect.OK(t, device.resize(size[0], size[1]))
		begins(t, device, p)
		got := report(t, device, framed)
		got.is(object{"done": true, "thrown": nil, "saved.ok": true, "score.ok": true, "score.best": 1230, "top.ok": true})
		awaits(t, device, `document.body.innerText.includes('1230') || document.body.innerText.includes('1,230')`)
		awaits(t, device, `document.documentElement.scrollWidth <= innerWidth`)
	}
}

// around serves a page of another site with a frame.
func around(t *testing.T, address, attributes string) string {
	t.Helper()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>elsewhere</title><iframe src="%s" width="600" height="400" %s></iframe>`, address, attributes)
	}))
	t.Cleanup(elsewhere.Close)
	return elsewhere.URL
}

func playsElsewhere(t *testing.T, p project, open func() tab) {
	device := open()
	opens(t, device, around(t, p.url, ""))
	report(t, device, framed).is(object{"done": true, "thrown": nil, "saved.ok": true, "score.ok": true, "score.best": 1230, "top.ok": true, "refused.ok": false})
}

func playsByPath(t *testing.T, p project, open func() tab) {
	device := open()
	opens(t, device, around(t, p.path, ""))
	report(t, device, framed).is(online(1))
}

func playsAsVersion(t *testing.T, p project, open func() tab) {
	device := open()
	plays(t, device, p.at, local(1))
	plays(t, device, p.at, local(2))
}

// copied returns a folder with the probe and the script, as a download would have them.
func copied(t *testing.T, p project) string {
	t.Helper()
	folder := t.TempDir()
	script := p.s.send(t, "GET", p.url+".sandlot/sdk.js", "")
	expect.OK(t, os.Mkdir(filepath.Join(folder, ".sandlot"), 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(folder, ".sandlot", "sdk.js"), []byte(script.body), 0o600))
	expect.OK(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte(probe), 0o600))
	return folder
}

func playsFromFile(t *testing.T, p project, open func() tab) {
	device, folder := open(), copied(t, p)
	for n := range 2 {
		opens(t, device, "about:blank")
		opens(t, device, "file://"+folder+"/index.html")
		report(t, device, own).is(local(n + 1))
	}
}

func playsOnAnotherHost(t *testing.T, p project, open func() tab) {
	elsewhere := httptest.NewServer(http.FileServer(http.Dir(copied(t, p))))
	defer elsewhere.Close()
	device := open()
	plays(t, device, elsewhere.URL, local(1))
	plays(t, device, elsewhere.URL, local(2))
}

// playsBesideACopy: a folder with the copy is published without it, and plays as others do.
func playsBesideACopy(t *testing.T, s *site, open func() tab) {
	files, folder := map[string]string{}, copied(t, s.blank(t))
	for _, name := range []string{"index.html", ".sandlot/sdk.js"} {
		files[name] = text(t, filepath.Join(folder, name))
	}
	p := s.publish(t, "Tide Pools", files)
	p.quick(t, "main")
	if names := p.owner(t, "GET", "?files=names", "").body; strings.Contains(names, "sdk.js") {
		t.Errorf("the copy is published: %s", names)
	}
	playsAtItsAddress(t, p, open)
}

// playsWithoutScript: a page without its script goes on where it writes window.sandlot?.
func playsWithoutScript(t *testing.T, open func() tab) {
	page := `<!doctype html><title>Tide Pools</title><script>window.report = {}; onerror = (m) => { report.thrown = m; };</script>
<script src=".sandlot/sdk.js"></script><p>Tide<script type="module">
const saved = await window.sandlot?.load();
window.sandlot?.save({level: (saved?.level ?? 0) + 1});
window.sandlot?.score(1230);
window.sandlot?.ready();
report.done = true;
</script>`
	folder := t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte(page), 0o600))
	elsewhere := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer elsewhere.Close()
	for _, at := range []string{"file://" + folder + "/index.html", elsewhere.URL} {
		device := open()
		opens(t, device, at)
		report(t, device, own).is(object{"done": true, "thrown": nil})
	}
}

// TestSoakAGamePlaysWhereStorageIsBlocked: in another site's page a player who cannot be remembered still scores, and the code brings the save.
func TestSoakAGamePlaysWhereStorageIsBlocked(t *testing.T) {
	testenv.Unraced(t)
	s := start(t)
	both(t, true).each(t, func(t *testing.T, open func() tab) {
		p := s.game(t)
		playsElsewhere(t, p, open)
		playsByPath(t, s.game(t), open)
		playsAtItsAddress(t, s.game(t), open)
	})
}

// TestSoakAGamePlaysOnWhileTheServiceIsAway: every call resolves, saves stay in the browser, and arrive later.
func TestSoakAGamePlaysOnWhileTheServiceIsAway(t *testing.T) {
	testenv.Unraced(t)
	both(t, false).each(t, func(t *testing.T, open func() tab) {
		address := testenv.Port(t)
		_, port, _ := strings.Cut(address, ":")
		s := start(t, "--listen", address, "--base-url", "http://localhost:"+port)
		p, device := s.game(t), open()
		plays(t, device, p.url, online(1))
		s.Kill(t)
		for _, call := range []string{`sandlot.save({level: 7})`, `sandlot.score(9999)`, `sandlot.top()`, `sandlot.code()`, `sandlot.resume('a b c d')`, `sandlot.player.rename('Ada')`} {
			got, _ := asks(t, device, `Promise.race([`+call+`, new Promise((r) => setTimeout(r, 30000, 'late'))])`).(object)
			if got == nil || got["ok"] == nil {
				t.Errorf("%s while the service is away is %v", call, got)
			} else if got["ok"] == false && got["reason"] == nil {
				t.Errorf("%s has no reason: %v", call, got)
			}
		}
		expect.Equal(t, "the level while away", fmt.Sprint(asks(t, device, `sandlot.load().then((s) => s.level)`)), "7")
		s.Restart(t)
		testenv.Eventually(t, limit, "the save arrives", func() bool {
			return fmt.Sprint(asks(t, device, `sandlot.save({level: 8}).then((r) => r.ok && !r.local)`)) == "true"
		})
		plays(t, device, p.url, object{"done": true, "loaded.level": 8, "saved.ok": true})
	})
}

// TestSoakTwoDevicesShareAPlayer: four words bring save, name and place on the board.
func TestSoakTwoDevicesShareAPlayer(t *testing.T) {
	testenv.Unraced(t)
	s := start(t)
	both(t, false).each(t, func(t *testing.T, open func() tab) {
		p := s.game(t)
		desk, phone := open(), open()
		plays(t, desk, p.url, online(1))
		expect.Equal(t, "renaming", fmt.Sprint(asks(t, desk, `sandlot.player.rename('Ada').then((r) => r.ok)`)), "true")
		code := fmt.Sprint(asks(t, desk, `sandlot.code().then((r) => r.code ?? r)`))
		expect.Equal(t, "words of "+code, len(strings.Split(code, "-")), 4)
		opens(t, phone, p.url)
		report(t, phone, own)
		asks(t, phone, `sandlot.save({level: 40})`)
		got := asks(t, phone, `sandlot.resume(`+fmt.Sprintf("%q", code)+`)`).(object)
		expect.Equal(t, "resume", fmt.Sprint(got["ok"]), "true")
		expect.Equal(t, "the level on the second device", fmt.Sprint(asks(t, phone, `sandlot.load().then((s) => s.level)`)), "1")
		expect.Equal(t, "the name there", fmt.Sprint(asks(t, phone, `sandlot.player.name`)), "Ada")
		asks(t, phone, `sandlot.save({level: 9})`)
		testenv.Eventually(t, limit, "the first device has the save", func() bool {
			opens(t, desk, p.url)
			return fmt.Sprint(report(t, desk, own).at("loaded.level")) == "9"
		})
		top := asks(t, desk, `sandlot.top({limit: 50})`).(object)
		named := 0
		for _, e := range top["entries"].([]any) {
			if e.(object)["name"] == "Ada" {
				named++
			}
		}
		expect.Equal(t, "places of the player", named, 1)
	})
}

// TestSoakAPageThatIsLeftHasSaved: the last save before the page goes arrives by beacon, and window.storage works as in artifacts.
func TestSoakAPageThatIsLeftHasSaved(t *testing.T) {
	testenv.Unraced(t)
	s := start(t)
	both(t, false).each(t, func(t *testing.T, open func() tab) {
		p, device := s.game(t), open()
		plays(t, device, p.url, online(1))
		_, err := device.eval(`(() => { for (let i = 10; i <= 50; i++) sandlot.save({level: i}); location = 'about:blank'; return ''; })()`)
		expect.OK(t, err)
		testenv.Eventually(t, limit, "the last save is there", func() bool {
			opens(t, device, p.url)
			level := fmt.Sprint(report(t, device, own).at("loaded.level"))
			return level == "50" || level > "50"
		})
		got := asks(t, device, `(async () => [
			await window.storage.set('a', 'x'), await window.storage.get('a'), await window.storage.list('a'), await window.storage.delete('a'), await window.storage.get('a').catch(() => null),
			await window.storage.set('wall', 'hello', true), await window.storage.get('wall', true), await window.storage.list('w', true)])()`)
		text := fmt.Sprint(got)
		for _, part := range []string{"key:a", "value:x", "deleted:true", "shared:true", "value:hello", "keys:[wall]"} {
			expect.Contains(t, "window.storage", text, part)
		}
	})
}

// TestSoakAStrangersPageReachesNothing: a page of another site and of a sibling project, with all that a page can try, and a frame of the project.
func TestSoakAStrangersPageReachesNothing(t *testing.T) {
	testenv.Unraced(t)
	at := testenv.Port(t)
	_, port, _ := strings.Cut(at, ":")
	s := start(t, "--listen", at, "--base-url", "http://localhost:"+port, "--content-host", "games.localhost:"+port)
	both(t, false).each(t, func(t *testing.T, open func() tab) {
		p, sibling := s.game(t), s.blank(t)
		device := open()
		plays(t, device, p.url, online(1))
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><title>elsewhere</title><p>stranger`)
		}))
		defer elsewhere.Close()
		before := p.owner(t, "GET", "/boards/main", "").body
		for about, page := range map[string]string{"another site": elsewhere.URL, "a sibling": sibling.url, "the website": s.base() + "/"} {
			opens(t, device, page)
			got := asks(t, device, fmt.Sprintf(`(async () => {
				const at = %q + '.sandlot/', out = [];
				const tries = [['GET', 'saves/main'], ['GET', 'saves'], ['GET', 'player'], ['GET', 'scores/main'], ['GET', 'shared'], ['PUT', 'saves/main', '{"level":666}'],
					['POST', 'scores/main', '{"score":666666}'], ['PUT', 'shared/wall', '"stranger"'], ['POST', 'feedback', '{"text":"stranger"}'],
					['POST', 'saves/main', '{"player":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","value":666}']];
				for (const [method, path, body] of tries) for (const mode of ['cors', 'no-cors']) for (const credentials of ['include', 'omit']) {
					for (const headers of [{}, {'X-Sandlot-Player': 'a'.repeat(40)}, {'Content-Type': 'text/plain'}]) {
						try { const r = await fetch(at + path, {method, body, mode, credentials, headers}); if (r.type !== 'opaque') out.push(method + ' ' + path + ' ' + r.status); } catch { /* as it must be */ }
					}
				}
				try { navigator.sendBeacon(at + 'saves/main', '{"player":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","value":666}'); } catch { /* likewise */ }
				await new Promise((r) => { const s = document.createElement('script'); s.src = at + 'saves/main'; s.onload = s.onerror = r; document.head.append(s); });
				const form = document.createElement('form'); form.method = 'post'; form.enctype = 'text/plain'; form.action = at + 'feedback'; form.target = 'away';
				const frame = document.createElement('iframe'); frame.name = 'away'; form.innerHTML = '<input name=\'{"text":"stranger\' value=\'"}\'>';
				document.body.append(frame, form);
				try { form.submit(); } catch { /* likewise */ }
				await new Promise((r) => setTimeout(r, 500));
				const heard = [];
				addEventListener('message', (e) => heard.push(e.data));
				const game = document.createElement('iframe'); game.src = %q; document.body.append(game);
				for (let i = 0; i < 20 && location.origin !== %q; i++) { // whose page the game answers
					for (const sandlot of ['hello', 'code', 'rename', 'resume']) game.contentWindow.postMessage({sandlot, name: 'stranger', code: 'a b c d'}, '*');
					await new Promise((r) => setTimeout(r, 100));
				}
				return {out, heard: heard.filter((m) => m && m.sandlot && (m.code || m.id || m.name))};
			})()`, p.url, p.url, s.base())).(object)
			if list, _ := got["out"].([]any); len(list) > 0 {
				t.Errorf("%s reads %v", about, list)
			}
			if list, _ := got["heard"].([]any); len(list) > 0 {
				t.Errorf("the frame says to %s: %v", about, list)
			}
		}
		after := p.owner(t, "GET", "/boards/main", "").body
		if strings.Contains(after, ":666") || strings.Contains(after, "stranger") {
			t.Errorf("the board was %s and is %s", before, after)
		}
		for _, path := range []string{"/feedback"} {
			if got := p.owner(t, "GET", path, ""); strings.Contains(got.body, "stranger") {
				t.Errorf("%s: %s", path, got.body)
			}
		}
		if got := p.player("any").does(t, "GET", "shared/wall", ""); got.status != http.StatusNotFound {
			t.Errorf("a stranger's value: %d %s", got.status, got.body)
		}
		opens(t, device, p.url)
		if level := fmt.Sprint(report(t, device, own).at("loaded.level")); len(level) != 1 { // the game plays in the frame of a sibling, too
			t.Errorf("the level is %v", level)
		}
	})
}

// TestSoakErrorsOfPagesArrive: at its address and in the project's page, from the game, from a file that is missing, from a graphics context that
// is lost, and from a game that never gets ready.
func TestSoakErrorsOfPagesArrive(t *testing.T) {
	testenv.Unraced(t)
	s := start(t)
	page := strings.Replace(probe, "play()", `const begin = () => sandlot.ready();
setTimeout(() => { nowhere.near = 1; }, 10); Promise.reject(new Error('no more crabs for ada@example.org'));
document.body.append(Object.assign(new Image(), {src: 'crab.png?key=secret'}));
const canvas = document.body.appendChild(document.createElement('canvas'));
const context = canvas.getContext('webgl'); // none in Firefox without a screen
context ? context.getExtension('WEBGL_lose_context').loseContext() : canvas.dispatchEvent(new Event('webglcontextlost'));
play()`, 1)
	both(t, false).each(t, func(t *testing.T, open func() tab) {
		for about, enter := range map[string]func(tab, project){
			"at its address": func(device tab, p project) { opens(t, device, p.url) }, "in the project's page": func(device tab, p project) { begins(t, device, p) },
		} {
			p := s.publish(t, "Tide Pools", map[string]string{"index.html": page})
			enter(open(), p)
			got := ""
			for _, part := range []string{"nowhere", "no more crabs", "crab.png", "WebGL", "No ready()"} {
				testenv.Eventually(t, limit, part+" arrives "+about, func() bool {
					got = p.owner(t, "GET", "/errors", "").body
					return strings.Contains(got, part)
				})
			}
			if strings.Contains(got, "ada@example.org") || strings.Contains(got, "secret") {
				t.Errorf("errors have secrets: %s", got)
			}
			expect.Contains(t, "the browsers", got, map[bool]string{true: "firefox", false: "chrome"}[strings.Contains(t.Name(), "firefox")])
			made := s.api(t, "POST", "/v1/update", `{"project_id":"`+p.id+`","filename":"a.txt","text":"a"}`)
			expect.Contains(t, "the answer of the next update", made.body, "5 kinds")
		}
	})
}

// TestSoakAGamesOwnWorkerMayAnswer: a service worker of the game answers calls of players, and no call throws.
func TestSoakAGamesOwnWorkerMayAnswer(t *testing.T) {
	testenv.Unraced(t)
	s := start(t)
	page := strings.Replace(probe, "play()", `navigator.serviceWorker.register('worker.js').then(() => navigator.serviceWorker.ready).then(() => { report.worker = true; }, (e) => { report.worker = String(e); });
play()`, 1)
	worker := `addEventListener('install', () => skipWaiting()); addEventListener('activate', (e) => e.waitUntil(clients.claim()));
addEventListener('fetch', (e) => { const at = new URL(e.request.url).pathname; if (at.startsWith('/.sandlot/') && !at.endsWith('.js')) e.respondWith(new Response('{"ok":true,"best":1,"value":{"level":99}}', {headers: {'Content-Type': 'application/json'}})); });`
	both(t, false).each(t, func(t *testing.T, open func() tab) {
		p := s.publish(t, "Tide Pools", map[string]string{"index.html": page, "worker.js": worker})
		p.quick(t, "main")
		device := open()
		opens(t, device, p.url)
		report(t, device, own)
		awaits(t, device, `report.worker`)
		for range 2 {
			opens(t, device, p.url)
			got := report(t, device, own)
			t.Logf("a worker that answers for the doors: %v", got.report)
			if got.at("thrown") != nil || got.at("done") != true {
				t.Errorf("the game stops: %v", got.report)
			}
		}
	})
}
