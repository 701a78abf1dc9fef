package web

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/connect"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
)

// connectPath is the page of a connect_url. Its fragment has the code, which a script posts: no address ever has it.
const connectPath = "/connect"

// connectCookie keeps the code while its holder logs in, for an hour. It comes back to this website alone.
const (
	connectCookie  = "__Host-connect"
	connectSeconds = 3600
)

// connections serves the page on which people take over the projects that an agent has published for them, and let
// programs in a terminal work for their account.
type connections struct {
	service  *connect.Service
	login    *logins
	consents consents
}

func (c connections) routes() []route {
	return []route{
		{"GET", connectPath, anyone, admission.Look, overTLS(c.page)},
		{"POST", connectPath, anyone, admission.EnterCode, overTLS(form(maxForm, c.enter, "code"))},
		{"POST", connectPath + "/login", anyone, admission.Mail, overTLS(form(maxForm, c.send, "code", "email"))},
		{"POST", connectPath + "/take", anyone, admission.EnterCode, overTLS(form(maxForm, c.take, "code"))},
		{
			"POST", connectPath + "/device", recent, admission.EnterCode,
			overTLS(form(maxForm, c.decide, "code", "form_token", "answer", "reach?", "project?")),
		},
		{"GET", connectPath + "/done", anyone, admission.Look, c.done},
	}
}

// connectPage holds the data of the page. Without an Offer it asks for a code.
type connectPage struct {
	Code  string
	Offer *connect.Offer
	Over  string    // why the code does not work
	Login loginForm // of a visitor without a login
}

// Shown returns the number of projects on the page.
func (p connectPage) Shown() int { return len(p.Offer.Projects) }

// offer returns the Offer of a code, and counts a wrong code for the visitor's network.
func (c connections) offer(v *visit, code string) (of connect.Offer, err error) {
	err = v.limits.Guess(v.origin(), sha256.Sum256([]byte(code)), func() (bool, error) {
		of, err = c.service.Offer(v.r.Context(), v.by, code)
		return err == nil, err
	})
	return of, err
}

func (c connections) page(v *visit) error {
	if code := v.cookie(connectCookie); code != "" {
		return c.show(v, http.StatusOK, code, loginForm{})
	}
	return c.render(v, http.StatusOK, v.T("connect.enter-title"), connectPage{})
}

// show keeps a code in the browser and shows its Offer: to a visitor with a login the question, and to others the way
// to one.
func (c connections) show(v *visit, status int, code string, form loginForm) error {
	if oauth.LooksLikeUserCode(code) {
		return c.ask(v, status, userCode(code), consentPage{})
	}
	of, err := c.offer(v, code)
	if err != nil {
		return c.over(v, v.T("connect.over"), err)
	}
	v.setCookie(connectCookie, code, connectSeconds)
	if !c.mayTake(v) {
		if err := c.login.welcome(v); err != nil {
			return err
		}
		form.To = connectPath
		if form.Provider = c.login.provider(); form.Provider != "" {
			form.Away = !c.login.openID.Provider.Up()
		}
	}
	return c.render(v, status, v.T("connect.title", "handle", of.Account.Handle), connectPage{Code: code, Offer: &of, Login: form})
}

// mayTake reports whether the visitor is logged in to an account that can have more projects.
func (c connections) mayTake(v *visit) bool { return v.me != nil && v.me.Account.EmailVerified }

func (c connections) render(v *visit, status int, title string, page connectPage) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	return v.show(status, "connect.html", title, page)
}

// over shows the one page for codes that do not work.
func (c connections) over(v *visit, text string, err error) error {
	if !errors.Is(err, sandlot.ErrNotFound) {
		return err
	}
	v.setCookie(connectCookie, "", -1)
	return c.render(v, http.StatusGone, v.T("connect.over-title"), connectPage{Over: text})
}

// enter takes the code of the script, or one that was pasted with or without its address.
func (c connections) enter(v *visit) error {
	code := strings.TrimSpace(v.r.PostForm.Get("code"))
	code = code[strings.LastIndexByte(code, '#')+1:]
	return c.show(v, http.StatusOK, code, loginForm{})
}

