// Package web serves the pages for people.
//
// Pages are rendered on the server in the language of whoever looks at them, and
// load nothing from elsewhere. They work without scripts wherever that can serve. A
// key means nothing here, and the cookie of a login means nothing to the API.
//
// Each area has a file of its own with its routes, handlers and templates: a
// handler gets a visit, calls one method of the Service and shows one page; what
// it returns as an error becomes a page, too, in one place.
package web

import (
	"context"
	"embed"
	"html/template"
	"io"
	"log/slog"
	"net/http"
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
)

// Service is what the pages ask of the domain; *publish.Service is one.
type Service interface {
	Current(ctx context.Context, by sandlot.Caller, id sandlot.ProjectID) (sandlot.Project, error)
	exports
	keyrings
	ownProjects
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
	overviews
	visitors
	likes
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

// Config is what the pages are made of. All but Fonts, Now and Admission must be set.
type Config struct {
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
	Fonts    card.Fonts // of the system, for the pictures by which projects are shared; may be none
	Reports  Reports
	// Intake reads the form of the page for a new project.
	Intake *intake.Intake
	Places sandlot.Places
	Papers paper.Papers // what the operator has written; may be none
	// Docs gives a page of the documentation, the first one for "": its title, and its HTML, which is taken as it is. It is in English.
	Docs func(name string) (title string, body template.HTML, ok bool)
	Log  *slog.Logger
	// Admission holds visitors to their limits; nil: none.
	Admission *admission.Limits
	// Archive writes an export as a ZIP. It may be called concurrently.
	Archive func(ctx context.Context, w io.Writer, e publish.Export) error
	// RequestID tells the name of a request, for pages that report a fault.
	RequestID func(context.Context) string
	// VisitorID tells the visitors of a day apart, by the token of the browser, or where that is empty by the request, as the projects' own addresses do.
	VisitorID func(r *http.Request, token string) gallery.PlayerID
	Watchers  int              // streams of pages that are watched, at some 9 KiB each; 0: 20,000
	Now       func() time.Time // nil: time.Now
}

//go:embed templates static texts
var files embed.FS

// openTemplates reads templates, once in each process.
var openTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"asset": assetURL, "firstCover": firstCover, "posterCover": posterCover, "linked": linked}).ParseFS(files, "templates/*.html"))
})

// Pages answers the requests for pages. It may be used concurrently.
type Pages struct {
	Config
	handler     http.Handler
	mux         *http.ServeMux // behind handler
	prefixes    []string       // of the paths of pages
	book        *book
	templates   *template.Template
	fronts      *fronts
	feet        feet
	lost        consolation
	sheets      *sheets
	policy      string // Content-Security-Policy of a page
	shares      *shares
	numbers     *numbers
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
		cfg.Watchers = maxWatchers
	}
	p := &Pages{Config: cfg, book: openBook(), templates: openTemplates()}
	p.policy = policy(cfg.Places)
	p.fronts, p.sheets, p.comparisons, p.listings = newFronts(cfg.Now), newSheets(), newComparisons(), newListings()
	p.feet = newFeet(p)
	p.shares = newShares(cfg, p.policy)
	p.numbers = &numbers{cfg.Gallery, newWatchers(cfg.Gallery.Counts, cfg.Watchers, cfg.Admission.Exempt, cfg.Now)}
	p.mux = http.NewServeMux()
	for _, r := range p.routes() {
		p.mux.Handle(r.method+" "+r.path, p.serve(r))
		p.prefixes = append(p.prefixes, prefix(r.path))
	}
	// A form is only taken from a page of this origin: another site, and a project under the same domain, are refused.
	p.handler = p.guard(p.mux)
	return p
}

// ServeHTTP implements http.Handler.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// public reports whether strangers are expected.
func (p *Pages) public() bool { return p.Admission != nil && p.Admission.Public }

// Close ends the streams of all who watch a project's numbers, which would otherwise
// outlive the server: their connections are taken from it. None begins afterwards.
func (p *Pages) Close() { p.numbers.watchers.close() }

// Has reports whether a path is that of a page, or would be: the rest of the website is
// the API's, which helps whoever mistyped an endpoint.
func (p *Pages) Has(path string) bool {
	return path == "/" || strings.HasPrefix(path, profilePath) || slices.ContainsFunc(p.prefixes, func(prefix string) bool {
		return len(prefix) > 1 && (path == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(path, prefix))
	})
}

// prefix is a pattern up to its first variable part.
func prefix(pattern string) string {
	fixed, _, _ := strings.Cut(pattern, "{")
	return fixed
}

// policy is the Content-Security-Policy of a page: scripts come from one folder
// alone, so that no project on the path form can be one, and frames hold projects.
func policy(at sandlot.Places) string {
	base := at.Base.String()
	frames := base + "/~/"
	if at.Content != "" {
		frames = at.Base.Scheme + "://*." + at.Content
	}
	return "default-src 'none'; script-src " + base + "/static/; style-src 'self'; font-src 'self'; img-src 'self' data: " + frames + "; manifest-src " + base + "/static/; connect-src 'self'; frame-src " + frames +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// guard sets the headers that every page has, and refuses forms from elsewhere.
func (p *Pages) guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := p.visit(w, r)
		v.problem(http.StatusForbidden, "error.elsewhere")
	}))
	checked := origin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", p.policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		checked.ServeHTTP(w, r)
	})
}
