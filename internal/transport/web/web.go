// Package web serves the pages for people.
//
// Pages are rendered on the server in the language of the visitor, and load nothing from elsewhere. They work without
// scripts wherever that is possible. A key means nothing here, and the cookie of a login means nothing to the API.
//
// routes.go lists the areas. Each is a type with the few services that it needs; its routes lead to its methods, the
// handlers. A handler takes a visit, calls one of the services and shows one page; its error becomes a page, too, in
// one place.
package web

import (
	"context"
	"embed"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/connect"
	"sandlot/internal/domain/account/identity"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/trial"
	"sandlot/internal/transport/intake"
	"sandlot/internal/transport/web/brand"
	"sandlot/internal/transport/web/card"
	"sandlot/internal/transport/web/paper"
	"sandlot/internal/transport/web/texts"
	"sandlot/internal/transport/web/watch"
)

// Config holds the dependencies and settings of the pages. All but Fonts, OpenID, Desk, Ready, Contact, Now and Admission must be set.
type Config struct {
	// The services of the areas.
	Service     *publish.Service
	Reader      *publish.Reader
	Keyring     *publish.Keyring
	Trash       *publish.Trash
	Contents    *publish.Contents
	Sessions    *identity.Authenticator
	Account     *account.Service
	Logins      *account.Logins
	People      *account.Profiles
	Gallery     *gallery.Service
	Figures     *figures.Service
	Trials      *trial.Service
	Covers      *cover.Service
	Players     *players.Service // nil, as the two below: there is no runtime
	Boards      *boards.Service
	Faults      *faults.Service
	Reports     *operate.Service
	Desk        *desk.Service   // nil: there is no desk
	Listed      *listed.Service // must be set with Desk
	Invitations *operate.Invitations
	OpenID      *account.OpenID // nil: no provider
	Connect     *connect.Service
	OAuth       *oauth.Service
	Intake      *intake.Intake // reads the form of the page for a new project

	// The content of pages.
	Places sandlot.Places
	Fonts  card.Fonts   // of the system, for share pictures; may be none
	Papers paper.Papers // of the operator; may be none
	Ready  Ready
	Brand  brand.Brand
	// Contact is the operator's address for people, a URI, on the pages of refused projects; empty: they name none.
	Contact string
	// Docs returns the title and the HTML of a page of the documentation, the first one for "". The HTML is trusted,
	// and in English.
	Docs func(name string) (title string, body template.HTML, ok bool)
	// Archive writes an export as a ZIP. It may be called concurrently.
	Archive func(ctx context.Context, w io.Writer, e publish.Export) error

	// How requests are answered.
	Log       *slog.Logger
	Admission *admission.Limits // the limits of visitors; nil: none
	// RequestID returns the name of a request, for pages that report a fault.
	RequestID func(context.Context) string
	// VisitorID returns the player id of a visitor for a day, from the browser's token, or from the request if that is
	// empty, as the projects' own addresses do.
	VisitorID func(r *http.Request, token string) gallery.PlayerID
	Watchers  int              // the maximum number of watch streams, at some 9 KiB each; 0: 20,000
	Now       func() time.Time // nil: time.Now
}

//go:embed templates static
var files embed.FS

// openTemplates reads templates, once in each process.
var openTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(templateFuncs).ParseFS(files, "templates/*.html"))
})

// templateFuncs holds the functions of templates that depend on no visit.
var templateFuncs = template.FuncMap{
	"asset": assetURL, "icon": iconOf, "linked": linked, "hole": holeOf, "langName": langName,
	"cover": coverOf, "firstCover": firstCover, "posterCover": posterCover, "portrait": portrait, "prefix": keyPrefix,
	"pictureAt": pictureAt, "fileAt": fileAddressAt, "fileKind": fileKind,
	"maker": maker, "name": name, "changeKind": changeKind, "diffAt": diffAt, "after": after, "sign": sign,
}

// Languages returns the languages of the pages.
func Languages() []string { return texts.Open().Langs }

// Pages answers the requests for pages. It may be used concurrently.
type Pages struct {
	*site
	handler     http.Handler
	mux         *http.ServeMux // behind handler
	prefixes    []string       // of the paths of pages
	routes      []route
	visitors    visitors
	numbers     *numbers
	fronts      *fronts
	sheets      *cache[sheet]
	comparisons *turns.Lists[sandlot.AccountID]
	listings    *turns.Lists[sandlot.AccountID]
	rooms       *playerRooms // nil: no runtime
}

// New returns the pages. It panics only if an embedded file is broken, which every test rules out.
func New(cfg Config) *Pages {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Watchers <= 0 {
		cfg.Watchers = watch.Most
	}
	p := &Pages{site: newSite(cfg), mux: http.NewServeMux(), visitors: visitors{cfg.Gallery, cfg.VisitorID}}
	p.rooms = roomsOf(cfg)
	p.fronts, p.sheets, p.comparisons, p.listings = newFronts(cfg.Now), newSheets(), newComparisons(), newListings()
	p.numbers = &numbers{cfg.Gallery, p.visitors, watch.New(cfg.Gallery.Counts, cfg.Watchers, cfg.Admission.Exempt, cfg.Now)}
	for _, a := range p.areas(cfg) {
		p.routes = append(p.routes, a.routes()...)
	}
	for _, r := range p.routes {
		p.mux.Handle(r.method+" "+r.path, p.serve(r))
		p.prefixes = append(p.prefixes, prefix(r.path))
	}
	p.handler = p.guard(p.mux)
	return p
}

// ServeHTTP implements http.Handler.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// Close ends all watch streams, which would otherwise outlive the server: it no longer has their connections. No stream
// begins afterwards.
func (p *Pages) Close() { p.numbers.watchers.Close() }

// Visitor returns the visitor token in a request to the website's own origin; empty if it has none.
func (p *Pages) Visitor(r *http.Request) string { return p.visitors.token(r) }

// Has reports whether a path is that of a page, or looks like one: the API answers all other paths, which helps a client
// that mistyped an endpoint.
func (p *Pages) Has(path string) bool {
	return path == "/" || strings.HasPrefix(path, profilePath) || slices.ContainsFunc(p.prefixes, func(prefix string) bool {
		return len(prefix) > 1 && (path == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(path, prefix))
	})
}

// opens reports whether a GET of the path shows a page.
func (p *Pages) opens(path string) bool {
	_, pattern := p.mux.Handler(&http.Request{Method: http.MethodGet, Host: p.places.Base.Host, URL: &url.URL{Path: path}})
	return pattern != "" && pattern != "GET /"
}

// prefix returns a pattern up to its first variable part.
func prefix(pattern string) string {
	fixed, _, _ := strings.Cut(pattern, "{")
	return fixed
}
