package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/publish"
)

// ownFake is the project game-abc123 of account 1 with two files, and remembers
// what was done.
type ownFake struct {
	acts    []string
	dropped int
	refusal error
	said    publish.Details
	files   []publish.File // nil: the two
}

func (f *ownFake) do(account publish.AccountID, id publish.ProjectID, what ...any) error {
	if account != 1 || id != "game-abc123" {
		return publish.ErrNotFound
	}
	if f.refusal == nil {
		f.acts = append(f.acts, strings.TrimSpace(fmt.Sprintln(what...)))
	}
	return f.refusal
}

func (f *ownFake) Manage(_ context.Context, by publish.Caller, id publish.ProjectID) (publish.Managed, error) {
	account := by.Account()
	if account != 1 || id != "game-abc123" {
		return publish.Managed{}, publish.ErrNotFound
	}
	m := publish.Managed{Details: publish.Details{Title: `<i>"pong"`, Description: "</textarea><script>"}}
	m.Project = publish.Project{ID: id, Title: `<i>"pong"`, Primary: "index.html", Version: 3, UpdatedAt: time.Unix(0, 0)}
	m.Files = []publish.File{{Name: `<b>.js`, Blob: publish.Blob{Size: 1500}}, {Name: "index.html"}}
	if f.files != nil {
		m.Files = f.files
	}
	return m, nil
}

func (f *ownFake) Describe(_ context.Context, by publish.Caller, id publish.ProjectID, d publish.Details) error {
	account := by.Account()
	f.said = d
	return f.do(account, id, "describe")
}

func (f *ownFake) DeleteProject(_ context.Context, by publish.Caller, id publish.ProjectID, typed string) error {
	account := by.Account()
	if typed != string(id) {
		return publish.Refuse(publish.CodeInvalidField, "no")
	}
	return f.do(account, id, "delete")
}

func (f *ownFake) ExportProject(_ context.Context, by publish.Caller, id publish.ProjectID) (publish.Export, error) {
	account := by.Account()
	return publish.Export{Account: publish.Account{ID: account}}, f.do(account, id, "export")
}

func (f *ownFake) Stage(_ context.Context, r io.Reader) (publish.Content, error) {
	b, err := io.ReadAll(r)
	return publish.Content{Blob: publish.Blob{Inline: b}}, err
}

func (f *ownFake) Discard(context.Context, publish.Content) { f.dropped++ }

func (f *ownFake) PutFiles(_ context.Context, by publish.Caller, id publish.ProjectID, files []publish.FormFile, once string) error {
	account := by.Account()
	what := []any{"put", once}
	for _, file := range files {
		what = append(what, file.Name+"="+string(file.Content.Inline))
	}
	return f.do(account, id, what...)
}

func (f *ownFake) MoveFile(_ context.Context, by publish.Caller, id publish.ProjectID, from, to, once string) error {
	return f.do(by.Account(), id, "move", from, to, once)
}

func (f *ownFake) RemoveFile(_ context.Context, by publish.Caller, id publish.ProjectID, name string) error {
	return f.do(by.Account(), id, "remove", name)
}

func (f *ownFake) ChoosePrimary(_ context.Context, by publish.Caller, id publish.ProjectID, name, once string) error {
	return f.do(by.Account(), id, "primary", name, once)
}

func (f *ownFake) Versions(_ context.Context, by publish.Caller, id publish.ProjectID, before int) ([]publish.VersionChange, int, error) {
	long := make([]string, 15)
	for i := range long {
		long[i] = fmt.Sprintf("<u>%d", i)
	}
	return []publish.VersionChange{
		{Version: publish.Version{N: 3, Suffix: "abcdefgh"}, Known: true, Added: long},
		{Version: publish.Version{N: 2, Suffix: "abcdefgh"}, Known: true, Changed: []string{"a.js"}, Removed: []string{"b.js"}},
		{Version: publish.Version{N: 1}, Erased: true},
	}, 1, nil
}

