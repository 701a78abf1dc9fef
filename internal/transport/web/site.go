package web

import (
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"sandlot"
	"sandlot/internal/domain/account/identity"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/web/brand"
	"sandlot/internal/transport/web/moderation"
	"sandlot/internal/transport/web/paper"
	"sandlot/internal/transport/web/texts"
)

// A site holds the dependencies of all pages. It may be used concurrently.
type site struct {
	places    sandlot.Places
	papers    paper.Papers
	ready     Ready
	brand     brand.Brand
	contact   string           // of the operator, a URI; may be empty
	own       map[string]asset // the files that differ from those of the program
	log       *slog.Logger
	limits    *admission.Limits // nil: none
	sessions  *identity.Authenticator
	requestID func(context.Context) string
	now       func() time.Time
	templates *template.Template
	policy    string // the Content-Security-Policy of a page
	lost      consolation
	runs      bool              // whether there is a runtime
	desk      *moderation.Pages // nil: there is none
}

func newSite(cfg Config) *site {
	return &site{
		places: cfg.Places, papers: cfg.Papers, ready: cfg.Ready, brand: cfg.Brand, contact: cfg.Contact, own: ownAssets(cfg.Brand),
		log: cfg.Log, limits: cfg.Admission, sessions: cfg.Sessions, requestID: cfg.RequestID,
		now: cfg.Now, templates: openTemplates(), policy: policy(cfg.Places), lost: consolation{cfg.Gallery, newFronts(cfg.Now)},
		runs: roomsOf(cfg) != nil, desk: deskOf(cfg),
	}
}

// deskOf returns the pages of the desk; nil if there is none.
func deskOf(c Config) *moderation.Pages {
	if c.Desk == nil {
		return nil
	}
	return moderation.New(moderation.Config{Desk: c.Desk, Listed: c.Listed, Places: c.Places, Contact: c.Contact, Now: c.Now})
}

// public reports whether strangers are expected.
func (s *site) public() bool { return s.limits != nil && s.limits.Public }

// visit returns the visit of a request.
func (s *site) visit(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{site: s, w: w, r: r}
	v.Lang, v.accepted = texts.Open().Nearest(r.Header.Get("Accept-Language"))
	v.by = sandlot.Caller{From: v.from()}
	return v
}

// serve returns the handler of one route.
func (s *site) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		v := s.visit(w, req)
		if err := v.enter(r); err != nil {
			v.fail(err)
		}
	})
}

// guard sets the headers of every page, and rejects forms from other sites and from projects under the same domain.
func (s *site) guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = s.visit(w, r).problem(http.StatusForbidden, "error.elsewhere")
	}))
	checked := origin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", s.policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		checked.ServeHTTP(w, r)
	})
}

// policy returns the Content-Security-Policy of a page: scripts come from one folder alone, so that no project on the
// path form can be one, and frames hold projects.
func policy(at sandlot.Places) string {
	base := at.Base.String()
	frames := base + "/~/"
	if at.Content != "" {
		frames = at.Base.Scheme + "://*." + at.Content
	}
	return "default-src 'none'; script-src " + base + "/static/; style-src 'self'; font-src 'self'; img-src 'self' data: " + frames +
		"; manifest-src " + base + "/static/; connect-src 'self'; frame-src " + frames +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// A view is the dot of a template: the visit, with its language and login, and the page's own data.
type view struct {
	*visit
	Title string
	Data  any
}

// Me returns the visitor's login; nil without one.
func (v view) Me() *login { return v.me }

// Base returns the address of the website.
func (v view) Base() string { return v.places.Base.String() }

// Path returns the path of the page.
func (v view) Path() string { return v.r.URL.Path }

// A graph describes a page to sites where somebody shares it.
type graph struct{ Site, Title, About, Page, Picture string }

// Graph returns the description of a page.
func (v view) Graph(title, about, page, picture string) graph {
	return graph{v.brand.Called(), title, about, page, picture}
}

// Langs returns the languages of the pages.
func (v view) Langs() []string { return texts.Open().Langs }
