package runtime

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// example returns the code in a language on the page for engines, for a project at an address.
func example(t *testing.T, s *site, language, address string) string {
	t.Helper()
	page := s.send(t, "GET", s.base()+"/docs/engines.md", "").body
	_, code, found := strings.Cut(page, "```"+language+"\n")
	if !found {
		t.Fatalf("there is no code in %s: %s", language, page)
	}
	code, _, _ = strings.Cut(code, "```")
	return regexp.MustCompile(`http://sky-hopper\S+?/\.sandlot/`).ReplaceAllLiteralString(code, address+".sandlot/")
}

// TestSoakTheExampleOfFetchRuns, in Chromium and Firefox.
func TestSoakTheExampleOfFetchRuns(t *testing.T) {
	testenv.Unraced(t)
	s := start(t)
	page := `<!doctype html><title>Sky Hopper</title><script type="module">` + example(t, s, "js", "") + `window.report = {save, entries, done: true}</script>`
	both(t, false).each(t, func(t *testing.T, open func() tab) {
		p := s.publish(t, "Sky Hopper", map[string]string{"index.html": page})
		p.quick(t, "main")
		device := open()
		opens(t, device, p.url)
		awaits(t, device, `window.report`)
		report(t, device, own).is(object{"save.level": 3})
		entries, _ := report(t, device, own).at("entries").([]any)
		expect.Equal(t, "entries of the board", len(entries), 2)
	})
}

// TestSoakTheExampleOfPythonRuns: a second start is the same player.
func TestSoakTheExampleOfPythonRuns(t *testing.T) {
	testenv.Need(t, "python3")
	s, home := start(t), t.TempDir()
	code := example(t, s, "python", s.blank(t).path)
	for _, program := range []string{code, strings.Replace(code, `call("PUT"`, `("PUT"`, 1)} {
		c := exec.CommandContext(t.Context(), "python3", "-c", program)
		c.Env = append(os.Environ(), "HOME="+home)
		out, err := c.CombinedOutput()
		expect.OK(t, err, string(out))
		expect.Equal(t, "the save", strings.TrimSpace(string(out)), "{'level': 3}")
	}
}

// TestSoakTheExampleOfGodotRuns as a web export, in Chromium and Firefox: a second start is the same player.
func TestSoakTheExampleOfGodotRuns(t *testing.T) {
	testenv.Unraced(t)
	packages, s := modules(t), start(t)
	p := s.publish(t, "Sky Hopper", exported(t, packages, map[string]string{
		"index.html": text(t, "testdata/games/godot/index.html"),
		"sandlot.gd": example(t, s, "gdscript", "http://localhost:9/"),
		"game.gd": `extends "res://sandlot.gd"

func _ready():
	super()
	var loaded = await sandlot(HTTPClient.METHOD_GET, "saves/main")
	var saved = await sandlot(HTTPClient.METHOD_PUT, "saves/main", {"level": 3})
	JavaScriptBridge.eval("window.report = {done: true, loaded: %s, saved: %s}" % [JSON.stringify(loaded), JSON.stringify(saved)])
`,
	}))
	both(t, false).each(t, func(t *testing.T, open func() tab) {
		device := open()
		for _, want := range []object{{"loaded.reason": "save_not_found", "saved.ok": true}, {"loaded.level": 3, "saved.ok": true}} {
			opens(t, device, p.url)
			awaits(t, device, `window.report`)
			report(t, device, own).is(want)
		}
	})
}
