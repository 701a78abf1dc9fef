package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/trial"
	"sandlot/internal/testkit/expect"
)

const ownAt = "/account/projects/game-abc123"

func TestAProjectsPageForItsOwner(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.describe(publish.Details{Title: `<i>"pong"`, Description: "</textarea><script>"})
	body := text(t, asKim(h, "GET", ownAt, ""))
	for _, want := range []string{`&lt;i&gt;&#34;pong&#34;`, "&lt;/textarea&gt;&lt;script&gt;", "&lt;b&gt;.js", `action="` + ownAt + `/move"`, `enctype="multipart/form-data"`, `href="` + ownAt + `/versions"`, `name="to" dir="auto"`} {
		if !strings.Contains(body, want) {
			t.Errorf("it has no %s", want)
		}
	}
	for _, never := range []string{"<i>", "<b>", "<script>", `value="index.html">Supprimer`, " style=", " onclick"} {
		if strings.Contains(body, never) {
			t.Errorf("it has %s", never)
		}
	}
	for n := 3; n < 20; n++ {
		h.put(gameID, n, "b.js", "")
	}
	many := publish.Change{Drop: []sandlot.File{fileOf("<b>.js", "two")}, Put: []sandlot.File{fileOf("<b>.js", "three")}}
	for i := range 15 {
		many.Put = append(many.Put, fileOf(fmt.Sprintf("<u>%02d", i), ""))
	}
	h.rearrange(gameID, 20, many)
	h.rearrange(gameID, 21, publish.Change{Drop: []sandlot.File{fileOf("b.js", "")}, Put: []sandlot.File{fileOf("c.js", "")}})
	expect.OK(t, h.service.EraseVersion(t.Context(), h.owner("kim"), gameID, 18))
	body = text(t, asKim(h, "GET", ownAt+"/versions", ""))
	for _, want := range []string{"&lt;u&gt;11", "et 10 de plus", "<span>15 nouveaux</span> <span>1 modifié</span>", "<bdi>&lt;b&gt;.js</bdi>", "b.js", "c.js", ownAt + "/erase?n=21", "Effacée", "before=3"} {
		if !strings.Contains(body, want) {
			t.Errorf("the versions have no %s: %s", want, body)
		}
	}
	if strings.Contains(body, "<u>") || strings.Contains(body, "erase?n=22") || strings.Contains(body, "erase?n=18") {
		t.Errorf("the versions are %s", body)
	}
}

func TestFormsOfAProjectDoOneThing(t *testing.T) {
	t.Parallel()
	const all, details = " [<b>.js a.js index.html]", ` {<script>"pong"  false false }`
	for _, c := range []struct{ path, form, done, to string }{
		{"/move", "file=index.html&to=b.html&form_token=o", "5 b.html [<b>.js a.js b.html] []" + details, ownAt + "#said"},
		{"/remove", "file=a.js&file=%3Cb%3E.js&form_token=o&seen=4", "5 index.html [index.html] []" + details, ownAt + "#said"},
		{"/remove", "file=a.js&form_token=o", "5 index.html [<b>.js index.html] []" + details, ownAt + "#said"},
		{"/primary", "file=a.js&form_token=o", "5 a.js" + all + " []" + details, ownAt + "#said"},
		{"/restore", "n=1&form_token=o", "5 index.html [index.html] []" + details, ownAt + "/versions#said"},
		{"/remove?in=js%2F", "file=a.js&form_token=o", "5 index.html [<b>.js index.html] []" + details, ownAt + "?in=js%2F#said"},
		{"/erase", "n=2", "4 index.html" + all + " [2]" + details, ownAt + "/versions#said"},
		{"/delete", "typed=game-abc123", "gone", "/account#said"},
		{"", "title=T&description=&threads=1&tags=r%C3%A9flexion,+Mes+Chats", "4 index.html" + all + " [] {T  true true puzzle mes-chats}", ownAt + "#said"},
	} {
		h := house(t)
		h.put(gameID, 3, "a.js", "a")
		resp := asKim(h, "POST", ownAt+c.path, c.form)
		if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != c.to || h.state() != c.done {
			t.Errorf("%s: %d to %s, it is now %s", c.path, resp.StatusCode, resp.Header.Get("Location"), h.state())
		}
		expect.Equal(t, c.path+" of another account's project", asKim(house(t), "POST", "/account/projects/other-abc123"+c.path, strings.ReplaceAll(c.form, "game", "other")).StatusCode, http.StatusNotFound)
		expect.Equal(t, c.path+" with too much text", asKim(house(t), "POST", ownAt+c.path, "title="+strings.Repeat("x", maxMarked)).StatusCode, http.StatusRequestEntityTooLarge)
	}
}

func TestRefusalsStayOnTheProjectsPage(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		before func(*world)
		to     string // typed
		kept   string // on the page
	}{
		"Un fichier ne peut pas porter ce nom": {func(*world) {}, "\u202e\"><script>\x01", "&#34;&gt;&lt;script&gt;"},
		"Un autre fichier gêne":                {func(h *world) { h.put(gameID, 3, "it's&.js", "") }, "it's&.js", "it&#39;s&amp;.js"},
		"ne peut être ni supprimé ni renommé": {func(h *world) {
			h.rearrange(gameID, 3, publish.Change{Primary: "<b>.js"})
		}, "it's&.js", "it&#39;s&amp;.js"},
		"la limite de ce compte": {func(h *world) { h.fail("Rearrange", sandlot.ErrTooManyBytes) }, "it's&.js", "it&#39;s&amp;.js"},
	} {
		h := house(t)
		c.before(h)
		resp := asKim(h, "POST", ownAt+"/move", "form_token=o&file=index.html&to="+url.QueryEscape(c.to))
		body := text(t, resp)
		if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("%s: %d", want, resp.StatusCode)
		}
		if !strings.Contains(body, c.kept) || strings.Contains(body, "<script>") {
			t.Errorf("%s: what was typed is not kept, or harmful", want)
		}
	}
	for err, status := range map[error]int{
		sandlot.NoEffect(sandlot.ErrFull): http.StatusInsufficientStorage, sandlot.ErrFull: http.StatusServiceUnavailable, errors.New("fault"): http.StatusInternalServerError,
		sandlot.Refuse(sandlot.CodeTakenDown, "down"): http.StatusUnavailableForLegalReasons,
	} {
		h := house(t)
		h.fail("Rearrange", err)
		expect.Equal(t, err.Error(), asKim(h, "POST", ownAt+"/primary", "form_token=o&file=%3Cb%3E.js").StatusCode, status)
	}
	resp := asKim(house(t), "POST", ownAt, "title=Kept&description=also+kept"+strings.Repeat("x", publish.MaxDescription))
	if body := text(t, resp); resp.StatusCode != 422 || !strings.Contains(body, `value="Kept"`) || !strings.Contains(body, "also kept") {
		t.Errorf("a description that is too long: %d", resp.StatusCode)
	}
	if body := text(t, asKim(house(t), "POST", ownAt+"/delete", "typed=other")); !strings.Contains(body, `value="other"`) || !strings.Contains(body, "Rien n’a été supprimé") {
		t.Error("another id typed is not told")
	}
}

// uploadOf is a form with files: names and bytes in turns.
func uploadOf(folder string, files ...string) (*bytes.Buffer, string) {
	body := &bytes.Buffer{}
	w := multipart.NewWriter(body)
	_ = w.WriteField("form_token", "o")
	_ = w.WriteField("folder", folder)
	for i := 0; i+1 < len(files); i += 2 {
		part, _ := w.CreateFormFile("files", files[i])
		_, _ = io.WriteString(part, files[i+1])
	}
	_ = w.Close()
	return body, w.FormDataContentType()
}

func sendTo(p http.Handler, body io.Reader, contentType string) *http.Response {
	r := httptest.NewRequest("POST", "https://example.com"+ownAt+"/files", body)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Cookie", cookieName+"=kim")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result()
}

