// Package moderation serves the desk, on which moderators decide about projects, and the pages that explain to an owner
// why a project is not shown and take the objection.
package moderation

import (
	"context"
	"net/http"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/transport/web/texts"
)

// Config holds the dependencies of the pages. All must be set but Contact.
type Config struct {
	Desk    *desk.Service
	Listed  *listed.Service
	Places  sandlot.Places
	Contact string // of the operator, a URI
	Now     func() time.Time
}

// Pages answers the requests for the pages. It may be used concurrently.
type Pages struct {
	Config
	mu        sync.Mutex
	waiting   int
	countedAt time.Time
}

// New returns the pages.
func New(c Config) *Pages { return &Pages{Config: c} }

// A Visit is one request for a page, which the website has admitted, and the ways to answer it.
type Visit struct {
	texts.Voice
	W    http.ResponseWriter
	R    *http.Request
	By   sandlot.Caller
	Me   sandlot.AccountID // empty without a login
	Said bool              // whether the page reports the effect of the form before it
	// Query returns a parameter of the address, cleaned like a field of a form.
	Query func(name string) string
	// Show sends a page. The dot of its template has data as its Data.
	Show func(status int, template, title string, data any) error
	// Done redirects to a path whose page shows the effect of a form: the text of that name.
	Done func(path, name string, args ...any) error
	// Send sends a body that is not a page.
	Send func(contentType string, body []byte) error
}

// A Route is one entry to the pages. Path is a pattern of http.ServeMux without the method.
type Route struct {
	Method, Path string
	Open         bool // whether it is for everybody; otherwise it is for moderators alone
	Operation    admission.Operation
	Handle       func(*Visit) error
	Words        int      // characters in the fields of its form, beside some short ones
	Fields       []string // of its form: "?" after a name means that it may be absent, "*" that it may be there several times
}

// Routes returns all entries.
func (p *Pages) Routes() []Route {
	const look = admission.Look
	return []Route{
		{"GET", "/desk", false, look, p.queue, 0, nil},
		{
			"POST", "/desk", false, look, p.decide, desk.MaxText + 10*desk.MaxTargets,
			[]string{"action", "target*?", "reason?", "text?", "block?", "case?"},
		},
		{"POST", "/desk/undo", false, look, p.undo, 0, []string{"decision", "case?"}},
		{"GET", "/desk/{id}", false, look, p.caseOf, 0, nil},
		{"GET", "/desk/{id}/page", false, look, backToCase, 0, nil},
		{"POST", "/desk/{id}/page", false, look, p.showPage, 0, nil},
		{"POST", "/desk/{id}/note", false, look, p.note, desk.MaxText, []string{"text"}},
		{"GET", "/desk/{id}/source", false, look, p.source, 0, nil},
		{"GET", "/desk/{id}/picture", false, admission.Fetch, p.picture, 0, nil},
		{"GET", "/appeal/{id}", true, look, p.appeal, 0, nil},
		{"GET", "/object", true, look, p.askObjection, 0, nil},
		{"POST", "/object", true, admission.Report, p.object, desk.MaxObjection, []string{"code", "text"}},
	}
}

// countFor is the time for which Waiting keeps its number.
const countFor = 15 * time.Second

// Waiting returns the number of projects that wait for a decision; 0 if it is unknown.
func (p *Pages) Waiting(ctx context.Context, by sandlot.Caller) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.Now(); now.Sub(p.countedAt).Abs() >= countFor {
		n, err := p.Desk.Waiting(ctx, by)
		if err != nil {
			return 0
		}
		p.waiting, p.countedAt = n, now
	}
	return p.waiting
}

// redirect redirects to a path of the website, after a form as well.
func redirect(v *Visit, path string) error {
	http.Redirect(v.W, v.R, path, http.StatusSeeOther)
	return nil
}

// idOf returns the project in the path of the request.
func idOf(v *Visit) sandlot.ProjectID { return sandlot.ProjectID(v.R.PathValue("id")) }

// caseAt returns the path of a project's case.
func caseAt(id sandlot.ProjectID) string { return "/desk/" + string(id) }
