package main

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A walk is somebody's way from the first link to the end of their account.
type walk struct {
	t       *testing.T
	s       *testenv.Server
	mail    *mailServer
	browser context.Context
	*person
	guest *person

	address, handle, key string
	title, beside        string // of the project, and of another
	id, url, other       string // of the project, and of another
	letters              int    // that were read
}

// TestSoakWalk goes the whole way twice, on a phone and on a desk, with titles in Arabic and Japanese: from the call that publishes to the
// deletion of the account, by what is seen and pressed in a real browser, with real mail; pages and game in forced colours, too. Nothing
// may be wrong in the browser's console on the way, and each page is looked at on both screens. With SANDLOT_TEST_SHOTS=FOLDER it leaves screenshots there.
func TestSoakWalk(t *testing.T) {
	t.Parallel()
	var m mailServer
	m.listen(t)
	s := testenv.Start(t, testenv.Binary(t), "--smtp-url", "smtp://"+m.addr)
	site := strings.Replace(s.URL(), "127.0.0.1", "localhost", 1) // the base-url
	browser := testenv.Browser(t)
	act(t, browser, chromedp.Navigate("about:blank"))
	for _, l := range []look{phone("dark"), desk("light")} {
		t.Run(l.name, func(t *testing.T) {
			w := &walk{t: t, s: s, mail: &m, browser: browser, address: l.name + "@example.com", title: arabic, beside: japanese}
			if !l.phone {
				w.title, w.beside = w.beside, w.title
			}
			w.person, w.guest = newPerson(t, browser, site, l), newPerson(t, browser, site, l)
			for _, leg := range []func(){w.publish, w.play, w.like, w.claim, w.logIn, w.rename, w.keys, w.upload, w.choose, w.restore, w.contrast, w.take, w.delete, w.leave} {
				leg()
				w.quiet()
				w.guest.quiet()
			}
		})
	}
}

// api calls and wants a status and, if one is named, an error.
func (w *walk) api(method, path, key string, fields map[string]any, status int, code string) map[string]any {
	w.t.Helper()
	got, answer := call(w.t, w.s, method, path, key, fields)
	if got != status || code != "" && answer["error"] != code {
		w.t.Fatalf("%s %s: %d %v, want %d %s", method, path, got, answer, status, code)
	}
	return answer
}

// publish is what an agent does.
func (w *walk) publish() {
	w.key = signUp(w.t, w.s)
	made := w.api("POST", "/v1/publish", w.key, map[string]any{"content": []byte(gameOf(w.title))}, http.StatusCreated, "")
	w.id, w.url, w.handle = made["project_id"].(string), made["url"].(string), made["handle"].(string)
}

// play sees oneself in the count, and then somebody else.
func (w *walk) play() {
	w.goes("/p/" + w.id)
	w.sees(w.title, "@"+w.handle)
	w.spots("[data-live]", "0")
	w.fits("project")
	w.presses("Play")
	w.draws(".stage iframe")
	if w.look.phone {
		w.awaits("the frame fills the window below its bar", `document.querySelector('.stage.filled')?.clientHeight === innerHeight && document.querySelector('.stage iframe').offsetTop === document.querySelector('.bar').offsetHeight`)
		w.spots("[data-live]", "1")
		w.back()
		w.awaits("the page is back, and the poster on the frame", `document.querySelector('.stage:not(.filled) iframe[inert]') && document.querySelector('.poster').checkVisibility()`)
		w.spots("[data-live]", "0")
		w.fits("left")
		w.continues()
		w.draws(".stage iframe")
	}
	w.at("/p/" + w.id)
	w.spots("[data-live]", "1")
	w.spots("[data-plays]", "1")
	w.fits("playing")
	w.guest.goes("/p/" + w.id)
	w.guest.spots("[data-live]", "1")
	w.guest.presses("Play")
	w.spots("[data-live]", "2")
	w.guest.spots("[data-live]", "2")
	if w.look.phone {
		w.presses("Leave full screen")
		w.guest.spots("[data-live]", "1")
		w.guest.presses("Leave full screen")
		w.guest.spots("[data-live]", "0")
	}
}

