// Package web serves the pages for people.
//
// Pages are rendered on the server in the language of whoever looks at them, and
// load nothing from elsewhere. They work without scripts wherever that can serve. A
// key means nothing here, and the cookie of a login means nothing to the API.
//
// routes.go lists the areas. Each has a type with the few services that it needs;
// its routes lead to methods of it, the handlers. A handler gets a visit, calls one
// of the services and shows one page; its error becomes a page, too, in one place.
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

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/intake"
	"sandlot/internal/transport/web/card"
	"sandlot/internal/transport/web/paper"
	"sandlot/internal/transport/web/texts"
	"sandlot/internal/transport/web/watch"
)

// Service is what the pages ask of the domain; *publish.Service is one.
type Service interface {
	heads
	exports
	keyrings
	ownProjects
	ownVersions
	intake.Publisher
}

// Account is what the pages ask about a person's account and its messages;
// *account.Service is one.
type Account interface {
	sessionLists
	owners
	recoveries
	claims
	claimants
	notMes
}

// People is what the pages ask about what owners say about themselves; *people.Profiles is one.
type People interface {
	Person(ctx context.Context, by sandlot.Caller, handle string) (account.Person, error)
	Own(ctx context.Context, by sandlot.Caller) (account.Words, error)
	Describe(ctx context.Context, by sandlot.Caller, w account.Words) (account.Words, error)
}

// Gallery is what the pages ask about what everybody sees and plays.
type Gallery interface {
	galleries
	projects
	wanderings
	overviewRows
	playerTokens
	live
}

// Contents stages the files of a form until a call uses them, and reads those that are there; *publish.Contents does.
type Contents interface {
	Stage(ctx context.Context, r io.Reader) (publish.Content, error)
	Discard(ctx context.Context, c publish.Content)
	NewTree(charge sandlot.Charge) *publish.Tree
	DiscardTree(ctx context.Context, t *publish.Tree)
	Open(ctx context.Context, b sandlot.Blob, off, n int64) (io.ReadCloser, error)
}

// Config has what the pages are made of. All but Fonts, Now and Admission must be set.
type Config struct {
	// What the areas ask of the domain.
	Service  Service
	Trash    Trash
	Sessions sessions
	Account  Account
	Logins   Logins
	Contents Contents
	Gallery  Gallery
	Figures  Figures
	Trials   Trials
	People   People
	Covers   Covers
	Reports  Reports
	Intake   *intake.Intake // reads the form of the page for a new project

	// What pages are made of.
	Places sandlot.Places
	Fonts  card.Fonts   // of the system, for the pictures by which projects are shared; may be none
	Papers paper.Papers // what the operator has written; may be none
	// Docs gives a page of the documentation, the first one for "": its title, and its HTML, which is taken as it is. It is in English.
	Docs func(name string) (title string, body template.HTML, ok bool)
	// Archive writes an export as a ZIP. It may be called concurrently.
	Archive func(ctx context.Context, w io.Writer, e publish.Export) error

	// How requests are answered.
	Log       *slog.Logger
	Admission *admission.Limits // holds visitors to their limits; nil: none
	// RequestID returns the name of a request, for pages that report a fault.
	RequestID func(context.Context) string
	// VisitorID tells the visitors of a day apart, by the token of the browser, or where that is empty by the request, as the projects' own addresses do.
	VisitorID func(r *http.Request, token string) gallery.PlayerID
	Watchers  int              // streams of pages that are watched, at some 9 KiB each; 0: 20,000
	Now       func() time.Time // nil: time.Now
}

//go:embed templates static
var files embed.FS

// openTemplates reads templates, once in each process.
var openTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(templateFuncs).ParseFS(files, "templates/*.html"))
})

// templateFuncs are what templates call that depends on no visit.
var templateFuncs = template.FuncMap{
	"asset": assetURL, "icon": iconOf, "linked": linked, "hole": holeOf, "graph": newGraph, "langName": langName,
	"cover": coverOf, "firstCover": firstCover, "posterCover": posterCover, "portrait": portrait, "prefix": keyPrefix,
	"pictureAt": pictureAt, "fileAt": fileAddressAt, "fileKind": fileKind,
	"changeKind": changeKind, "diffAt": diffAt, "after": after, "sign": sign,
}

// Languages are those that pages are in.
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
	sheets      *sheets
	comparisons *turns.Lists[sandlot.AccountID]
	listings    *turns.Lists[sandlot.AccountID]
}

// New returns the pages. It panics only if an embedded file is broken, which
// every test rules out.
func New(cfg Config) *Pages {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Watchers <= 0 {
		cfg.Watchers = watch.Most
	}
	p := &Pages{site: newSite(cfg), mux: http.NewServeMux(), visitors: visitors{cfg.Gallery, cfg.VisitorID}}
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

// Close ends the streams of all who watch a project's numbers, which would otherwise
// outlive the server: their connections are taken from it. None begins afterwards.
func (p *Pages) Close() { p.numbers.watchers.Close() }

// Visitor returns the token of the browser that sent a request to the website's own origin; empty for a browser without one.
func (p *Pages) Visitor(r *http.Request) string { return p.visitors.token(r) }

// Has reports whether a path is that of a page, or would be: the rest of the website is
// the API's, which helps whoever mistyped an endpoint.
func (p *Pages) Has(path string) bool {
	return path == "/" || strings.HasPrefix(path, profilePath) || slices.ContainsFunc(p.prefixes, func(prefix string) bool {
		return len(prefix) > 1 && (path == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(path, prefix))
	})
}

// opens reports whether a path is that of a page to open.
func (p *Pages) opens(path string) bool {
	_, pattern := p.mux.Handler(&http.Request{Method: http.MethodGet, Host: p.places.Base.Host, URL: &url.URL{Path: path}})
	return pattern != "" && pattern != "GET /"
}

// prefix is a pattern up to its first variable part.
func prefix(pattern string) string {
	fixed, _, _ := strings.Cut(pattern, "{")
	return fixed
}
