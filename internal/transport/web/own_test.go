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

	"sandlot"
	"sandlot/internal/domain/publish"
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

func TestTheLastFileOfAFolderLeavesItsListForTheRoots(t *testing.T) {
	t.Parallel()
	files := []sandlot.File{{Name: "a.js"}, {Name: "js/b.js"}}
	if l := listFiles(files, wantedFiles{In: "js/"}); l.In != "js/" || len(l.Rows) != 1 {
		t.Errorf("of the folder there are %v", l)
	}
	if l := listFiles(files[:1], wantedFiles{In: "js/"}); l.In != "" || len(l.Rows) != 1 || l.Rows[0].Path != "a.js" {
		t.Errorf("of the folder that is gone there are %v", l)
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

func TestALanguageIsOfferedByItsNameAndNoneIsLost(t *testing.T) {
	t.Parallel()
	for _, l := range projectLangs {
		if kept, warned := sandlot.CleanLang(l.Code); kept != l.Code || len(warned) > 0 || l.Name == "" {
			t.Errorf("%s is kept as %q, %v", l.Code, kept, warned)
		}
	}
	said := func(lang string) []langChoice { return ownPage{Said: publish.DescribeInput{Lang: &lang}}.Langs() }
	if list := said("tlh"); list[0].Code != "tlh" || len(list) != len(projectLangs)+1 {
		t.Errorf("of a project in another language they are %v", list)
	}
	for _, lang := range []string{"", "ja"} {
		expect.Equal(t, "how many there are with "+lang, len(said(lang)), len(projectLangs))
	}
}
