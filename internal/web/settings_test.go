package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot/internal/admission"
	"sandlot/internal/publish"
)

// ownerFake remembers what it did.
type ownerFake struct {
	done     []string
	proposed string
	deny     error // of what changes something
	taken    bool  // whether the link "good" was used
}

func (f *ownerFake) do(what string) error {
	if f.deny == nil {
		f.done = append(f.done, what)
	}
	return f.deny
}

func (f *ownerFake) Rename(_ context.Context, id publish.AccountID, want string) (string, error) {
	return want, f.do("rename " + want)
}

// HandleFor takes capitals down.
func (f *ownerFake) HandleFor(_ context.Context, _ publish.AccountID, want string) (string, error) {
	return strings.ToLower(want), nil
}

func (f *ownerFake) SetLang(_ context.Context, _ publish.AccountID, lang string) error {
	return f.do("lang " + lang)
}

func (f *ownerFake) ProposeEmail(_ context.Context, _ publish.AccountID, address, lang string) error {
	return f.do("email " + address + " " + lang)
}

func (f *ownerFake) WithdrawEmail(context.Context, publish.AccountID) error { return f.do("withdraw") }

func (f *ownerFake) ProposedEmail(context.Context, publish.AccountID) (string, error) {
	return f.proposed, nil
}

func (f *ownerFake) Export(_ context.Context, by publish.Caller) (publish.Export, error) {
	id := by.Account()
	return publish.Export{Account: publish.Account{ID: id}}, nil
}

func (f *ownerFake) DeleteAccount(_ context.Context, _ publish.AccountID, typed string) error {
	if typed != "kim" {
		return publish.Refuse(publish.CodeInvalidField, "no")
	}
	return f.do("delete")
}

func (f *ownerFake) EmailLink(_ context.Context, token string, undo bool) (publish.EmailMove, error) {
	if f.taken || token != "good" {
		return publish.EmailMove{}, publish.ErrNotFound
	}
	return publish.EmailMove{Account: 1, Handle: "kim", Email: "<b>new@example.com", Undo: undo}, nil
}

func (f *ownerFake) TakeEmail(ctx context.Context, token string) (publish.Account, error) {
	m, err := f.EmailLink(ctx, token, false)
	f.taken = f.taken || err == nil
	return publish.Account{ID: 1, Handle: m.Handle, Email: m.Email}, err
}

func (f *ownerFake) TakeEmailBack(ctx context.Context, token string) (publish.Account, error) {
	return f.TakeEmail(ctx, token)
}

// archived is an archive of one word, or of nothing that can be sent.
func archived(_ context.Context, w io.Writer, e publish.Export) error {
	if e.Account.ID != 1 {
		return errors.New("not kim's")
	}
	_, err := io.WriteString(w, "ZIP")
	return err
}

func TestTheSettingsShowWhatIsSet(t *testing.T) {
	s := &service{ownerFake: ownerFake{proposed: "<i>new@example.com"}}
	body := text(t, asKim(pages(s), "GET", "/account/settings", ""))
	for _, want := range []string{
		`name="handle" maxlength="200"`, `value="kim"`, "&lt;i&gt;new@example.com", `<option value="fr" lang="fr" selected>Français`, `<option value="ja" lang="ja">日本語`,
		`href="/account/export"`, `href="/account/delete"`, `href="/account/settings"`, `action="/account/settings/email"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("they lack %s", want)
		}
	}
}

func TestSettingsAreChangedByForms(t *testing.T) {
	s := &service{}
	for path, form := range map[string]string{
		"/account/settings/handle": "handle=kim-b", "/account/settings/language": "lang=ja", "/account/settings/email": "email=new@example.com",
	} {
		resp := asKim(pages(s), "POST", path, form)
		if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/account/settings#said" {
			t.Errorf("%s: %d to %s", path, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	if got := strings.Join(s.done, ","); len(s.done) != 3 || !strings.Contains(got, "rename kim-b") || !strings.Contains(got, "lang ja") || !strings.Contains(got, "email new@example.com fr") {
		t.Errorf("done was %s", got)
	}
	for _, lang := range []string{"tlh", "fr-CA", "<b>"} {
		asKim(pages(s), "POST", "/account/settings/language", "lang="+lang)
	}
	asKim(pages(s), "POST", "/account/settings/language", "lang=")
	if got := s.done[3:]; len(got) != 1 || got[0] != "lang " {
		t.Errorf("of languages that are not offered: %q", got)
	}
}

func TestWhatIsWrongIsSaidBesideWhatWasTyped(t *testing.T) {
	for _, c := range []struct {
		path, form, typed, says string
		deny                    error
	}{
		{"/account/settings/handle", "handle=%3Cb%3Etaken", `value="&lt;b&gt;taken"`, "est pris", publish.ErrExists},
		{"/account/settings/handle", "handle=---", `value="---"`, "n’est pas possible", publish.Refuse(publish.CodeInvalidField, "x")},
		{"/account/settings/handle", "handle=k", `value="k"`, "dix fois", publish.Refuse(publish.CodeRateLimited, "x")},
		{"/account/settings/email", "email=nobody", `value="nobody"`, "ne semble pas valide", publish.Refuse(publish.CodeInvalidEmail, "x")},
		{"/account/settings/email", "email=a@b.c", `value="a@b.c"`, "déjà votre adresse", publish.ErrExists},
		{"/account/settings/email", "email=a@b.c", `value="a@b.c"`, "dix adresses", publish.Refuse(publish.CodeRateLimited, "x")},
		{"/account/delete", "handle=%3Cb%3E", `value="&lt;b&gt;"`, "pas votre nom", nil},
	} {
		s := &service{ownerFake: ownerFake{deny: c.deny}}
		resp := asKim(pages(s), "POST", c.path, c.form)
		if body := text(t, resp); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, c.typed) || !strings.Contains(body, c.says) || !strings.Contains(body, `aria-invalid="true"`) {
			t.Errorf("%s %s: %d, %s", c.path, c.form, resp.StatusCode, body)
		}
	}
	s := &service{ownerFake: ownerFake{deny: publish.Refuse(publish.CodeAccountSuspended, "x")}}
	if resp := asKim(pages(s), "POST", "/account/settings/handle", "handle=k"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("of a suspended account: %d", resp.StatusCode)
	}
}

func TestMessagesToNewAddressesAreLimited(t *testing.T) {
	s := &service{}
	h := pages(s)
	h.Admission = admission.New(admission.Config{Mails: admission.Rate{Count: 2, Per: time.Hour, Burst: 2}})
	for _, want := range []int{http.StatusSeeOther, http.StatusSeeOther, http.StatusTooManyRequests} {
		if resp := asKim(h, "POST", "/account/settings/email", "email=new@example.com"); resp.StatusCode != want {
			t.Errorf("got %d, wanted %d", resp.StatusCode, want)
		}
	}
	if len(s.done) != 2 {
		t.Errorf("done was %q", s.done)
	}
}

func TestProgramsThatFetchLinksToAnAddressUseNothingUp(t *testing.T) {
	for _, path := range []string{"/account/email", "/account/undo"} {
		s := &service{}
		h := pages(s)
		for _, method := range []string{"GET", "HEAD", "GET"} {
			resp := request(h, method, path+"?token=good", "")
			if body := text(t, resp); resp.StatusCode != http.StatusOK || s.taken || strings.Contains(body, "<b>") || resp.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("%s %s: %d", method, path, resp.StatusCode)
			}
		}
		if resp := request(h, "POST", path, "token=good", "Sec-Fetch-Site", "cross-site"); resp.StatusCode != http.StatusForbidden || s.taken {
			t.Errorf("%s from elsewhere: %d", path, resp.StatusCode)
		}
		if resp := request(h, "POST", path, "token=good", "Sec-Fetch-Site", "same-origin"); resp.StatusCode != http.StatusOK || !s.taken {
			t.Errorf("%s pressed: %d", path, resp.StatusCode)
		}
		for _, resp := range []*http.Response{request(h, "POST", path, "token=good", "Sec-Fetch-Site", "same-origin"), request(h, "GET", path+"?token=good", ""), request(h, "GET", path, "")} {
			if resp.StatusCode != http.StatusGone {
				t.Errorf("%s afterwards: %d", path, resp.StatusCode)
			}
		}
	}
}

func TestTakingTheAddressBackLogsThisBrowserOut(t *testing.T) {
	resp := asKim(pages(&service{}), "POST", "/account/undo", "token=good")
	if c := resp.Cookies(); len(c) != 1 || c[0].Name != cookieName || c[0].MaxAge >= 0 {
		t.Errorf("the cookies are %v", c)
	}
	if body := text(t, resp); strings.Contains(body, `action="/logout"`) {
		t.Error("the page takes the browser for logged in")
	}
}

func TestTheExportIsTheAccountsArchive(t *testing.T) {
	h := house(t)
	resp := asKim(h, "GET", "/account/export", "")
	name := resp.Header.Get("Content-Disposition")
	if text(t, resp) != "ZIP" || resp.Header.Get("Content-Type") != "application/zip" || !strings.HasPrefix(name, `attachment; filename="sandlot-kim-20`) || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d, %v", resp.StatusCode, resp.Header)
	}
	resp = asKim(h, "HEAD", "/account/export", "")
	if text(t, resp) != "" || resp.Header.Get("Content-Disposition") != name {
		t.Errorf("HEAD: %v", resp.Header)
	}
}

func TestAnExportThatFailsIsAPageOrBroken(t *testing.T) {
	h := house(t)
	h.Archive = func(context.Context, io.Writer, publish.Export) error { return errors.New("down") }
	resp := asKim(h, "GET", "/account/export", "")
	if resp.StatusCode != http.StatusInternalServerError || resp.Header.Get("Content-Disposition") != "" {
		t.Errorf("before the first byte: %d, %v", resp.StatusCode, resp.Header)
	}
	h.Archive = func(_ context.Context, w io.Writer, _ publish.Export) error {
		_, _ = io.WriteString(w, "ZI")
		return errors.New("down")
	}
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("the connection is not broken")
		}
	}()
	asKim(h, "GET", "/account/export", "")
}

func TestDeletingTheAccountNeedsItsHandle(t *testing.T) {
	s := &service{}
	if resp := asKim(pages(s), "POST", "/account/delete", "handle=other"); resp.StatusCode != http.StatusUnprocessableEntity || len(s.done) != 0 {
		t.Errorf("another handle: %d", resp.StatusCode)
	}
	resp := asKim(pages(s), "POST", "/account/delete", "handle=kim")
	if len(s.done) != 1 || resp.StatusCode != http.StatusOK {
		t.Fatalf("got %d, %v", resp.StatusCode, s.done)
	}
	if c := resp.Cookies(); len(c) != 1 || c[0].MaxAge >= 0 {
		t.Errorf("the cookies are %v", c)
	}
	if body := text(t, resp); !strings.Contains(body, "kim et tous ses projets ont été supprimés") || strings.Contains(body, `action="/logout"`) {
		t.Errorf("the page is %s", body)
	}
}
