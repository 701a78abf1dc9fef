package web

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
)

// The cookies of a login, and the time that browsers keep them.
const (
	loginCookie   = "__Host-login"
	knownCookie   = "__Host-known"  // the token that Remember returned
	loginSeconds  = 3600            // longer than any login lasts
	cookieSeconds = 400 * 24 * 3600 // the most that browsers accept (RFC 6265bis); a session itself ends after a time without use
)

// overTLS shows an explanation if browsers would refuse the cookie: it needs https or a loopback address.
func overTLS(handle func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		if keepsLogins(v.places.Base) {
			return handle(v)
		}
		return v.show(http.StatusForbidden, "login_none.html", v.T("login.https-title"), v.T("login.https-text"))
	}
}

// keepsLogins reports whether browsers accept the cookie of a login from a website.
func keepsLogins(base *url.URL) bool {
	host := base.Hostname()
	ip, _ := netip.ParseAddr(host)
	return base.Scheme == "https" || host == "localhost" || strings.HasSuffix(host, ".localhost") || ip.IsLoopback()
}

// logins serves the pages on which people log in and out.
type logins struct {
	service  *account.Logins
	sessions *account.Service
	openID   *account.OpenID // nil: none
}

func (l *logins) routes() []route {
	return []route{
		{"GET", "/login", anyone, admission.Look, overTLS(l.ask)},
		{"POST", "/login", anyone, admission.Mail, overTLS(form(maxForm, l.send, "email", "to?"))},
		{"GET", "/login/code", anyone, admission.Look, overTLS(l.askCode)},
		{"POST", "/login/code", anyone, admission.EnterCode, overTLS(form(maxForm, l.useCode, "code"))},
		{"GET", "/login/link", anyone, admission.Look, overTLS(l.askLink)},
		{"POST", "/login/link", anyone, admission.Look, overTLS(form(maxForm, l.useLink, "token"))},
		{"GET", "/login/choose", anyone, admission.Look, overTLS(l.askAccount)},
		{"POST", "/login/choose", anyone, admission.Look, overTLS(form(maxForm, l.useAccount, "handle"))},
		{"POST", "/logout", anyone, admission.Look, form(maxForm, l.logout)},
	}
}

// loginForm holds the data of the first page of a login.
type loginForm struct {
	Email, To string
	Wrong     string // the problem with the address, or with the request
	Provider  string // the name of the OpenID provider; empty: none
	Away      bool   // whether it did not answer last
}

func (l *logins) ask(v *visit) error {
	form := loginForm{To: localPath(v.r.URL.Query().Get("to"))}
	if v.me != nil {
		form.Email = v.me.Account.Email
	}
	if err := l.welcome(v); err != nil {
		return err
	}
	return l.show(v, http.StatusOK, form)
}

// prove redirects to a login that leads back to a path. Where nobody can log in, a page says why.
func (l *logins) prove(v *visit, back string) error {
	if v.public() && v.ready.Mail == nil && l.openID == nil {
		return v.show(http.StatusForbidden, "login_none.html", v.T("login.none-title"), v.T("login.none-text"))
	}
	return v.redirect("/login?to=" + back)
}

// welcome gives the browser its token before it gets a form, so that all copies of the form belong to one browser.
func (l *logins) welcome(v *visit) error {
	if browser(v) != "" {
		return nil
	}
	token, err := l.service.MintBrowser(v.r.Context(), v.by)
	if err == nil {
		v.setCookie(loginCookie, token, loginSeconds)
	}
	return err
}

func (l *logins) show(v *visit, status int, form loginForm) error {
	if form.Provider = l.provider(); form.Provider != "" {
		form.Away = !l.openID.Provider.Up()
	}
	title := v.T("login.title")
	if v.me != nil {
		title = v.T("login.confirm-title")
	}
	return v.show(status, "login.html", title, form)
}

// send sends the login message. The answer is the same whether an account has the address or not.
func (l *logins) send(v *visit) error {
	form := loginForm{Email: strings.TrimSpace(v.r.PostForm.Get("email")), To: localPath(v.r.PostForm.Get("to"))}
	in := account.LoginInput{Email: form.Email, Browser: browser(v), Back: form.To, Lang: v.Lang, Known: v.cookie(knownCookie)}
	browser, err := l.service.AskLogin(v.r.Context(), v.by, in)
	status := 0
	if status, form.Wrong = wrongAddress(v, err); status != 0 {
		return l.show(v, status, form)
	}
	if err != nil {
		return err
	}
	v.setCookie(loginCookie, browser, loginSeconds)
	return v.redirect("/login/code")
}

// wrongAddress returns the status and the text for the refusal of an address; status 0 for any other error.
func wrongAddress(v *visit, err error) (status int, text string) {
	switch {
	case errors.Is(err, sandlot.CodeInvalidEmail) || errors.Is(err, sandlot.CodeEmailRequired):
		return http.StatusUnprocessableEntity, v.T("login.bad-address")
	case errors.Is(err, sandlot.CodeRateLimited):
		return http.StatusTooManyRequests, v.T("login.often")
	}
	return 0, ""
}

// codeForm holds the data of the page for the code.
type codeForm struct {
	Email, To string
	Wrong     bool
}

func (l *logins) askCode(v *visit) error { return l.showCode(v, http.StatusOK, false) }

func (l *logins) showCode(v *visit, status int, wrong bool) error {
	pending, err := l.service.PendingLogin(v.r.Context(), v.by, browser(v))
	switch {
	case err != nil:
		return loginOver(v, err)
	case pending.Proved:
		return v.redirect("/login/choose")
	}
	return v.show(status, "login_code.html", v.T("login.code-title"), codeForm{pending.Email, pending.Back, wrong})
}

