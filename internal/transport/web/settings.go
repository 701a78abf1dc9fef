package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/web/texts"
)

// settings serves the page of an account's settings, and the pages of its export and deletion.
type settings struct {
	account *account.Service
	people  *account.Profiles
	exports *publish.Reader
	zip     archives
}

func (s settings) routes() []route {
	return []route{
		{"GET", "/account/settings", owner, admission.Look, s.page},
		{"GET", "/account/settings/handle", owner, admission.Look, s.askRename},
		{"POST", "/account/settings/handle", owner, admission.Look, form(maxForm, s.rename, "handle")},
		{"POST", "/account/settings/profile", owner, admission.Look, form(maxForm, s.describe, "line", "link")},
		{"POST", "/account/settings/language", owner, admission.Look, form(maxForm, s.setLanguage, "lang")},
		{"POST", "/account/settings/email", recent, admission.Mail, form(maxForm, s.proposeEmail, "email")},
		{"POST", "/account/settings/email/withdraw", owner, admission.Look, form(maxForm, s.withdrawEmail)},
		{"GET", "/account/export", owner, admission.Export, s.export},
		{"GET", "/account/delete", recent, admission.Look, s.askDelete},
		{"POST", "/account/delete", recent, admission.Look, form(maxForm, s.deleteAccount, "handle")},
	}
}

// A field is the value of a form's field, and the problem with it.
type field struct{ Value, Problem string }

// settingsPage holds the data of the settings.
type settingsPage struct {
	Handle, Email field
	Line, Link    field
	typed         bool   // whether Line and Link were typed, and are not the stored ones
	Proposed      string // the address whose link has not been used
	Lang          string // of the account; empty: as the browser prefers
	Langs         []string
	Fresh         bool // whether the login may change the address
}

func (s settings) page(v *visit) error {
	return s.show(v, http.StatusOK, settingsPage{Handle: field{Value: v.me.Account.Handle}})
}

// show sets the fields that the page always has.
func (s settings) show(v *visit, status int, page settingsPage) error {
	var err error
	if page.Proposed, err = s.account.ProposedEmail(v.r.Context(), v.by); err != nil {
		return err
	}
	if !page.typed {
		own, err := s.people.Own(v.r.Context(), v.by)
		if err != nil {
			return err
		}
		page.Line, page.Link = field{Value: own.Line}, field{Value: own.Link}
	}
	page.Langs, page.Fresh = texts.Open().Langs, v.fresh()
	if found, ok := texts.Open().Nearest(v.me.Account.Lang); ok && v.me.Account.Lang != "" {
		page.Lang = found
	}
	return v.show(status, "settings.html", v.T("settings.title"), page)
}

// fresh reports whether the login may change keys and the address. A proof dated in the future comes from a wrong
// clock.
func (v *visit) fresh() bool { return v.now().Sub(v.me.ProvedAt).Abs() <= freshFor }

// askRename asks for confirmation of the handle that the account will get.
func (s settings) askRename(v *visit) error { return s.askHandle(v, v.query("handle")) }

func (s settings) askHandle(v *visit, want string) error {
	handle, err := s.account.HandleFor(v.r.Context(), v.by, want)
	switch {
	case err != nil:
		return s.handleRefused(v, want, err)
	case handle == v.me.Account.Handle:
		return v.done("/account/settings", "said.handle-same", "handle", handle)
	}
	return v.ask(v.T("rename.title", "handle", handle), askPage{
		Leads:  []any{v.T("rename.lead", "handle", handle, "old", v.me.Account.Handle)},
		Fields: []askField{{"handle", handle}}, Yes: v.T("settings.handle-save"),
		Action: "/account/settings/handle", Back: "/account/settings",
	})
}

// rename gives the account the handle that its owner confirmed; any other handle is shown for confirmation first.
func (s settings) rename(v *visit) error {
	want := v.r.PostForm.Get("handle")
	handle, err := s.account.HandleFor(v.r.Context(), v.by, want)
	if err == nil && handle != want {
		return s.askHandle(v, want)
	}
	if err == nil {
		_, err = s.account.Rename(v.r.Context(), v.by, want)
	}
	if err != nil {
		return s.handleRefused(v, want, err)
	}
	return v.done("/account/settings", "said.renamed", "handle", handle)
}

// handleRefused shows the settings with the problem of a handle.
func (s settings) handleRefused(v *visit, want string, err error) error {
	wrong := ""
	switch {
	case errors.Is(err, sandlot.ErrExists):
		wrong = v.T("settings.handle-taken")
	case errors.Is(err, sandlot.CodeInvalidField):
		wrong = v.T("settings.handle-bad")
	case errors.Is(err, sandlot.CodeRateLimited):
		wrong = v.T("settings.handle-often")
	default:
		return err
	}
	return s.show(v, http.StatusUnprocessableEntity, settingsPage{Handle: field{want, wrong}})
}

func (s settings) setLanguage(v *visit) error {
	lang := v.r.PostForm.Get("lang")
	if found, ok := texts.Open().Nearest(lang); lang != "" && (!ok || found != lang) {
		return v.redirect("/account/settings") // the page offers no other
	}
	if err := s.account.SetLang(v.r.Context(), v.by, lang); err != nil {
		return err
	}
	prefer(v, lang)
	return v.done("/account/settings", "said.language")
}

func (s settings) proposeEmail(v *visit) error {
	address := v.r.PostForm.Get("email")
	err := s.account.ProposeEmail(v.r.Context(), v.by, address, v.Lang)
	wrong := ""
	switch {
	case err == nil:
		return v.done("/account/settings", "said.email-sent")
	case errors.Is(err, sandlot.ErrExists):
		wrong = v.T("settings.email-same")
	case errors.Is(err, sandlot.CodeInvalidEmail):
		wrong = v.T("settings.email-bad")
	case errors.Is(err, sandlot.CodeRateLimited):
		wrong = v.T("settings.email-often")
	default:
		return err
	}
	page := settingsPage{Handle: field{Value: v.me.Account.Handle}, Email: field{address, wrong}}
	return s.show(v, http.StatusUnprocessableEntity, page)
}

// withdrawEmail withdraws the proposed address; pressing the button twice is no error.
func (s settings) withdrawEmail(v *visit) error {
	return v.doneIf(s.account.WithdrawEmail(v.r.Context(), v.by), "/account/settings", "said.email-kept")
}

// langNames holds the native names of languages.
var langNames = map[string]string{
	"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "ja": "日本語",
	"pt": "Português (Brasil)", "zh-Hans": "简体中文",
}

func langName(lang string) string { return langNames[lang] }

// export streams all projects of the account as a ZIP.
func (s settings) export(v *visit) error {
	e, err := s.exports.Export(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	return s.zip.send(v, e, "sandlot-"+v.me.Account.Handle)
}

// archives sends exports as ZIPs.
type archives struct {
	write func(ctx context.Context, w io.Writer, e publish.Export) error
}

// send streams a ZIP whose name is a handle or an id, and the day.
func (a archives) send(v *visit, e publish.Export, name string) error {
	name = `attachment; filename="` + name + "-" + v.now().UTC().Format(time.DateOnly) + `.zip"`
	if v.r.Method == http.MethodHead {
		v.w.Header().Set("Content-Type", "application/zip")
		v.w.Header().Set("Content-Disposition", name)
		return nil
	}
	v.grant.Archive(e.Files())
	out := &archiveWriter{w: v.w, name: name}
	err := a.write(v.r.Context(), out, e)
	if err != nil && out.begun {
		v.log.Error("export broken off", "request_id", v.requestID(v.r.Context()), "error", err)
		panic(http.ErrAbortHandler) // so that no client takes it for whole
	}
	return err
}

// archiveWriter sets the headers of an archive with its first bytes: until then the answer may still be a page.
type archiveWriter struct {
	w     http.ResponseWriter
	name  string
	begun bool
}

// Write implements io.Writer.
func (a *archiveWriter) Write(b []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", "application/zip")
		a.w.Header().Set("Content-Disposition", a.name)
	}
	return a.w.Write(b)
}

func (s settings) askDelete(v *visit) error {
	return v.show(http.StatusOK, "delete_account.html", v.T("delete.title"), field{})
}

// deleteAccount deletes the account if its handle was typed. A form sent twice finds nobody logged in.
func (s settings) deleteAccount(v *visit) error {
	typed, handle := v.r.PostForm.Get("handle"), v.me.Account.Handle
	err := s.account.DeleteAccount(v.r.Context(), v.by, typed)
	if errors.Is(err, sandlot.CodeInvalidField) {
		return v.show(http.StatusUnprocessableEntity, "delete_account.html", v.T("delete.title"), field{typed, v.T("delete.wrong")})
	}
	if err != nil {
		return err
	}
	v.me = nil
	v.setCookie(cookieName, "", -1)
	return v.show(http.StatusOK, "account_deleted.html", v.T("deleted.title"), handle)
}