func TestUploads(t *testing.T) {
	t.Parallel()
	t.Run("several files with their folders are one change", func(t *testing.T) {
		h := house(t)
		body, kind := uploadOf("/lib/", "a.js", "one", "sub/ü.js", "two")
		if resp := sendTo(h, body, kind); resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(h.state(), "4 index.html [<b>.js index.html lib/a.js lib/sub/ü.js]") {
			t.Errorf("%d, it is now %s", resp.StatusCode, h.state())
		}
		expect.Equal(t, "they are", h.in.Text(gameID, 4, "lib/a.js")+h.in.Text(gameID, 4, "lib/sub/ü.js"), "onetwo")
	})
	t.Run("one that breaks midway changes nothing and says so", func(t *testing.T) {
		h := house(t)
		body, kind := uploadOf("", "a.js", strings.Repeat("one", 1000), "b.js", strings.Repeat("two", 1000))
		body.Truncate(body.Len() - 1000)
		h.in.Unchanged(t, func() {
			resp := sendTo(h, body, kind)
			if said := text(t, resp); resp.StatusCode != 422 || !strings.Contains(said, "L’envoi a été interrompu") {
				t.Errorf("%d", resp.StatusCode)
			}
		})
	})
	t.Run("what is left out is named", func(t *testing.T) {
		h := house(t)
		body, kind := uploadOf("", "a.js", "one", ".DS_Store", "x", "lib/.env", "x")
		resp := sendTo(h, body, kind)
		page := text(t, request(h, "GET", ownAt, "", "Cookie", cookieName+"=kim; "+resp.Header.Get("Set-Cookie")))
		if !strings.HasPrefix(h.state(), "4 index.html [<b>.js a.js index.html]") || !strings.Contains(page, "1 fichier") || !strings.Contains(page, "<bdi>.DS_Store, .env</bdi>") {
			t.Errorf("%d, %s, %s", resp.StatusCode, h.state(), page)
		}
		body, kind = uploadOf("", ".DS_Store", "x")
		h.in.Unchanged(t, func() {
			resp := sendTo(h, body, kind)
			if said := text(t, resp); resp.StatusCode != 422 || !strings.Contains(said, "Rien n’a été modifié") || !strings.Contains(said, ".DS_Store") {
				t.Errorf("%d: %s", resp.StatusCode, said)
			}
		})
	})
	t.Run("what is no upload is refused", func(t *testing.T) {
		h := house(t)
		for name, c := range map[string]struct {
			folder string
			files  []string
			say    string
		}{
			"no file":           {"", nil, "Choisissez au moins un fichier"},
			"an empty field":    {"", []string{"", ""}, "Choisissez au moins un fichier"},
			"an endless folder": {strings.Repeat("x", 1<<10+1), []string{"a", "b"}, "interrompu"},
		} {
			body, kind := uploadOf(c.folder, c.files...)
			h.in.Unchanged(t, func() {
				resp := sendTo(h, body, kind)
				if said := text(t, resp); resp.StatusCode != 422 || !strings.Contains(said, c.say) {
					t.Errorf("%s: %d", name, resp.StatusCode)
				}
			})
		}
		expect.Equal(t, "another form", sendTo(h, strings.NewReader("a=b"), "application/x-www-form-urlencoded").StatusCode, 422)
	})
}

// TestFewPagesAreMadeOfListsOfFilesAtOnce: others wait, and are refused after too long; each page gives its place back, and one that
// needs no list waits for nobody.
func TestFewPagesAreMadeOfListsOfFilesAtOnce(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.put(gameID, 3, "a.txt", "one")
	h.put(gameID, 4, "a.txt", "two")
	pages := []string{ownAt, ownAt + "/versions", ownAt + "/cover", ownAt + "/remove?file=a.txt", ownAt + "/versions/5/diff?file=a.txt", ownAt + "/delete"}
	*h.listings = *turns.NewLists[sandlot.AccountID](1, 1, 10*time.Millisecond)
	made, sent, err := h.listings.Begin(t.Context(), 1<<40) // another account's
	expect.OK(t, err)
	for _, page := range pages {
		expect.Equal(t, "the status of "+page+" meanwhile", asKim(h, "GET", page, "").StatusCode, http.StatusServiceUnavailable)
	}
	expect.Equal(t, "the status of the project's own page", asKim(h, "GET", "/p/"+string(gameID), "").StatusCode, http.StatusOK)
	made()
	sent()
	*h.listings = *turns.NewLists[sandlot.AccountID](1, 1, time.Minute)
	for _, page := range pages {
		for range 2 {
			expect.Equal(t, "the status of "+page, asKim(h, "GET", page, "").StatusCode, http.StatusOK)
		}
	}
	expect.Equal(t, "the status of a project that is not there", asKim(h, "GET", "/account/projects/none-aaaaaa", "").StatusCode, http.StatusNotFound)
	expect.Equal(t, "the status of details that are refused", asKim(h, "POST", ownAt, "title=x&description=y&tags=%3Cb%3E&seen=").StatusCode, http.StatusUnprocessableEntity)
	expect.Equal(t, "whether a place is held in the end", h.listings.Busy(h.kim.account.ID), false)
}