func (w *walk) like() {
	const liked, likedNot = `document.querySelector('.like [aria-pressed=true]')`, `document.querySelector('.like [aria-pressed=false]')`
	w.presses("Like")
	w.awaits("it is liked", liked)
	w.spots("[data-likes]", "1")
	w.guest.spots("[data-likes]", "1")
	act(w.t, w.ctx, chromedp.Reload())
	w.awaits("it is still liked", liked)
	w.spots("[data-likes]", "1")
	w.presses("Like")
	w.awaits("it is not liked any more", likedNot)
	w.spots("[data-likes]", "0")
	act(w.t, w.ctx, chromedp.Reload())
	w.awaits("nor after a reload", likedNot)
	w.guest.goes("/") // the walker has not played again since the reload
	w.spots("[data-live]", "0")
}

// letter waits for the next message to the walker, and returns its text.
func (w *walk) letter() string {
	w.t.Helper()
	w.letters++
	var mine []string
	eventually(w.t, "a message came", func() bool {
		_, all := w.mail.counts()
		mine = slices.DeleteFunc(all, func(m string) bool { return !strings.Contains(m, "To: <"+w.address+">") })
		return len(mine) == w.letters
	})
	return plainText(w.t, mine[w.letters-1])
}

// plainText is the text of a message.
func plainText(t *testing.T, message string) string {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(message))
	expect.OK(t, err)
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	expect.OK(t, err)
	part, err := multipart.NewReader(m.Body, params["boundary"]).NextPart()
	expect.OK(t, err)
	text, err := io.ReadAll(part)
	if err != nil || !strings.HasPrefix(part.Header.Get("Content-Type"), "text/plain") {
		t.Fatalf("the first part of a message is %v (%v)", part.Header, err)
	}
	return string(text)
}

var (
	links  = regexp.MustCompile(`(?m)^http://\S+token=\S+`)
	digits = regexp.MustCompile(`(?m)^\d{6}\r?$`)
)

// claim gives the account an address: the agent names it, the person opens the link.
func (w *walk) claim() {
	other := w.api("POST", "/v1/publish", w.key, map[string]any{"content": []byte(gameOf(w.beside)), "email": w.address}, http.StatusCreated, "")
	w.other = other["project_id"].(string)
	w.goes(links.FindString(w.letter()))
	w.sees("Confirm your email", w.address)
	w.fits("verify")
	w.presses("Yes, this is mine")
	w.sees("Email confirmed", w.handle)
	w.fits("verified")
}

// logIn does so by the link, and once more by the code.
func (w *walk) logIn() {
	ask := func() {
		w.goes("/")
		w.presses("Log in")
		w.at("/login")
		w.types("Email", w.address)
		w.presses("Email me a link")
		w.at("/login/code")
		w.sees("Check your email", w.address)
	}
	w.goes("/account") // the press that confirmed logged in, too
	w.presses(w.handle)
	w.presses("Log out")
	w.at("/")
	w.fits("first")
	w.presses("Log in")
	w.at("/login")
	w.fits("login")
	ask()
	w.fits("code")
	w.goes(links.FindString(w.letter()))
	w.sees("Log in here?")
	w.fits("link")
	w.presses("Log in")
	w.at("/account")
	w.sees("Your projects", w.title)
	w.presses(w.handle)
	w.presses("Log out")
	w.at("/")
	ask()
	w.types("6-digit code", strings.TrimSpace(digits.FindString(w.letter())))
	w.presses("Log in")
	w.at("/account")
	w.sees("Your projects", w.title, w.beside)
	w.fits("account")
}

// rename leads the old name to the new one.
func (w *walk) rename() {
	old := w.handle
	w.presses("Settings")
	w.at("/account/settings")
	w.sees(w.address)
	w.fits("settings")
	w.handle = ("walker-" + w.look.name + strings.Repeat("-long", 8))[:40] // as long as they may be
	w.types("New handle", w.handle)
	w.presses("Rename")
	w.sees("Change your handle to "+w.handle+"?", old)
	w.fits("rename")
	w.presses("Rename")
	w.spots("header.site .who span", w.handle)
	w.goes("/@" + old)
	w.at("/@" + w.handle)
	w.sees(w.handle, w.title)
	w.fits("profile")
}

