package web

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/url"

	"sandlot"
	"sandlot/examples"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/intake"
)

// beginnings serves the pages on which projects are published.
type beginnings struct {
	intake  *intake.Intake
	service intake.Publisher
}

func (p beginnings) routes() []route {
	return []route{
		{"GET", "/new", anyone, admission.Look, func(v *visit) error { return p.show(v, http.StatusOK, newPage{}) }},
		{"POST", newPath, anyone, admission.Publish, p.publish},
		{"GET", "/send", anyone, admission.Look, p.send},
	}
}

// sendPage holds the data of the page on which a person sends the bytes of a ticket. The ticket is in the fragment of
// its address, and its script makes the call.
type sendPage struct {
	LargestFile, LargestAll int64
	Most                    int
	Refusals                []refusal
}

func (p beginnings) send(v *visit) error {
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	page := sendPage{p.intake.MaxContent, p.intake.MaxFile, publish.DefaultMaxFiles, p.sendRefusals(v)}
	return v.show(http.StatusOK, "send.html", v.T("send.title"), page)
}

// newPage holds the data of the page for a new project: its form or, after success, the project.
type newPage struct {
	FormToken string // the form publishes once under it
	As        string // the handle of the login that the form was made for; empty: none
	typed
	preview
	LargestFile, LargestAll int64
	Wrong, Detail           string // the refusal in the visitor's language, and the service's message in English
	Code                    sandlot.Code
	Candidates              []string // for the start page
	Checked                 bool     // the check passed, and the project would be published
	Notes                   []note
	Examples                []examples.Example // in place of the files, on the page of the examples
	Done                    *publish.Published
	Made                    []publish.Published // the examples; Done is the first
	Until                   bool                // whether it waits for its e-mail to be confirmed
}

// typed holds the words of the form as they were typed.
type typed struct{ Title, Description, Tags, Email string }

// preview describes the frame in which a page is tried before it is published.
type preview struct {
	Sandbox, Allow string
	Origins        string // the origins of previews, with "*" for the label; empty: there are none
}

// MaxDescription returns the maximum number of characters in a description.
func (newPage) MaxDescription() int { return publish.MaxDescription }

// Named returns the name of the published project.
func (page newPage) Named() string { return name(page.Done.Project) }

// AccountKey and ProjectKey return the minted keys, in clear.
func (page newPage) AccountKey() string { return string(page.Done.Keys.Account) }
func (page newPage) ProjectKey() string { return string(page.Done.Keys.Project) }

// Most returns the maximum number of files in a project.
func (newPage) Most() int { return publish.DefaultMaxFiles }

// show sets the fields that the page always has.
func (p beginnings) show(v *visit, status int, page newPage) error {
	page.FormToken = cmp.Or(page.FormToken, rand.Text())
	if v.me != nil {
		page.As = v.me.Account.Handle
	}
	page.LargestFile, page.LargestAll = p.intake.MaxContent, p.intake.MaxFile
	page.Sandbox, page.Allow = sandboxOwnOrigin, allowed
	if page.Origins = v.places.Base.String() + "/~/*/"; v.places.Content != "" {
		page.Origins = v.places.Origin("*") + "/"
	} else {
		page.Sandbox = sandbox
	}
	title := v.T("new.title")
	switch {
	case page.Made != nil:
		title = v.T("new.examples-done")
	case page.Examples != nil:
		title = v.T("new.examples")
	case page.Done != nil:
		title = page.Named()
	}
	if page.Done != nil {
		page.Until = page.Done.Quarantined || v.public()
	}
	return v.show(status, "new.html", title, page)
}

// publish publishes the project in the form, or only checks it. A form that was made for a login is rejected without
// it: a visitor whose login ended would publish as a stranger.
func (p beginnings) publish(v *visit) error {
	if as := v.r.URL.Query().Get("as"); as != "" && (v.me == nil || v.me.Account.Handle != as) {
		return p.refused(v, newPage{}, sandlot.Refuse(sandlot.CodeKeyRequired, "The login is over."))
	}
	var err error
	answer := func(said func(string) string, out publish.Published, refused *sandlot.Error) {
		page := newPage{typed: typed{said("title"), said("description"), said("tags"), said("email")}}
		switch {
		case refused != nil:
			if other := p.refused(v, page, refused); other != nil {
				v.fail(other) // now, for the rest of the body is discarded after the answer
			}
		case out.DryRun:
			page.Checked, page.Notes = true, notes(v, out.Warnings)
			err = p.show(v, http.StatusOK, page)
		default:
			page.Done, page.Notes = &out, notes(v, out.Warnings)
			err = p.show(v, http.StatusCreated, page)
		}
	}
	p.intake.PublishForm(p.service, intake.PublishForm{W: v.w, R: v.r, By: v.by, Grant: v.grant, Tags: v.readTagWords, Answer: answer})
	return err
}

// refused shows the form again with the refusal.
func (p beginnings) refused(v *visit, page newPage, e *sandlot.Error) error {
	status := http.StatusUnprocessableEntity
	retryAfter(v, e)
	page.Code, page.Wrong = e.Code, p.refusedWords(v, e)
	if tellsNames(e.Code) {
		page.Detail = e.Message
	}
	for _, d := range e.Details {
		if list, ok := d.Value.([]string); ok && d.Name == "candidates" {
			page.Candidates = list
		}
	}
	if page.Wrong == "" {
		return e
	}
	switch {
	case e.Code == sandlot.CodeKeyRequired:
		status = http.StatusUnauthorized
	case sandlot.Codes[e.Code] == sandlot.KindTooMany:
		status = http.StatusTooManyRequests
	case sandlot.Codes[e.Code] == sandlot.KindTooLarge:
		status = http.StatusRequestEntityTooLarge
	case sandlot.Codes[e.Code] == sandlot.KindConflict:
		status = http.StatusConflict
	}
	return p.show(v, status, page)
}

// LoginAgain returns the address of a login that comes back to the form.
func (page newPage) LoginAgain() string {
	back := "/new"
	if page.Examples != nil {
		back = examplesPath
	}
	return "/login?to=" + url.QueryEscape(back)
}

// Verified reports whether the visitor is logged in to an account with a verified address.
func (v view) Verified() bool { return v.me != nil && v.me.Account.EmailVerified }