// TestADeletedProjectIsTakenBackOrDeletedForGood from the page of the account.
func TestADeletedProjectIsTakenBackOrDeletedForGood(t *testing.T) {
	t.Parallel()
	h := house(t)
	account := func() string { return text(t, asKim(h, "GET", "/account", "")) }
	if body := account(); strings.Contains(body, "deleted") {
		t.Errorf("a deleted project is shown: %s", body)
	}
	post := func(path, form, to string) {
		t.Helper()
		resp := asKim(h, "POST", ownAt+path, form)
		expect.Equal(t, path, resp.StatusCode, http.StatusSeeOther)
		expect.Equal(t, path+" leads", resp.Header.Get("Location"), to)
	}
	post("/delete", "typed=game-abc123", "/account#said")
	post("/delete", "typed=game-abc123", "/account#said")
	for _, want := range []string{`id="deleted"`, `action="` + ownAt + `/take-back"`, `href="` + ownAt + `/purge"`} {
		if body := account(); !strings.Contains(body, want) {
			t.Errorf("%s is not on %s", want, body)
		}
	}
	expect.Equal(t, "its page", asKim(h, "GET", ownAt, "").StatusCode, http.StatusNotFound)
	post("/take-back", "", ownAt+"#said")
	post("/take-back", "", ownAt+"#said")
	expect.Equal(t, "its page", asKim(h, "GET", ownAt, "").StatusCode, http.StatusOK)
	expect.Equal(t, "for good, of one that is there", asKim(h, "POST", ownAt+"/purge", "").StatusCode, http.StatusNotFound)
	expect.Equal(t, "asked", asKim(h, "GET", ownAt+"/purge", "").StatusCode, http.StatusNotFound)
	post("/delete", "typed=game-abc123", "/account#said")
	if body := text(t, asKim(h, "GET", ownAt+"/purge", "")); !strings.Contains(body, `action="`+ownAt+`/purge"`) {
		t.Errorf("it is not asked first: %s", body)
	}
	post("/purge", "", "/account#said")
	expect.Equal(t, "taken back then", asKim(h, "POST", ownAt+"/take-back", "").StatusCode, http.StatusNotFound)
	if body := account(); strings.Contains(body, ownAt) {
		t.Errorf("it is still there: %s", body)
	}
}

// everythingWrong is what a trial kept of a page with which all is wrong that can be at once.
var everythingWrong = `{"first_paint":430000000,"blank":true,"hangs":true,"memory":true,
	"errors":["<b>Uncaught</b> ReferenceError: nope is not defined (:5)","` + longName + `","it failed","it failed again"],
	"failed":[{"path":"/missing.js","status":404},{"path":"/` + longName + `","status":404},{"path":"/big.wasm","status":500}],"elsewhere":["cdn.example.com"]}`

// claims claims trials up to that of a project.
func (w *world) claims(id sandlot.ProjectID) (due trial.Due) {
	w.t.Helper()
	for due.Project != id {
		due = must(w.db.Trials().ClaimTrial(w.t.Context(), 2, 50, time.Minute))(w.t)
	}
	return due
}

// tried records what a trial of a project saw.
func (w *world) tried(id sandlot.ProjectID, seen string) {
	w.t.Helper()
	expect.OK(w.t, w.db.Trials().EndTrial(w.t.Context(), w.claims(id), trial.Done, []byte(seen)))
}

// TestTheOwnerIsToldHowFarTheTrialOfAProjectIs: and of the version before, as long as there is nothing of the one that is current.
func TestTheOwnerIsToldHowFarTheTrialOfAProjectIs(t *testing.T) {
	t.Parallel()
	h := house(t)
	says := func(when string, wants ...string) {
		t.Helper()
		body := text(t, asKim(h, "GET", ownAt, ""))
		for _, want := range append(wants, `id="checks"`) {
			if !strings.Contains(body, want) {
				t.Errorf("%s, the page has no %q", when, want)
			}
		}
	}
	says("before the trial", "La version 3 sera bientôt ouverte.")
	due := h.claims(gameID)
	says("meanwhile", "La version 3 est ouverte en ce moment.")
	expect.OK(t, h.db.Trials().EndTrial(t.Context(), due, trial.Done, []byte(everythingWrong)))
	says("afterwards", "Version 3, ouverte le", "Première image après 0,5", "&lt;b&gt;Uncaught&lt;/b&gt;", "404 /missing.js", "500 /big.wasm", "cdn.example.com", "trop de mémoire", "cessé de répondre", "est restée vide")
	h.put(gameID, 3, "c.js", "c")
	says("with the next version", "La version 4 sera bientôt ouverte.", "Version 3, ouverte le", "404 /missing.js")
	h.tried(gameID, `{"first_paint":1000000,"moved":true}`)
	says("where all is well", "Version 4, ouverte le", "Quelque chose a bougé", "rien remarqué")
	h.put(gameID, 4, "c.js", "d")
	_, err := h.db.Trials().ClaimTrial(t.Context(), 2, 1, time.Minute) // one a day
	expect.Equal(t, "that nothing is left to be opened", errors.Is(err, sandlot.ErrNotFound), true)
	says("of one too many", "La version 5 n’a pas été ouverte")
	h.suspend(gameID)
	if body := text(t, asKim(h, "GET", ownAt, "")); strings.Contains(body, `id="checks"`) {
		t.Error("a project that was taken down has checks")
	}
	h.change(func(c *Config) { c.Trials = trial.New(h.db.Trials(), h.service.Reader, &trial.Status{Off: true}) })
	if body := text(t, asKim(h, "GET", "/account/projects/"+string(h.fill(1, "pong")[0]), "")); strings.Contains(body, `id="checks"`) {
		t.Error("a service that opens nothing has checks")
	}
}
