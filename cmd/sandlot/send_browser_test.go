package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A ladder is a server with an agent that asks it for tickets, and the person who sends its files.
type ladder struct {
	*person
	site string // as the agent reaches it
	made map[string]any
}

// called sends JSON with a key and returns the answer.
func (l *ladder) called(method, path, key string, body any) map[string]any {
	l.t.Helper()
	text, err := json.Marshal(body)
	expect.OK(l.t, err)
	req, err := http.NewRequest(method, l.site+path, bytes.NewReader(text))
	expect.OK(l.t, err)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := http.DefaultClient.Do(req)
	expect.OK(l.t, err)
	defer res.Body.Close()
	var out map[string]any
	expect.OK(l.t, json.NewDecoder(res.Body).Decode(&out))
	return out
}

// opens opens the page of a new ticket.
func (l *ladder) opens(told map[string]any) (ticket map[string]any) {
	l.t.Helper()
	key, _ := l.made["api_key"].(string)
	ticket = l.called("POST", "/v1/uploads", key, told)
	page, _ := ticket["page_url"].(string)
	_, fragment, found := strings.Cut(page, "/send#")
	if !found {
		l.t.Fatalf("the ticket is %v", ticket)
	}
	l.goes("about:blank")
	l.goes("/send#" + fragment)
	return ticket
}

func newLadder(t *testing.T, l look) *ladder {
	t.Helper()
	s := testenv.Start(t, testenv.Binary(t))
	browser := testenv.Engine(t)
	act(t, browser, chromedp.Navigate("about:blank"))
	p := newPerson(t, browser, strings.Replace(s.URL(), "127.0.0.1", "localhost", 1), l)
	return &ladder{person: p, site: s.URL()}
}

// TestAPersonSendsTheFilesOfATicket by the page that the agent hands on, where its sandbox reaches no host.
func TestAPersonSendsTheFilesOfATicket(t *testing.T) {
	t.Parallel()
	l := newLadder(t, phone("dark"))
	folder := filepath.Join(t.TempDir(), "Games & Co")
	long := strings.Repeat("deep/", 15) + strings.Repeat("n", 120) + ".txt"
	written(t, folder, "index.html", `<!doctype html><html lang="en"><title>Kites</title><p>Hello`)
	written(t, folder, long, "long")
	written(t, folder, "Größe 大きさ.txt", "wide")
	written(t, folder, ".git/config", "left out")
	l.opens(map[string]any{"email": "ada@mail.internal", "title": "<b>Kites</b>", "archive_format": "tar.gz"})
	l.sees("This becomes a new project: <b>Kites</b>", "The page works once, until")
	l.chooses("Choose a folder", folder)
	l.sees("Files: 3", "Left out: .git/")
	l.presses("Publish")
	l.sees("<b>Kites</b> is online", "project_api_key: slp_", "It contains keys")
	var told string
	expect.OK(t, l.ask(`document.querySelector('#send-tell').textContent`, &told))
	l.made = map[string]any{}
	for line := range strings.Lines(told) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		l.made[name] = value
	}
	id, _ := l.made["project_id"].(string)
	key, _ := l.made["project_api_key"].(string)
	for name, want := range map[string]string{long: "long", "Größe 大きさ.txt": "wide"} {
		if got := readsFile(t, l.site, id, key, name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	l.lacks("Choose a folder")
	l.reloads()
	l.sees("This link has been used.")

	l.keys = true
	l.opens(map[string]any{"project_id": id, "filename": "level.json"})
	l.sees("This changes <b>Kites</b>: the file level.json is added or replaced.")
	l.dropsOn(".new-drop", written(t, t.TempDir(), "other name.json", "[1]"))
	l.sees("other name.json")
	l.presses("Publish")
	l.sees("is online", "version: 2")
	l.lacks("It contains keys")
	if got := readsFile(t, l.site, id, key, "level.json"); got != "[1]" {
		t.Errorf("the file is %q", got)
	}
	l.quiet()
}

// TestThePageOfATicketAddsNoRule: a refusal of the service is shown there, and the ticket stays.
func TestThePageOfATicketAddsNoRule(t *testing.T) {
	t.Parallel()
	l := newLadder(t, desktop("light"))
	l.goes("/send")
	l.sees("Part of the link is missing.")
	l.goes("about:blank")
	l.goes("/send#00.slt_" + strings.Repeat("0", 36))
	l.sees("This link no longer works.")
	l.awaits("a file that is dropped too early does not open in the browser", `(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File(['early'], 'early.html'));
		return ['dragover', 'drop'].every((kind) => !document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer })));
	})()`)
	told := map[string]any{"email": "ada@mail.internal"}
	ticket := l.opens(told)
	l.sees("This becomes a new project")
	l.dropsOn(".new-drop", written(t, t.TempDir(), "index.html", "a key: "+ticket["ticket"].(string)))
	l.sees("index.html") // until then there is only the link at the top that says Publish
	l.presses("Publish")
	l.sees("One of the files contains a key of this service")
	l.dropsOn(".new-drop", written(t, t.TempDir(), "site.zip", zipFile(t, map[string]string{"a/index.html": "<!doctype html><title>Zipped</title>", "a/b.js": "let b"})))
	l.awaits("the refusal is gone", `document.querySelector('#send-wrong').textContent === ''`)
	l.presses("Publish")
	l.sees("Zipped is online")
	var seen, policy string
	expect.OK(t, l.ask(`performance.getEntriesByType('resource').map((e) => e.name).join(' ')`, &seen))
	if strings.Contains(seen, "slt_") {
		t.Errorf("the ticket is in an address: %s", seen)
	}
	res, err := http.Get(l.person.site + "/send")
	expect.OK(t, err)
	res.Body.Close()
	if policy = res.Header.Get("Referrer-Policy"); policy != "no-referrer" {
		t.Errorf("the page sends a referrer: %s", policy)
	}
	l.quiet("401", "422")
}

func readsFile(t *testing.T, site, id, key, name string) string {
	t.Helper()
	req, err := http.NewRequest("GET", site+"/v1/project/"+id+"/files/"+name, nil)
	expect.OK(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	expect.OK(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	expect.OK(t, err)
	return string(text)
}
