package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A maker has something that others shall play, no agent, and never saw an API. What they are sent lies in the folder of messages.
type maker struct {
	stroll
	*person
	guest *person
	s     *testenv.Server

	address, folder string // of email; of what they have made
	title, id, url  string // of the project
	letters         int    // that were read
}

const (
	slowLantern = "const speed = 3;\n"
	fastLantern = "const speed = 5;\n"
	lanternJS   = `const paint = document.querySelector('canvas').getContext('2d');
const draw = () => { paint.fillStyle = '#00ff00'; paint.fillRect(0, 0, 999, 999); };
for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, draw);
draw();
`
)

// lantern is a game of two files.
func lantern(title string) string {
	return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` + title + `</title><style>body { margin: 0 } canvas { display: block; width: 100vw; height: 100vh }</style><canvas></canvas><script src="js/game.js"></script>
`
}

// TestAMakersWalk goes from the home page to a project of one's own, without an agent and without a call of the API: what was made is
// chosen or dropped, tried, published, confirmed, changed, compared, taken back and counted; then two more are published. All is done again
// without scripts, wherever pages serve without.
func TestAMakersWalk(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--quarantine", "on")
	site := strings.Replace(s.URL(), "127.0.0.1", "localhost", 1)
	outer := t // the browser ends with it
	var chromium context.Context
	begins := func(t *testing.T, v stroll) *maker {
		browser := chromiumOf(outer, &chromium)
		if v.blocked {
			browser = storageBrowser(t, site+"/p/", strings.Replace(site, "localhost", "[*.]localhost", 1))
		}
		m := newMaker(t, s, browser, v, "Lantern Drift")
		// However busy the machine is, the page waits for its preview.
		m.tells("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": `const soon = setTimeout; window.setTimeout = (f, ms, ...more) => ms >= 10_000 ? 0 : soon(f, ms, ...more)`})
		return m
	}
	for _, v := range strolls(stroll{look: phone("light")}) {
		t.Run(v.name(), func(t *testing.T) { begins(t, v).walk() })
	}
	t.Run("without scripts", func(t *testing.T) {
		m := begins(t, stroll{look: phone("light")})
		m.address = "plain@example.com"
		m.tells("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
		m.walkPlainly()
	})
}

// newMaker has a profile of the browser, and so has their guest; their address and title are those of no other stroll.
func newMaker(t *testing.T, s *testenv.Server, browser context.Context, v stroll, title string) *maker {
	t.Helper()
	site := strings.Replace(s.URL(), "127.0.0.1", "localhost", 1)
	m := &maker{stroll: v, s: s, person: newPerson(t, browser, site, v.look), guest: newPerson(t, browser, site, v.look), folder: t.TempDir()}
	m.person.keys = v.keys
	m.address, m.title = v.name()+"@example.com", title+" "+v.name()
	return m
}

func (m *maker) walk() {
	for _, leg := range []func(){m.comes, m.tries, m.publishes, m.confirms, m.logsIn, m.replaces, m.compares, m.restores, m.counts, m.publishesMore} {
		leg()
		m.quiet()
	}
}

// hand reports whether the person has files to drop.
func (m *maker) hand() bool { return !m.stroll.look.phone && !m.stroll.keys }

// comes brings a ZIP.
func (m *maker) comes() {
	path := written(m.t, m.folder, "lantern.zip", zipFile(m.t, map[string]string{"lantern/index.html": lantern("Lantern Drift"), "lantern/js/game.js": slowLantern + lanternJS}))
	m.goes("/")
	if m.hand() {
		m.dropsOn("main", path)
	} else {
		m.presses("Publish")
		m.at("/new")
		m.chooses("Choose files or a ZIP", path)
	}
	m.sees("lantern.zip")
	m.awaits("its title is suggested", `document.querySelector('[name=title]').value === 'Lantern Drift'`)
}

// tries sees it run before anybody else does.
func (m *maker) tries() {
	if m.blocked {
		m.sees("This browser can’t show a preview here. You can still publish.")
		return
	}
	m.awaits("it is there to be tried", `document.querySelector('.new-frame iframe') && document.querySelector('[data-part=wait]').hidden`)
	m.until("it runs", func() bool {
		expect.OK(m.t, m.ask(`document.querySelector('.new-frame').scrollIntoView({ block: 'center', behavior: 'instant' })`, new(any)))
		return m.green(".new-frame iframe")
	})
}

// publishes says what is asked, sees how far it is, and keeps the keys.
func (m *maker) publishes() {
	m.types("Title", m.title)
	m.types("Tags", "lantern, "+m.stroll.look.scheme)
	m.types("Your email", m.address)
	m.presses("Publish")
	m.sees(m.title+" is online", "You’re publishing as ")
	m.keeps()
	m.reloads()
	m.lacks("is online")
}

// keeps learns the address, and copies the key that is shown only here.
func (m *maker) keeps() {
	var made struct{ Key, URL string }
	expect.OK(m.t, m.ask(`({ Key: document.querySelector('#new-key-account').textContent, URL: document.querySelector('#new-url').href })`, &made))
	if m.url = made.URL; !strings.HasPrefix(made.Key, "sla_") {
		m.t.Errorf("the key is %q", made.Key)
	}
	m.copies(made.Key)
}

// letter waits for the next message, and returns its text.
func (m *maker) letter() string {
	m.t.Helper()
	m.letters++
	var mine []string
	m.until("a message came", func() bool {
		mine = nil
		paths, _ := filepath.Glob(filepath.Join(m.s.Data(), "mail", "[^.]*.eml"))
		for _, path := range paths {
			message, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(message), "To: <"+m.address+">") {
				mine = append(mine, string(message))
			}
		}
		return len(mine) == m.letters
	})
	return plainText(m.t, mine[m.letters-1])
}

func (m *maker) confirms() {
	m.goes(links.FindString(m.letter()))
	m.sees("Confirm your email", m.address, m.title)
	m.presses("Yes, this is mine")
	m.sees("Email confirmed")
}

func (m *maker) logsIn() {
	m.presses("Go to your account") // the press that confirmed logged in, too
	m.at("/account")
	m.presses("Manage: " + m.title)
	m.awaits("this is where it is managed", `location.pathname.startsWith('/account/projects/')`)
	expect.OK(m.t, m.ask(`location.pathname.split('/').at(-1)`, &m.id))
	m.lacks("isn’t confirmed yet")
}

// replaces changes one file by the place for files, and one by its menu.
func (m *maker) replaces() {
	page := written(m.t, m.folder, "index.html", lantern("Lanterns"))
	if m.hand() {
		m.dropsOn(".own-upload", page)
	} else {
		m.chooses("Choose files", page)
	}
	m.presses("Upload")
	m.sees("Version 2")
	m.presses("js/")
	m.presses("Change js/game.js")
	m.chooses("Replace with…", written(m.t, m.folder, "faster.js", fastLantern+lanternJS))
	m.sees("faster.js → js/game.js")
	m.presses("Upload")
	m.sees("Version 3", "All files / js")
}

// compares sees which line is another.
func (m *maker) compares() {
	m.presses("Versions")
	m.at("/account/projects/" + m.id + "/versions")
	m.presses("js/game.js")
	m.sees("in version 3")
	m.awaits("one line is gone, and one is new", fmt.Sprintf(`['line-gone', 'line-new'].map((kind) => [...document.querySelectorAll('.diff tr.' + kind + ' bdi')].map((e) => e.innerText.trim()).join('|')).join() === %q`,
		strings.TrimSpace(slowLantern)+","+strings.TrimSpace(fastLantern)))
	m.awaits("all lines stand below each other", `new Set([...document.querySelectorAll('.diff bdi')].map((e) => e.getBoundingClientRect().left)).size === 1`)
	m.presses("Versions")
}

func (m *maker) restores() {
	m.presses("Restore version 1")
	m.sees("Version 1 was restored as a new version.", "Version 4", "restored from version 1")
}

// counts sees that somebody has played.
func (m *maker) counts() {
	m.presses("Statistics")
	m.at("/account/projects/" + m.id + "/statistics")
	m.sees("No plays in this period yet", "/p/"+m.id)
	m.guest.goes(m.url)
	m.guest.awaits("players get what was restored", `document.title === 'Lantern Drift'`)
	m.guest.draws("canvas")
	m.until("the play is counted", func() bool {
		m.reloads()
		var plays string
		return m.ask(`document.querySelector('.fig-sums dd')?.innerText ?? ''`, &plays) == nil && plays == "1"
	})
	m.awaits("a bar stands for it", `document.querySelector('.fig-day rect:not(.fig-hit)')`)
}

// publishesMore brings a folder and a single page, now that the browser is logged in.
func (m *maker) publishesMore() {
	written(m.t, m.folder, "tide/index.html", lantern("Tide "+m.name()))
	written(m.t, m.folder, "tide/js/game.js", lanternJS)
	m.goes("/new")
	if folder := filepath.Join(m.folder, "tide"); m.hand() {
		m.dropsOn("#new-form", folder)
	} else {
		m.chooses("Choose a folder", folder)
	}
	m.sees("Files: 2", "You’re publishing as ")
	m.tries()
	m.presses("Publish")
	m.sees("Tide " + m.name() + " is online")
	m.presses("Publish another project")
	m.chooses("Choose files or a ZIP", written(m.t, m.folder, "dune.html", gameOf("Dune "+m.name())))
	m.sees("dune.html")
	m.awaits("the preview has come or cannot, which moves the button", `!document.querySelector('[data-part=again]').hidden`)
	m.presses("Publish")
	m.sees("Dune " + m.name() + " is online")
	m.presses("Manage")
	m.sees("Dune "+m.name(), "index.html")
	m.presses("Projects")
	m.at("/account")
	m.sees(m.title, "Tide "+m.name(), "Dune "+m.name())
}

// walkPlainly does it without scripts: a page, then a ZIP.
func (m *maker) walkPlainly() {
	m.goes("/")
	m.presses("Publish")
	m.at("/new")
	m.chooses("Choose a file or ZIP", written(m.t, m.folder, "plain.html", lantern("Plain Lantern")))
	m.types("Your email", m.address)
	m.presses("Publish")
	m.sees("Plain Lantern is online", "Your keys", "sla_")
	expect.OK(m.t, m.ask(`document.querySelector('#new-url').href`, &m.url))
	m.title = "Plain Lantern"
	m.confirms()
	m.logsIn()
	m.chooses("Choose files", written(m.t, m.folder, "index.html", lantern("Lanterns")))
	m.presses("Upload")
	m.sees("Version 2")
	m.presses("Versions")
	m.presses("index.html")
	m.sees("<title>Lanterns</title>", "<title>Plain Lantern</title>")
	m.presses("Versions")
	m.presses("Restore version 1")
	m.sees("Version 3", "restored from version 1")
	m.presses("Statistics")
	m.sees("No plays in this period yet")
	m.presses("Publish")
	m.at("/new")
	m.chooses("Choose a file or ZIP", written(m.t, m.folder, "sea.zip", zipFile(m.t, map[string]string{"index.html": lantern("Sea"), "js/game.js": lanternJS})))
	m.presses("Publish")
	m.sees("Sea is online")
	m.presses("Manage")
	m.sees("index.html", "js/")
}
