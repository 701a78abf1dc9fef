package web

import (
	"html/template"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/admission"
)

// access is the kind of visitors that a route admits.
type access int

const (
	anyone    access = iota // with a login or without
	owner                   // only with a login; others are redirected to it
	recent                  // only with a login proved within freshFor; others prove it again
	moderator               // only moderators, with a login proved within desk.LoginAge; other accounts find nothing
	stranger                // anyone, and the login is not read: for resources on other sites
)

// A route is one entry to the pages. Path is a pattern of http.ServeMux without the method; GET takes HEAD as well.
type route struct {
	method, path string
	access       access
	operation    admission.Operation
	handle       func(*visit) error
}

// An area is a group of pages with the services that they need. Its handlers are methods that take a visit.
type area interface{ routes() []route }

// areas returns all areas, each with its services.
func (p *Pages) areas(c Config) []area {
	zip, begin := archives{c.Archive}, beginnings{c.Intake, c.Service}
	login := &logins{c.Logins, c.Account, c.OpenID}
	asked := consents{c.OAuth, c.Keyring, login}
	board := &boardPages{c.Reader, p.rooms, p.visitors}
	own := &ownPages{c.Service, c.Reader, c.Trash, c.Contents, c.Covers, c.Trials, zip, p.listings}
	return []area{
		website{c.Docs},
		choices{c.Account, p.opens},
		leaflets{},
		lists{c.Gallery, p.fronts, p.rooms},
		profiles{c.Gallery, c.People, p.fronts},
		strolls{c.Gallery},
		reports{c.Reports},
		desks{p.desk},
		&projectPages{c.Reader, c.Gallery, p.visitors, own, p.sheets, c.Fonts, board}, board, p.numbers, newShares(c),
		pictureFiles{c.Covers},
		begin,
		offers{begin, c.Service, c.Gallery},
		login,
		mailLinks{c.Account, login},
		openIDs{c.OpenID, login},
		connections{c.Connect, login, asked},
		asked,
		invitations{c.Invitations, c.Service, begin},
		overviews{c.Gallery, c.Service.Trash, c.Account},
		sessionPages{c.Account},
		settings{c.Account, c.People, c.Reader, zip},
		keys{c.Keyring},
		own,
		versions{c.Service, c.Reader, c.Contents, own, p.comparisons},
		ownCovers{c.Covers, own},
		statistics{c.Figures},
		&ownPlayers{c.Service, c.Reader, p.rooms},
	}
}

// website serves the files and the documentation of the site itself.
type website struct {
	page func(name string) (title string, body template.HTML, ok bool)
}

func (s website) routes() []route {
	return []route{
		{"GET", "/static/{file...}", anyone, admission.Fetch, static},
		{"GET", "/favicon.ico", stranger, admission.Fetch, favicon},
		{"GET", "/docs", anyone, admission.Look, s.docs},
		{"GET", "/docs/{page}", anyone, admission.Look, s.docs},
		{"GET", "/", anyone, admission.Look, missing},
	}
}

// docs shows a page of the documentation.
func (s website) docs(v *visit) error {
	title, body, ok := s.page(v.r.PathValue("page"))
	if !ok {
		return sandlot.ErrNotFound
	}
	return v.show(http.StatusOK, "docs.html", title, body)
}

func missing(*visit) error { return sandlot.ErrNotFound }