// send sends the message of a login, which leads back here, or makes the address that of the code's account.
func (c connections) send(v *visit) error {
	code, form := v.r.PostForm.Get("code"), loginForm{Email: strings.TrimSpace(v.r.PostForm.Get("email"))}
	if _, err := c.offer(v, code); err != nil {
		return c.over(v, v.T("connect.over"), err)
	}
	in := account.LoginInput{Email: form.Email, Browser: browser(v), Back: connectPath, Lang: v.Lang, Known: v.cookie(knownCookie)}
	token, err := c.service.AskLogin(v.r.Context(), v.by, code, in)
	status := 0
	if status, form.Wrong = wrongAddress(v, err); status != 0 {
		return c.show(v, status, code, form)
	}
	if err != nil {
		return c.over(v, v.T("connect.over"), err)
	}
	v.setCookie(loginCookie, token, loginSeconds)
	return v.redirect("/login/code")
}

// take moves the projects. A form sent twice leads to the same page.
func (c connections) take(v *visit) error {
	if !c.mayTake(v) {
		return v.redirect(connectPath)
	}
	code := v.r.PostForm.Get("code")
	of, err := c.offer(v, code)
	if err == nil {
		err = c.service.Take(v.r.Context(), v.by, code)
	}
	if err != nil {
		return c.over(v, v.T("connect.over"), err)
	}
	v.setCookie(connectCookie, "", -1)
	return v.done("/account", "said.taken-over", "handle", of.Account.Handle)
}

// userCode returns a device's code as the device shows it.
func userCode(typed string) string {
	letters := strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(typed))
	return letters[:4] + "-" + letters[4:]
}

// ask shows the question of a device's code, after a fresh login. An address never has such a code: it is typed.
func (c connections) ask(v *visit, status int, code string, page consentPage) error {
	v.setCookie(connectCookie, code, connectSeconds)
	if v.me == nil || !v.fresh() {
		return c.login.prove(v, connectPath)
	}
	asked, err := c.device(v, code)
	if err != nil {
		return c.over(v, v.T("connect.device-over"), err)
	}
	page.Consent, page.Code, page.Action = asked, code, connectPath+"/device"
	return c.consents.show(v, status, page)
}

// device returns the question of a device's code, and counts a wrong code for the visitor's network.
func (c connections) device(v *visit, code string) (asked oauth.Consent, err error) {
	err = v.limits.Guess(v.origin(), sha256.Sum256([]byte(code)), func() (bool, error) {
		asked, err = c.consents.service.DeviceConsent(v.r.Context(), v.by, code)
		return err == nil, err
	})
	return asked, err
}

// decide answers a device. Its page then says where to go on.
func (c connections) decide(v *visit) error {
	code := v.r.PostForm.Get("code")
	allow, chosen, wrong := choice(v)
	if wrong != "" {
		return c.ask(v, http.StatusUnprocessableEntity, code, again(v, wrong))
	}
	_, err := c.device(v, code)
	if err != nil {
		return c.over(v, v.T("connect.device-over"), err)
	}
	said := "said.device-allowed"
	if allow {
		err = c.consents.service.ApproveDevice(v.r.Context(), v.by, code, chosen)
	} else {
		said, err = "said.device-denied", c.consents.service.DenyDevice(v.r.Context(), v.by, code, chosen.Form)
	}
	if errors.Is(err, sandlot.ErrNotFound) {
		return c.ask(v, http.StatusUnprocessableEntity, code, again(v, v.T("consent.not-yours")))
	}
	if err != nil {
		return c.consents.refused(v, err)
	}
	v.setCookie(connectCookie, "", -1)
	return v.done(connectPath+"/done", said)
}

// done leads back to the terminal.
func (c connections) done(v *visit) error {
	return v.show(http.StatusOK, "connected.html", v.T("connect.done-title"), nil)
}
