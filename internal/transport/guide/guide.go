// Package guide serves the documents from which a program, or the model that drives it, learns how to use this service:
// llms.txt, a skill, the documentation of the API, and the files for crawlers and reporters of vulnerabilities.
//
// All of them are made from the OpenAPI document and the settings of this instance: its addresses, its limits, whether
// it is public. So a command in them works when it is pasted. They contain nothing about a visitor, and are the same
// for all.
package guide

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
)

// A Gallery lists the projects that may be listed; *gallery.Service implements it.
type Gallery interface {
	// Listing returns the newest of them, newest first.
	Listing(ctx context.Context, by sandlot.Caller) ([]sandlot.Project, error)
}

// Facts holds the settings of this instance that the documents mention.
type Facts struct {
	Quarantine bool // whether projects of accounts without a verified address reach no other site
	NoRuntime  bool // whether the service stores nothing for players: then the documents leave out its script and calls
	Opening    sandlot.Opening
	Site       string         // the name of the instance; empty: Sandlot
	MaxFile    int64          // bytes of a file that comes in parts; sandlot.DefaultMaxFile if 0
	Accounts   admission.Rate // accounts made without a key, for each address; the zero Rate is no limit
	Writes     admission.Rate // likewise, of requests that change something
}

// A Config holds the parts and settings of a Guide. OpenAPI and Places must be set.
type Config struct {
	OpenAPI []byte // the document, in YAML
	Places  sandlot.Places
	Facts   Facts
	Gallery Gallery // for the sitemap; nil: it has no projects
	// SecurityContact is the address for reports of vulnerabilities, a URI such as mailto:security@example.com; if
	// empty, security.txt names only the form for reports.
	SecurityContact string
	Admission       *admission.Limits // nil: none
	Log             *slog.Logger      // slog.Default() if nil
	Now             func() time.Time  // time.Now if nil
}

// A Guide answers the requests for documents. It may be used concurrently.
type Guide struct {
	Config
	library func() *library // made on first use
}

// New returns a Guide. A broken OpenAPI document is a programmer's error: the first call that needs it panics.
func New(cfg Config) *Guide {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Facts.MaxFile == 0 {
		cfg.Facts.MaxFile = sandlot.DefaultMaxFile
	}
	g := &Guide{Config: cfg}
	g.library = sync.OnceValue(func() *library { return newLibrary(cfg) })
	return g
}

// Index returns an overview of the service in JSON, for clients that try the API without its documentation.
func (g *Guide) Index() []byte { return g.library().index.body }

// Page returns a page of the documentation in HTML: the first one for "". It is in English, and made from the OpenAPI
// document alone.
func (g *Guide) Page(name string) (title string, body template.HTML, ok bool) {
	p, ok := g.library().pages[name]
	return p.title, p.html, ok
}

// A document is a text in its served form.
type document struct {
	kind string // Content-Type
	body []byte
	tag  string // ETag
}

func newDocument(kind string, body []byte) document {
	return document{kind, body, `"` + digest(body)[:22] + `"`}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// The types of the documents.
const (
	kindHTML     = "text/html"
	kindMarkdown = "text/markdown"
	kindJSON     = "application/json"
	kindPlain    = "text/plain"
	kindXML      = "application/xml"
	inUTF8       = "; charset=utf-8"
)

// Links returns the value of a Link header that leads from anything of this service to its documents (RFC 8631).
func (g *Guide) Links() string {
	base := g.Places.Base.String()
	return strings.Join([]string{
		"<" + base + `/openapi.json>; rel="service-desc"; type="application/json"`,
		"<" + base + `/docs>; rel="service-doc"; type="text/html"`,
		"<" + base + `/llms.txt>; rel="help"; type="text/plain"`,
	}, ", ")
}

// Advertised wraps the handler of a page that has alternates of other types at the same address.
func (g *Guide) Advertised(page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		markdown := g.Places.Base.String() + markdownOf(r.URL.Path)
		w.Header().Set("Link", g.Links()+", <"+markdown+`>; rel="alternate"; type="text/markdown"`)
		page.ServeHTTP(w, r)
	})
}