func (l *logins) useCode(v *visit) error {
	browser := browser(v)
	code := strings.NewReplacer(" ", "", "-", "").Replace(v.r.PostForm.Get("code"))
	tried := sha256.Sum256([]byte(browser + " " + code))
	right := false
	err := v.limits.Guess(v.origin(), tried, func() (_ bool, err error) {
		right, err = l.service.UseLoginCode(v.r.Context(), v.by, browser, code)
		return right, err
	})
	switch {
	case err != nil:
		return loginOver(v, err)
	case !right:
		return l.showCode(v, http.StatusUnprocessableEntity, true)
	}
	return l.proved(v)
}

// askLink describes the effect of a link without causing it: see askVerify.
func (l *logins) askLink(v *visit) error {
	token := linkToken(v)
	own, err := l.service.LoginLink(v.r.Context(), v.by, browser(v), token)
	switch {
	case err != nil:
		return loginOver(v, err)
	case !own:
		return v.show(http.StatusOK, "login_elsewhere.html", v.T("login.elsewhere-title"), nil)
	}
	return v.show(http.StatusOK, "login_link.html", v.T("login.link-title"), token)
}

func (l *logins) useLink(v *visit) error {
	if err := l.service.UseLoginLink(v.r.Context(), v.by, browser(v), linkToken(v)); err != nil {
		return loginOver(v, err)
	}
	return l.proved(v)
}

// proved continues once the address is proved: into the account that asked for confirmation, or the only one, or to a
// choice.
func (l *logins) proved(v *visit) error {
	list, err := l.service.LoginAccounts(v.r.Context(), v.by, browser(v))
	if err != nil {
		return loginOver(v, err)
	}
	for _, a := range list {
		if len(list) == 1 || v.me != nil && v.me.Account.ID == a.ID {
			return l.finish(v, a.Handle)
		}
	}
	return v.redirect("/login/choose")
}

func (l *logins) askAccount(v *visit) error {
	list, err := l.service.LoginChoices(v.r.Context(), v.by, browser(v))
	if err != nil {
		return loginOver(v, err)
	}
	return v.show(http.StatusOK, "login_choose.html", v.T("login.choose-title"), list)
}

func (l *logins) useAccount(v *visit) error {
	return l.finish(v, v.r.PostForm.Get("handle"))
}

func (l *logins) finish(v *visit, handle string) error {
	pending, err := l.service.PendingLogin(v.r.Context(), v.by, browser(v))
	if err != nil {
		return loginOver(v, err)
	}
	token, back, err := l.service.FinishLogin(v.r.Context(), v.by, browser(v), handle, v.r.UserAgent())
	if err != nil {
		return loginOver(v, err)
	}
	if err := l.keep(v, token, pending.Email); err != nil {
		return err
	}
	v.setCookie(loginCookie, "", -1)
	return v.redirect(localPath(back))
}

// keep stores a session in the browser, and the fact that the browser was logged in with that address.
func (l *logins) keep(v *visit, session, email string) error {
	known, err := l.service.Remember(v.r.Context(), v.by, v.cookie(knownCookie), email)
	if err != nil {
		return err
	}
	v.setCookie(knownCookie, known, cookieSeconds)
	v.setCookie(cookieName, session, cookieSeconds)
	return nil
}

// loginOver offers another login in place of a finished one. A form that was sent twice continues where the first one
// logged in.
func loginOver(v *visit, err error) error {
	switch {
	case !errors.Is(err, sandlot.ErrNotFound):
		return err
	case v.me != nil && v.r.Method == http.MethodPost && browser(v) == "":
		return v.redirect("/account")
	}
	return v.show(http.StatusGone, "login_over.html", v.T("login.over-title"), nil)
}

// logout ends the session. Having none is no error.
func (l *logins) logout(v *visit) error {
	if v.me != nil {
		err := l.sessions.EndSession(v.r.Context(), v.by, v.me.Session.ID)
		if err != nil && !errors.Is(err, sandlot.ErrNotFound) {
			return err
		}
		v.setCookie(cookieName, "", -1)
	}
	return v.done("/", "said.logged-out")
}

// browser returns the token that binds a login to this browser, empty without one.
func browser(v *visit) string { return v.cookie(loginCookie) }

// cookie returns the value of the only cookie of that name, empty if there is none or several.
func (v *visit) cookie(name string) string { return onlyCookie(v.r, name) }

func onlyCookie(r *http.Request, name string) string {
	cookies := r.CookiesNamed(name)
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

// from returns the visitor's origin, for the domain.
func (v *visit) from() sandlot.Sender { return v.limits.Sender(v.origin()) }

// maxPath bounds the path to redirect to after a login, in bytes: pages of ours have far shorter ones.
const maxPath = 500

// localPath returns a path of this website to redirect to after a login, or the account's first page for any other
// input: nobody is led to another site, and nobody in a circle.
func localPath(to string) string {
	const first = "/account"
	u, err := url.Parse(to)
	if err != nil || len(to) > maxPath || u.Scheme != "" || u.Host != "" || u.User != nil || u.Fragment != "" ||
		!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.HasPrefix(u.Path, "//") ||
		strings.Contains(u.Path, "\\") || strings.ContainsFunc(to, unsent) ||
		strings.HasPrefix(u.Path, "/login") || strings.HasPrefix(u.Path, "/logout") {
		return first
	}
	return u.RequestURI()
}

// unsent reports whether no browser sends the character unescaped in an address.
func unsent(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }
