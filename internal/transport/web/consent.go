package web

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
)

// authorizePath is the authorization endpoint of OAuth. The request is its query.
const authorizePath = "/oauth/authorize"

// consentCookie keeps the last request while its visitor logs in, for an hour: it is too long for the address of a
// login. Of two requests the page shows the later one, and an answer is to the request on the page.
const (
	consentCookie  = "__Host-authorize"
	consentSeconds = 3600
	maxRequest     = 3_500 // bytes: browsers take 4,096 with the name
)

// requestFields lists the parameters of a request. Others are ignored (RFC 6749, section 3.1).
var requestFields = []string{
	"client_id", "redirect_uri", "response_type", "code_challenge", "code_challenge_method", "state", "resource", "scope",
}

// consents serves the page on which people let a program work for their account.
type consents struct {
	service *oauth.Service
	keyring *publish.Keyring
	login   *logins
}

func (c consents) routes() []route {
	return []route{
		{"GET", authorizePath, anyone, admission.Look, overTLS(c.page)},
		{"POST", authorizePath, anyone, admission.Look, overTLS(form(maxForm, c.answer, "form_token", "answer", "reach?", "project?"))},
	}
}

// consentPage holds the data of the question, of a program or of a device.
type consentPage struct {
	oauth.Consent
	Action   string // of the form; empty: the page's own address
	Code     string // of a device, as typed
	Projects []sandlot.Project
	More     bool   // whether there are others: their ids can be typed
	Reach    string // the chosen scope
	Chosen   string // the project that was chosen
	Wrong    string // the problem with the choice
}

// OnlyProject reports whether the program asks for no more than a project.
func (p consentPage) OnlyProject() bool { return p.Wish == oauth.ScopeProject }

// Wished returns the project for which the device asks, as far as the page has it. Own reports whether it may be the
// account's.
func (p consentPage) Wished() (wished struct {
	sandlot.Project
	Own bool
},
) {
	wished.ID, wished.Own = p.Project, p.More
	for _, of := range p.Projects {
		if of.ID == p.Project {
			wished.Project, wished.Own = of, true
		}
	}
	return wished
}

// read returns the request in the query, and its query without other parameters. A query that is malformed or too long,
// or has a parameter twice, is refused.
func (c consents) read(v *visit) (oauth.Request, string, error) {
	all, err := url.ParseQuery(v.r.URL.RawQuery)
	if err != nil {
		return oauth.Request{}, "", badRequest("The query is malformed.")
	}
	known := url.Values{}
	for _, name := range requestFields {
		if len(all[name]) > 1 {
			return oauth.Request{}, "", badRequest("The parameter " + name + " is there more than once.")
		}
		if value := all.Get(name); value != "" {
			known.Set(name, value)
		}
	}
	query := known.Encode()
	if len(query) > maxRequest {
		return oauth.Request{}, "", badRequest("The request is too long.")
	}
	return oauth.Request{
		ClientID: known.Get("client_id"), RedirectURI: known.Get("redirect_uri"), ResponseType: known.Get("response_type"),
		Challenge: known.Get("code_challenge"), ChallengeMethod: known.Get("code_challenge_method"),
		State: known.Get("state"), Resource: known.Get("resource"), Scope: known.Get("scope"),
	}, query, nil
}

func badRequest(why string) error { return &oauth.Refusal{Code: "invalid_request", Description: why} }

// page shows the question. Without a query it continues with the request from before a login.
func (c consents) page(v *visit) error {
	if kept := v.cookie(consentCookie); kept != "" && v.r.URL.RawQuery == "" {
		return v.redirect(authorizePath + "?" + kept)
	}
	return c.ask(v, http.StatusOK, consentPage{})
}

// ask shows the question, or redirects a visitor without a fresh login to the login, which leads back to it.
func (c consents) ask(v *visit, status int, page consentPage) error {
	request, query, err := c.read(v)
	if err != nil {
		return c.refused(v, err)
	}
	if v.me == nil || !v.fresh() {
		if err := c.service.Check(v.r.Context(), v.by, request); err != nil {
			return c.refused(v, err)
		}
		v.setCookie(consentCookie, query, consentSeconds)
		return c.login.prove(v, authorizePath)
	}
	if page.Consent, err = c.service.Ask(v.r.Context(), v.by, request); err != nil {
		return c.refused(v, err)
	}
	letOut(v, page.Client)
	return c.show(v, status, page)
}

// show shows the question with the projects to choose from.
func (c consents) show(v *visit, status int, page consentPage) (err error) {
	page.Projects, page.More, err = c.keyring.KeyProjects(v.r.Context(), v.by)
	if err != nil {
		return err
	}
	if page.Reach == "" && page.Project != "" && page.Wished().Own {
		page.Reach, page.Chosen = oauth.ScopeProject, string(page.Project)
	}
	return v.show(status, "consent.html", v.T("consent.title"), page)
}

// letOut lets the form of the page lead to the client, and from there to any https address: browsers apply the policy
// for forms to all redirects after a form, those of the client included.
func letOut(v *visit, client oauth.Client) {
	targets := "form-action 'self' https:"
	for _, redirect := range client.Redirects {
		if u, err := url.Parse(redirect); err == nil && u.Scheme != "" && u.Scheme != "https" {
			targets += " " + u.Scheme + ":"
		}
	}
	v.w.Header().Set("Content-Security-Policy", strings.Replace(v.policy, "form-action 'self'", targets, 1))
}

// keepOpener leaves the window of the question to the website that opened it, through the login as well: some wait for
// it to close, and would take the separation for that.
func (v *visit) keepOpener() {
	if v.r.URL.Path == authorizePath || v.cookie(consentCookie) != "" {
		v.w.Header().Set("Cross-Origin-Opener-Policy", "unsafe-none")
	}
}

// choice returns the answer in the form of the page. If it lacks something, the page is shown again with wrong.
func choice(v *visit) (allow bool, chosen oauth.Choice, wrong string) {
	f := v.r.PostForm
	chosen.Form = f.Get("form_token")
	switch f.Get("answer") {
	case "deny":
		return false, chosen, ""
	case "allow":
	default:
		return false, chosen, v.T("consent.no-choice")
	}
	switch f.Get("reach") {
	case oauth.ScopeAccount:
	case oauth.ScopeProject:
		if chosen.Project = v.places.ProjectID(strings.TrimSpace(f.Get("project"))); chosen.Project == "" {
			wrong = v.T("consent.no-project")
		}
	default:
		wrong = v.T("consent.no-choice")
	}
	return true, chosen, wrong
}

// again returns the data of the page for an answer that cannot be taken.
func again(v *visit, wrong string) consentPage {
	return consentPage{Reach: v.r.PostForm.Get("reach"), Chosen: v.r.PostForm.Get("project"), Wrong: wrong}
}

// answer redirects to the client with the answer.
func (c consents) answer(v *visit) error {
	request, _, err := c.read(v)
	allow, chosen, wrong := choice(v)
	if err != nil || v.me == nil || !v.fresh() || wrong != "" {
		return c.ask(v, http.StatusUnprocessableEntity, again(v, wrong))
	}
	to := ""
	if allow {
		to, err = c.service.Approve(v.r.Context(), v.by, request, chosen)
	} else {
		to, err = c.service.Deny(v.r.Context(), v.by, request)
	}
	switch {
	case errors.Is(err, sandlot.ErrNotFound):
		return c.ask(v, http.StatusUnprocessableEntity, again(v, v.T("consent.not-yours")))
	case err != nil:
		return c.refused(v, err)
	}
	v.setCookie(consentCookie, "", -1)
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
	return nil
}

// badConsent holds the data of the page of a refusal. Back is the way to the client, empty if that is not to be trusted.
type badConsent struct {
	*oauth.Refusal
	Back template.URL
}

// refused redirects to the client with a refusal. A stranger gets a page with that link: anybody can register a client,
// and an address of this website must not lead elsewhere by itself (RFC 9700, section 4.11.2).
func (c consents) refused(v *visit, err error) error {
	var refusal *oauth.Refusal
	switch {
	case errors.Is(err, sandlot.CodeInvalidField): // a form of another session or request
		return v.problem(http.StatusBadRequest, "error.form")
	case !errors.As(err, &refusal):
		return err
	case refusal.Redirect != "" && v.me != nil && v.fresh():
		http.Redirect(v.w, v.r, refusal.Redirect, http.StatusSeeOther)
		return nil
	}
	page := badConsent{refusal, template.URL(refusal.Redirect)}
	return v.show(http.StatusBadRequest, "consent_bad.html", v.T("consent.bad-title"), page)
}
