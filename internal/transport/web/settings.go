package web

import (
	"context"
	"errors"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/web/texts"
)

// owners is what the settings ask of the domain, on behalf of the caller whose account it is.
type owners interface {
	// HandleFor returns the handle that Rename would give, or the error that it would return but for how often it was asked.
	HandleFor(ctx context.Context, by sandlot.Caller, want string) (string, error)
	Rename(ctx context.Context, by sandlot.Caller, want string) (string, error)
	SetLang(ctx context.Context, by sandlot.Caller, lang string) error
	ProposeEmail(ctx context.Context, by sandlot.Caller, address, lang string) error
	ProposedEmail(ctx context.Context, by sandlot.Caller) (string, error)
	WithdrawEmail(ctx context.Context, by sandlot.Caller) error
	DeleteAccount(ctx context.Context, by sandlot.Caller, typed string) error
}

// settings are the page of an account's settings, and those on which one takes everything away or leaves.
type settings struct {
	account owners
	people  People
	exports exports
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

// A field is what stands in a field of a form, and what is wrong with it.
type field struct{ Value, Problem string }

// settingsPage is what the settings show.
type settingsPage struct {
	Handle, Email field
	Line, Link    field
	typed         bool   // whether Line and Link were, and are not those that are recorded
	Proposed      string // the address whose link has not been used
	Lang          string // of the account; empty: as the browser asks
	Langs         []string
	Fresh         bool // whether the login may change the address
}

func (s settings) page(v *visit) error {
	return s.show(v, http.StatusOK, settingsPage{Handle: field{Value: v.me.Account.Handle}})
}

// showSettings fills in what the page has in any case.
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

// fresh reports whether the login may change keys and the address. One of a time to come
// is of a clock that was wrong.
func (v *visit) fresh() bool { return v.now().Sub(v.me.ProvedAt).Abs() <= freshFor }

// askRename shows the handle that it will be.
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
		Action: "/account/settings/handle", Fields: []askField{{"handle", handle}}, Yes: v.T("settings.handle-save"), Back: "/account/settings",
	})
}

// rename gives the account the handle that its owner was shown; another one is shown
// first.
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

// handleRefused shows the settings with what is wrong with a handle.
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
	v.prefer(lang)
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
	return s.show(v, http.StatusUnprocessableEntity, settingsPage{Handle: field{Value: v.me.Account.Handle}, Email: field{address, wrong}})
}

// withdrawEmail ends the proposal; the button may be pressed twice.
func (s settings) withdrawEmail(v *visit) error {
	if err := s.account.WithdrawEmail(v.r.Context(), v.by); err != nil {
		return err
	}
	return v.done("/account/settings", "said.email-kept")
}

// langNames are what languages are called by those who speak them.
var langNames = map[string]string{
	"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "ja": "日本語", "pt": "Português (Brasil)", "zh-Hans": "简体中文",
}

func langName(lang string) string { return langNames[lang] }