func (f *ownFake) RestoreVersion(_ context.Context, by publish.Caller, id publish.ProjectID, n int, once string) error {
	return f.do(by.Account(), id, "restore", n, once)
}

func (f *ownFake) EraseVersion(_ context.Context, by publish.Caller, id publish.ProjectID, n int) error {
	return f.do(by.Account(), id, "erase", n)
}

const ownAt = "/account/projects/game-abc123"

func TestAProjectsPageForItsOwner(t *testing.T) {
	body := text(t, asKim(pages(&service{}), "GET", ownAt, ""))
	for _, want := range []string{`&lt;i&gt;&#34;pong&#34;`, "&lt;/textarea&gt;&lt;script&gt;", "&lt;b&gt;.js", `action="` + ownAt + `/move"`, `enctype="multipart/form-data"`, `href="` + ownAt + `/versions"`} {
		if !strings.Contains(body, want) {
			t.Errorf("it has no %s", want)
		}
	}
	for _, never := range []string{"<i>", "<b>", "<script>", `value="index.html">Supprimer`, " style=", " onclick"} {
		if strings.Contains(body, never) {
			t.Errorf("it has %s", never)
		}
	}
	body = text(t, asKim(pages(&service{}), "GET", ownAt+"/versions", ""))
	for _, want := range []string{"&lt;u&gt;11", "et 3 de plus", "a.js", "b.js", ownAt + "/erase?n=2", "Effacée", "before=1"} {
		if !strings.Contains(body, want) {
			t.Errorf("the versions have no %s", want)
		}
	}
	if strings.Contains(body, "<u>") || strings.Contains(body, "erase?n=3") || strings.Contains(body, "erase?n=1") {
		t.Errorf("the versions are %s", body)
	}
}

func TestFormsOfAProjectDoOneThing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, form, done, to string }{
		{"/move", "file=a&to=b&once=o", "move a b o", ownAt + "#said"},
		{"/remove", "file=a", "remove a", ownAt + "#said"},
		{"/primary", "file=a&once=o", "primary a o", ownAt + "#said"},
		{"/restore", "n=2&once=o", "restore 2 o", ownAt + "#said"},
		{"/restore", "n=-2x&once=o", "restore 0 o", ownAt + "#said"},
		{"/erase", "n=2", "erase 2", ownAt + "/versions#said"},
		{"/delete", "typed=game-abc123", "delete", "/account#said"},
		{"", "title=T&description=&threads=1", "describe", ownAt + "#said"},
	} {
		s := &service{}
		resp := asKim(pages(s), "POST", ownAt+c.path, c.form)
		if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != c.to || !slices.Equal(s.acts, []string{c.done}) {
			t.Errorf("%s: %d to %s, done %q", c.path, resp.StatusCode, resp.Header.Get("Location"), s.acts)
		}
		if resp := asKim(house(t), "POST", "/account/projects/other-abc123"+c.path, strings.ReplaceAll(c.form, "game", "other")); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s of another account's project: %d", c.path, resp.StatusCode)
		}
		if resp := asKim(house(t), "POST", ownAt+c.path, "title="+strings.Repeat("x", maxDetails)); resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s with too much text: %d", c.path, resp.StatusCode)
		}
	}
}

