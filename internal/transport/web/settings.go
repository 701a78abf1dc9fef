package web

import (
	"context"
	"errors"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
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

func (p *Pages) settingsRoutes() []route {
	return []route{
		{"GET", "/account/settings", owner, admission.Look, p.settings},
		{"GET", "/account/settings/handle", owner, admission.Look, p.askRename},
		{"POST", "/account/settings/handle", owner, admission.Look, form(maxForm, p.rename, "handle")},
		{"POST", "/account/settings/profile", owner, admission.Look, form(maxForm, describeSelf, "line", "link")},
		{"POST", "/account/settings/language", owner, admission.Look, form(maxForm, p.setLanguage, "lang")},
		{"POST", "/account/settings/email", recent, admission.Mail, form(maxForm, p.proposeEmail, "email")},
		{"POST", "/account/settings/email/withdraw", owner, admission.Look, form(maxForm, p.withdrawEmail)},
		{"GET", "/account/export", owner, admission.Export, p.export},
		{"GET", "/account/delete", recent, admission.Look, p.askDelete},
		{"POST", "/account/delete", recent, admission.Look, form(maxForm, p.deleteAccount, "handle")},
		{"GET", "/account/email", anyone, admission.Look, p.askEmail},
		{"POST", "/account/email", anyone, admission.Look, form(maxForm, p.takeEmail, "token")},
		{"GET", "/account/undo", anyone, admission.Look, p.askUndo},
		{"POST", "/account/undo", anyone, admission.Look, form(maxForm, p.undoEmail, "token")},
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

func (p *Pages) settings(v *visit) error {
	return v.showSettings(http.StatusOK, settingsPage{Handle: field{Value: v.me.Account.Handle}})
}

// showSettings fills in what the page has in any case.
func (v *visit) showSettings(status int, page settingsPage) error {
	var err error
	if page.Proposed, err = v.Account.ProposedEmail(v.r.Context(), v.by); err != nil {
		return err
	}
	if !page.typed {
		own, err := v.People.Own(v.r.Context(), v.by)
		if err != nil {
			return err
		}
		page.Line, page.Link = field{Value: own.Line}, field{Value: own.Link}
	}
	page.Langs, page.Fresh = v.book.Langs, v.fresh()
	if found, ok := v.book.Nearest(v.me.Account.Lang); ok && v.me.Account.Lang != "" {
		page.Lang = found
	}
	return v.show(status, "settings.html", v.T("settings.title"), page)
}

// fresh reports whether the login may change keys and the address. One of a time to come
// is of a clock that was wrong.
func (v *visit) fresh() bool { return v.Now().Sub(v.me.ProvedAt).Abs() <= freshFor }

// rename gives the account the handle that its owner was shown; another one is shown
// first.
func (p *Pages) rename(v *visit) error {
	want := v.r.PostForm.Get("handle")
	handle, err := p.Account.HandleFor(v.r.Context(), v.by, want)
	if err == nil && handle != want {
		return v.askHandle(want)
	}
	if err == nil {
		_, err = p.Account.Rename(v.r.Context(), v.by, want)
	}
	if err != nil {
		return v.handleRefused(want, err)
	}
	return v.done("/account/settings", "said.renamed", "handle", handle)
}

// handleRefused shows the settings with what is wrong with a handle.
func (v *visit) handleRefused(want string, err error) error {
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
	return v.showSettings(http.StatusUnprocessableEntity, settingsPage{Handle: field{want, wrong}})
}

func (p *Pages) setLanguage(v *visit) error {
	lang := v.r.PostForm.Get("lang")
	if found, ok := v.book.Nearest(lang); lang != "" && (!ok || found != lang) {
		return v.redirect("/account/settings") // the page offers no other
	}
	if err := p.Account.SetLang(v.r.Context(), v.by, lang); err != nil {
		return err
	}
	v.prefer(lang)
	return v.done("/account/settings", "said.language")
}

func (p *Pages) proposeEmail(v *visit) error {
	address := v.r.PostForm.Get("email")
	err := p.Account.ProposeEmail(v.r.Context(), v.by, address, v.lang)
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
	return v.showSettings(http.StatusUnprocessableEntity, settingsPage{Handle: field{Value: v.me.Account.Handle}, Email: field{address, wrong}})
}

// withdrawEmail ends the proposal; the button may be pressed twice.
func (p *Pages) withdrawEmail(v *visit) error {
	if err := p.Account.WithdrawEmail(v.r.Context(), v.by); err != nil {
		return err
	}
	return v.done("/account/settings", "said.email-kept")
}

// langNames are what languages are called by those who speak them.
var langNames = map[string]string{
	"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "ja": "日本語", "pt": "Português (Brasil)", "zh-Hans": "简体中文",
}

// LangName is what a language is called by those who speak it.
func (v view) LangName(lang string) string { return langNames[lang] }