// keys makes one for the project, has a program use it, and ends it.
func (w *walk) keys() {
	w.presses(w.handle)
	w.presses("Projects")
	w.at("/account")
	w.presses("API keys")
	w.at("/account/keys")
	w.fits("keys")
	w.types("Name", "Night build")
	act(w.t, w.ctx, chromedp.SetValue("#project", w.id))
	w.presses("Create key")
	w.sees("Copy it now", "Night build", w.id)
	w.fits("key")
	var key string
	if err := w.ask(`document.querySelector('.secret code').innerText`, &key); err != nil || !strings.HasPrefix(key, "slp_") {
		w.t.Fatalf("the key is %q (%v)", key, err)
	}
	w.copies(key)
	w.presses("Back to keys")
	w.at("/account/keys")
	w.sees("Night build", key[len(key)-4:])
	w.awaits("the key is shown no more", fmt.Sprintf(`!document.documentElement.outerHTML.includes(%q)`, key))

	put := map[string]any{"project_id": w.id, "filename": "night.txt", "content": []byte("built")}
	w.api("POST", "/v1/update", key, put, http.StatusOK, "")
	w.api("POST", "/v1/update", key, map[string]any{"project_id": w.other, "filename": "night.txt", "content": []byte("built")}, http.StatusForbidden, "wrong_project")
	w.presses("Revoke Night build")
	w.sees("Revoke Night build?", key[len(key)-4:])
	w.presses("Revoke")
	w.lacks("Night build")
	w.api("POST", "/v1/update", key, put, http.StatusUnauthorized, "invalid_key")
}

// written makes a file in a folder of the walker's.
func written(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

const secondGame = `<!doctype html><title>Second</title><h1>Second</h1>`

// has waits until these files and folders are listed, and no others.
func (w *walk) has(files ...string) {
	w.t.Helper()
	want := fmt.Sprintf("%q", files)
	w.awaits("the files are "+want, `JSON.stringify([...document.querySelectorAll('.file-name bdi')].map((e) => e.textContent).sort()) === JSON.stringify(`+strings.ReplaceAll(want, `" "`, `", "`)+`.sort())`)
}

// upload brings files in by each way that there is.
func (w *walk) upload() {
	mine := "/account/projects/" + w.id
	w.presses("Projects")
	w.at("/account")
	w.awaits("the project is listed", `document.querySelector('a[href="`+mine+`"]')`)
	act(w.t, w.ctx, chromedp.Click(`main a[href="`+mine+`"]`))
	w.at(mine)
	w.has("index.html", "night.txt")
	w.fits("own")
	folder := w.t.TempDir()

	act(w.t, w.ctx, chromedp.SetUploadFiles("input[name=files]", []string{written(w.t, folder, "second.html", secondGame)}))
	w.presses("Upload")
	w.has("index.html", "night.txt", "second.html")

	// What the bar shows is noted in the tab's own storage, which outlives the page; the line is made slow enough for a bar to move.
	act(w.t, w.ctx, chromedp.Evaluate[chromedp.Void](`new MutationObserver(() => {
  const bar = document.querySelector('[data-progress] progress');
  if (bar.checkVisibility()) sessionStorage.shown = (sessionStorage.shown ?? '') + bar.value + ' ';
}).observe(document.querySelector('[data-progress]'), { subtree: true, attributes: true })`))
	w.slow(1 << 20)
	written(w.t, folder, "art/sky.txt", strings.Repeat("blue ", 210_000)) // 1 MB of 1,024 KB, and 1.1 MB of 1,000
	written(w.t, folder, "art/deep/sun.txt", "yellow")
	w.presses("Options")
	w.types("Folder", "pictures")
	w.drops(filepath.Join(folder, "art"), written(w.t, folder, "loose.txt", "end"))
	w.sees("Files: 3 · 1 MB")
	w.presses("Upload")
	w.has("index.html", "night.txt", "pictures/", "second.html")
	w.slow(-1)
	w.awaits("the bar has moved", `sessionStorage.shown.split(' ').some((part) => part > 0 && part < 1)`)

	w.tells("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	w.goes(mine)
	act(w.t, w.ctx, chromedp.SetUploadFiles("input[name=files]", []string{written(w.t, folder, "plain.txt", "no script")}))
	w.presses("Upload")
	w.sees("plain.txt")
	w.tells("Emulation.setScriptExecutionDisabled", map[string]any{"value": false})
	w.goes(mine)
	w.fits("own-full")
}

// drops lets files and folders fall on the form.
func (w *walk) drops(paths ...string) {
	w.t.Helper()
	var at [2]float64
	expect.OK(w.t, w.ask(`(() => {
  const form = document.querySelector('.own-upload');
  form.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { x, y, width, height } = form.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
})()`, &at))
	data := map[string]any{"items": []string{}, "files": paths, "dragOperationsMask": 1}
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		w.tells("Input.dispatchDragEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "data": data})
	}
}

// first waits until a file is the start page.
func (w *walk) first(name string) {
	w.t.Helper()
	w.awaits(name+" is the start page", fmt.Sprintf(`[...document.querySelectorAll('.file-name')].some((e) => e.innerText.includes(%q) && e.innerText.includes('start page'))`, name))
}

// opens looks at what players get.
func (w *walk) opens(want string) {
	w.t.Helper()
	if status, body := open(w.t, w.s, w.url); status != http.StatusOK || string(body) != want {
		w.t.Errorf("players get %d %q", status, body)
	}
}

// choose makes another file the start page.
func (w *walk) choose() {
	w.presses("Change second.html")
	w.fits("own-change")
	w.presses("Make this the start page")
	w.first("second.html")
	w.opens(secondGame)
	w.api("POST", "/v1/delete-file", w.key, map[string]any{"project_id": w.id, "filename": "second.html"}, http.StatusUnprocessableEntity, "primary_file_protected")
}

func (w *walk) restore() {
	w.presses("Versions")
	w.at("/account/projects/" + w.id + "/versions")
	w.sees("Version 6", "pictures/deep/sun.txt")
	w.fits("versions")
	w.presses("Restore version 1")
	w.sees("Version 7")
	w.goes("/account/projects/" + w.id)
	w.has("index.html")
	w.first("index.html")
	w.opens(gameOf(w.title))
}

// saved waits for a download and returns what is in the ZIP, but for its list.
func (w *walk) saved(press string) map[string]string {
	w.t.Helper()
	folder := w.t.TempDir()
	w.tells("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": folder, "browserContextId": string(chromedp.FromContext(w.ctx).BrowserContextID)})
	w.presses(press)
	var r *zip.ReadCloser
	w.until("the ZIP is there", func() bool {
		found, _ := filepath.Glob(filepath.Join(folder, "*.zip"))
		if len(found) == 0 {
			return false
		}
		var err error
		r, err = zip.OpenReader(found[0])
		return err == nil
	})
	defer r.Close()
	held := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		expect.OK(w.t, err)
		content, err := io.ReadAll(in)
		expect.OK(w.t, err)
		held[f.Name] = string(content)
	}
	if !strings.Contains(held["manifest.json"], w.id) {
		w.t.Errorf("the list says %s", held["manifest.json"])
	}
	delete(held, "manifest.json")
	return held
}