func TestRefusalsStayOnTheProjectsPage(t *testing.T) {
	for code, want := range map[publish.Code]string{
		publish.CodeInvalidFilename: "Un fichier ne peut pas porter ce nom", publish.CodeFilenameConflict: "Un autre fichier gêne",
		publish.CodePrimaryFileProtected: "ne peut être ni supprimé ni renommé", publish.CodeQuotaExceeded: "la limite de ce compte",
	} {
		s := &service{ownFake: ownFake{refusal: publish.Refuse(code, "In <English>.")}}
		typed, kept := "it's&.js", "it&#39;s&amp;.js"
		if code == publish.CodeInvalidFilename {
			typed, kept = "\u202e\"><script>\x01", "&#34;&gt;&lt;script&gt;"
		}
		resp := asKim(pages(s), "POST", ownAt+"/move", "once=o&file=index.html&to="+url.QueryEscape(typed))
		body := text(t, resp)
		if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, want) || strings.Contains(body, "English") {
			t.Errorf("%s: %d", code, resp.StatusCode)
		}
		if !strings.Contains(body, kept) || strings.Contains(body, "<script>") {
			t.Errorf("%s: what was typed is not kept, or harmful", code)
		}
	}
	for err, status := range map[error]int{
		publish.Refuse(publish.CodeStorageFull, "full"): http.StatusInsufficientStorage, publish.Refuse(publish.CodeTakenDown, "down"): http.StatusUnavailableForLegalReasons,
		errors.New("fault"): http.StatusInternalServerError,
	} {
		if resp := asKim(pages(&service{ownFake: ownFake{refusal: err}}), "POST", ownAt+"/primary", "file=a&once=o"); resp.StatusCode != status {
			t.Errorf("%v: %d", err, resp.StatusCode)
		}
	}
	s := &service{ownFake: ownFake{refusal: publish.Refuse(publish.CodeInvalidField, "long")}}
	resp := asKim(pages(s), "POST", ownAt, "title=Kept&description=also+kept")
	if body := text(t, resp); resp.StatusCode != 422 || !strings.Contains(body, `value="Kept"`) || !strings.Contains(body, "also kept") || !s.said.Unlisted {
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
	_ = w.WriteField("once", "o")
	_ = w.WriteField("folder", folder)
	for i := 0; i+1 < len(files); i += 2 {
		part, _ := w.CreateFormFile("files", files[i])
		_, _ = io.WriteString(part, files[i+1])
	}
	_ = w.Close()
	return body, w.FormDataContentType()
}

func sendUpload(s *service, body io.Reader, contentType string) *http.Response {
	return sendTo(pages(s), body, contentType)
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
	t.Run("several files with their folders are one change", func(t *testing.T) {
		s := &service{}
		body, kind := uploadOf("/lib/", "a.js", "one", "sub/ü.js", "two")
		if resp := sendUpload(s, body, kind); resp.StatusCode != http.StatusSeeOther || !slices.Equal(s.acts, []string{"put o lib/a.js=one lib/sub/ü.js=two"}) {
			t.Errorf("%d, done %q", resp.StatusCode, s.acts)
		}
	})
	t.Run("one that breaks midway changes nothing and says so", func(t *testing.T) {
		s := &service{}
		body, kind := uploadOf("", "a.js", "one", "b.js", strings.Repeat("two", 1000))
		body.Truncate(body.Len() - 1000)
		resp := sendUpload(s, body, kind)
		if said := text(t, resp); resp.StatusCode != 422 || len(s.acts) > 0 || s.dropped != 1 || !strings.Contains(said, "L’envoi a été interrompu") {
			t.Errorf("%d, done %q, discarded %d", resp.StatusCode, s.acts, s.dropped)
		}
	})
	t.Run("what is no upload is refused", func(t *testing.T) {
		many := []string{}
		for i := range publish.MaxForm + 1 {
			many = append(many, fmt.Sprint(i), "")
		}
		for name, c := range map[string]struct {
			folder string
			files  []string
			say    string
		}{
			"no file":           {"", nil, "Choisissez au moins un fichier"},
			"an empty field":    {"", []string{"", ""}, "Choisissez au moins un fichier"},
			"too many":          {"", many, "au plus 500 fichiers"},
			"an endless folder": {strings.Repeat("x", maxWord+1), []string{"a", "b"}, "interrompu"},
		} {
			s := &service{}
			body, kind := uploadOf(c.folder, c.files...)
			resp := sendUpload(s, body, kind)
			if said := text(t, resp); resp.StatusCode != 422 || len(s.acts) > 0 || !strings.Contains(said, c.say) {
				t.Errorf("%s: %d, done %q", name, resp.StatusCode, s.acts)
			}
		}
		if resp := sendUpload(&service{}, strings.NewReader("a=b"), "application/x-www-form-urlencoded"); resp.StatusCode != 422 {
			t.Errorf("another form: %d", resp.StatusCode)
		}
	})
}
