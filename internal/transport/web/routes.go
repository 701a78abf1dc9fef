package web

import (
	"net/http"
	"slices"

	"sandlot"
	"sandlot/internal/domain/admission"
)

// access says who may come to a route.
type access int

const (
	anyone   access = iota // with a login or without
	owner                  // only with a login; others are led to it
	recent                 // only with a login that was proved within freshFor; others prove it again
	stranger               // anyone, whose cookie is not looked at: for what other sites show
)

// A route is one way into the pages. Path is a pattern of http.ServeMux without
// the method; GET takes HEAD as well.
type route struct {
	method, path string
	access       access
	operation    admission.Operation
	handle       func(*visit) error
}

// routes are all of them: the test of who may go where walks this list.
func (p *Pages) routes() []route {
	return slices.Concat(p.websiteRoutes(), choices{p}.routes(), leaflets{p}.routes(), p.galleryRoutes(), p.reportRoutes(), p.verifyRoutes(), p.notMeRoutes(), p.accountRoutes(), p.numbers.routes(), p.likeRoutes(), p.loginRoutes(), p.settingsRoutes(), p.keyRoutes(), p.projectRoutes(), strolls{p}.routes(), p.shares.routes(), p.ownRoutes(), beginnings{p}.routes(), offers{p}.routes(), pictureFiles{p.Covers}.routes(), ownCovers{p}.routes(), statistics{p}.routes(), claimed{p}.routes())
}

func (p *Pages) websiteRoutes() []route {
	return []route{
		{"GET", "/static/{file...}", anyone, admission.Fetch, p.static},
		{"GET", "/favicon.ico", stranger, admission.Fetch, p.favicon},
		{"GET", "/docs", anyone, admission.Look, p.docs},
		{"GET", "/docs/{page}", anyone, admission.Look, p.docs},
		{"GET", "/", anyone, admission.Look, p.missing},
	}
}

// docs shows a page of the documentation.
func (p *Pages) docs(v *visit) error {
	title, body, ok := p.Docs(v.r.PathValue("page"))
	if !ok {
		return p.missing(v)
	}
	return v.show(http.StatusOK, "docs.html", title, body)
}

func (p *Pages) missing(*visit) error { return sandlot.ErrNotFound }

// serve answers for one route.
func (p *Pages) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		v := p.visit(w, req)
		if err := v.enter(r); err != nil {
			v.fail(err)
		}
	})
}