// take takes the project along, and everything.
func (w *walk) take() {
	want := map[string]string{w.id + "/index.html": gameOf(w.title)}
	expect.Same(w.t, "the project's ZIP", w.saved("Download as ZIP"), want)
	w.presses("Settings")
	w.at("/account/settings")
	want[w.other+"/index.html"] = gameOf(w.beside)
	expect.Same(w.t, "the export", w.saved("Download everything"), want)
}

// delete ends the project: its address shows nothing any more, neither here nor there.
func (w *walk) delete() {
	w.goes("/account/projects/" + w.id)
	w.presses("Delete this project…")
	w.at("/account/projects/" + w.id + "/delete")
	w.fits("own-delete")
	w.types("To confirm, type", w.id)
	w.presses("Delete project")
	w.at("/account")
	w.sees("Your projects", w.beside, "Deleted projects", w.title)
	w.answers(http.StatusNotFound)
	w.presses("Take back")
	w.at("/account/projects/" + w.id)
	w.sees(w.title + " is back.")
	w.answers(http.StatusOK)
	w.presses("Delete this project…")
	w.types("To confirm, type", w.id)
	w.presses("Delete project")
	w.presses("Delete for good")
	w.at("/account/projects/" + w.id + "/purge")
	w.fits("own-purge")
	w.presses("Delete for good")
	w.at("/account")
	w.sees(w.title + " was deleted for good.")
	w.reloads()
	w.lacks(w.title)
	w.answers(http.StatusNotFound)
	w.goes("/p/" + w.id)
	w.sees("Not found")
	w.fits("gone")
	w.quiet("404")
}

// answers looks at the project's own address.
func (w *walk) answers(want int) {
	w.t.Helper()
	if status, _ := open(w.t, w.s, w.url); status != want {
		w.t.Errorf("the address of the project answers %d and not %d", status, want)
	}
}

// leave ends the account.
func (w *walk) leave() {
	w.goes("/account/settings")
	w.presses("Delete account")
	w.at("/account/delete")
	w.fits("delete")
	w.types("Type "+w.handle+" to confirm", w.handle)
	w.presses("Delete everything")
	w.sees("The account is gone", w.handle)
	w.fits("deleted")
	w.api("GET", "/v1/whoami", w.key, nil, http.StatusUnauthorized, "invalid_key")
	w.goes("/account")
	w.at("/login")
}
