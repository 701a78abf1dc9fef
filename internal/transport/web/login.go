package web

import (
	"context"
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

// Logins is what the pages ask of the domain to log somebody in; *account.Service is one.
// A browser is told by the token that AskLogin returned. What is used, too old or another
// browser's is sandlot.ErrNotFound.
type Logins interface {
	// MintBrowser draws a token for a browser that has not asked for a login yet.
	MintBrowser(ctx context.Context, by sandlot.Caller) (string, error)
	// AskLogin has a message sent, if an account has the address; it does not tell.
	AskLogin(ctx context.Context, by sandlot.Caller, in account.LoginInput) (browser string, err error)
	PendingLogin(ctx context.Context, by sandlot.Caller, browser string) (account.Login, error)
	// LoginLink looks at a link and uses nothing up; UseLoginLink and UseLoginCode do.
	LoginLink(ctx context.Context, by sandlot.Caller, browser, token string) (own bool, err error)
	UseLoginLink(ctx context.Context, by sandlot.Caller, browser, token string) error
	UseLoginCode(ctx context.Context, by sandlot.Caller, browser, code string) (right bool, err error)
	LoginAccounts(ctx context.Context, by sandlot.Caller, browser string) ([]sandlot.Account, error)
	// LoginChoices returns what tells the accounts of LoginAccounts apart.
	LoginChoices(ctx context.Context, by sandlot.Caller, browser string) ([]account.LoginChoice, error)
	// FinishLogin returns the token of a session in place of the one that the caller had, and the path to go to.
	FinishLogin(ctx context.Context, by sandlot.Caller, browser, handle, agent string) (token, back string, err error)
	// Remember returns what the browser is to keep after a login with an address, in place of known.
	Remember(ctx context.Context, by sandlot.Caller, known, address string) (string, error)
}

// Cookies of a login: the one that binds it to its browser, and how long browsers
// keep them.
const (
	loginCookie   = "__Host-login"
	knownCookie   = "__Host-known"  // what Remember returned
	loginSeconds  = 3600            // longer than any login lasts
	cookieSeconds = 400 * 24 * 3600 // the most that browsers take (RFC 6265bis); the session itself ends when it was not seen for long
)

// overTLS answers itself where browsers would refuse the cookie: it is for https,
// and for this machine.
func overTLS(handle func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		if keepsLogins(v.places.Base) {
			return handle(v)
		}
		return v.show(http.StatusForbidden, "login_https.html", v.T("login.https-title"), nil)
	}
}

// keepsLogins reports whether browsers take the cookie of a login from a website.
func keepsLogins(base *url.URL) bool {
	host := base.Hostname()
	ip, _ := netip.ParseAddr(host)
	return base.Scheme == "https" || host == "localhost" || strings.HasSuffix(host, ".localhost") || ip.IsLoopback()
}

// logins are the pages on which people log in, and out.
type logins struct {
	service  Logins
	sessions sessionLists
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

// loginForm is what the first page of a login shows.
type loginForm struct {
	Email, To string
	Wrong     string // what is wrong with the address, or with asking
}

func (l *logins) ask(v *visit) error {
	form := loginForm{To: localPath(v.r.URL.Query().Get("to"))}
	if v.me != nil {
		form.Email = v.me.Account.Email
	}
	if browser(v) == "" {
		token, err := l.service.MintBrowser(v.r.Context(), v.by)
		if err != nil {
			return err
		}
		v.setCookie(loginCookie, token, loginSeconds) // now, so that the form is of one browser, however often it is sent
	}
	return showLogin(v, http.StatusOK, form)
}

func showLogin(v *visit, status int, form loginForm) error {
	title := v.T("login.title")
	if v.me != nil {
		title = v.T("login.confirm-title")
	}
	return v.show(status, "login.html", title, form)
}

// send has the message sent. Whether an account has the address changes nothing of its answer.
func (l *logins) send(v *visit) error {
	form := loginForm{Email: strings.TrimSpace(v.r.PostForm.Get("email")), To: localPath(v.r.PostForm.Get("to"))}
	in := account.LoginInput{Email: form.Email, Browser: browser(v), Back: form.To, Lang: v.Lang, Known: v.cookie(knownCookie)}
	browser, err := l.service.AskLogin(v.r.Context(), v.by, in)
	if errors.Is(err, sandlot.CodeInvalidEmail) || errors.Is(err, sandlot.CodeEmailRequired) {
		form.Wrong = v.T("login.bad-address")
		return showLogin(v, http.StatusUnprocessableEntity, form)
	}
	if errors.Is(err, sandlot.CodeRateLimited) {
		form.Wrong = v.T("login.often")
		return showLogin(v, http.StatusTooManyRequests, form)
	}
	if err != nil {
		return err
	}
	v.setCookie(loginCookie, browser, loginSeconds)
	return v.redirect("/login/code")
}

// codeForm is what the page that asks for the code shows.
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

// askLink shows what a link would do, and does nothing: see askVerify.
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

// proved goes on after the address is proved: into the account that asked to be
// confirmed, or the only one, or to a choice.
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

// keep has the browser keep a session, and that it was logged in with that address.
func (l *logins) keep(v *visit, session, email string) error {
	known, err := l.service.Remember(v.r.Context(), v.by, v.cookie(knownCookie), email)
	if err != nil {
		return err
	}
	v.setCookie(knownCookie, known, cookieSeconds)
	v.setCookie(cookieName, session, cookieSeconds)
	return nil
}

// loginOver offers another login in place of one that is used up. A form that
// was sent twice leads on where the first one logged in.
func loginOver(v *visit, err error) error {
	switch {
	case !errors.Is(err, sandlot.ErrNotFound):
		return err
	case v.me != nil && v.r.Method == http.MethodPost && browser(v) == "":
		return v.redirect("/account")
	}
	return v.show(http.StatusGone, "login_over.html", v.T("login.over-title"), nil)
}

// logout ends the session. Without one it is as it should be.
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

// browser is the token that binds a login to this browser, empty without one.
func browser(v *visit) string { return v.cookie(loginCookie) }

// cookie is the value of the browser's only cookie of that name, empty without one.
func (v *visit) cookie(name string) string {
	cookies := v.r.CookiesNamed(name)
	if len(cookies) != 1 {
		return ""
	}
	return cookies[0].Value
}

// from is where the visitor comes from, for the domain.
func (v *visit) from() sandlot.Sender { return v.limits.Sender(v.origin()) }

// maxPath bounds the path to go to after a login: pages of ours have far shorter ones.
const maxPath = 500

// localPath is to if that is a path of this website to go to after a login, and
// the account's first page where it is anything else: nobody is led to another
// site, and nobody in a circle.
func localPath(to string) string {
	const first = "/account"
	u, err := url.Parse(to)
	if err != nil || len(to) > maxPath || u.Scheme != "" || u.Host != "" || u.User != nil || u.Fragment != "" ||
		!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.HasPrefix(u.Path, "//") || strings.Contains(u.Path, "\\") || strings.ContainsFunc(to, unsent) ||
		strings.HasPrefix(u.Path, "/login") || strings.HasPrefix(u.Path, "/logout") {
		return first
	}
	return u.RequestURI()
}

// unsent are the characters that no browser sends in an address as they are.
func unsent(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }
