// Package guide serves what a program, or the model that drives it, reads to find out what this service is and how to use it: llms.txt, a
// skill, the documentation of the API, and what crawlers and reporters of vulnerabilities look for.
//
// Everything is made from the OpenAPI document and from what this instance is: its addresses, its limits, whether it is public. So a command
// in it works when it is pasted. It says nothing of any visitor, and is the same for all of them.
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

// Gallery lists what may be listed; *gallery.Service does.
type Gallery interface {
	// Listing returns the projects after a cursor, newest first, and the cursor of those that follow; it is empty after the last.
	Listing(ctx context.Context, by sandlot.Caller, cursor string) (list []sandlot.Project, next string, err error)
}

// Facts are what this instance is, as far as it is told.
type Facts struct {
	Quarantine bool // whether projects of accounts without a verified address reach no other site
	Opening    sandlot.Opening
	MaxContent int64          // of the bytes of one call; sandlot.DefaultMaxContent if 0
	MaxFile    int64          // of a file that comes in parts; sandlot.DefaultMaxFile if 0
	Accounts   admission.Rate // made without a key, for each address; the zero Rate is no limit
	Writes     admission.Rate // likewise, of requests that change something
}

// Config is what a Guide is made of. OpenAPI and Places must be set.
type Config struct {
	OpenAPI []byte // the document, in YAML
	Places  sandlot.Places
	Facts   Facts
	Gallery Gallery // for the sitemap; nil: it has no projects
	// SecurityContact is where vulnerabilities are reported, a URI such as mailto:security@example.com; empty: only the form for reports is named.
	SecurityContact string
	Admission       *admission.Limits // nil: none
	Log             *slog.Logger      // slog.Default() if nil
	Now             func() time.Time  // time.Now if nil
}

// A Guide answers the requests for documents. It may be used concurrently.
type Guide struct {
	Config
	library func() *library // made when it is first asked for
}

// New returns a Guide. A broken OpenAPI document is a programmer's error: the first call that needs it panics.
func New(cfg Config) *Guide {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Facts.MaxContent == 0 {
		cfg.Facts.MaxContent = sandlot.DefaultMaxContent
	}
	if cfg.Facts.MaxFile == 0 {
		cfg.Facts.MaxFile = sandlot.DefaultMaxFile
	}
	g := &Guide{Config: cfg}
	g.library = sync.OnceValue(func() *library { return newLibrary(cfg) })
	return g
}

// Index is what is here, in JSON, for whoever tries the API without having read of it.
func (g *Guide) Index() []byte { return g.library().index.body }

// Page returns a page of the documentation in HTML: the first one for "". It is in English, and made of the OpenAPI document alone.
func (g *Guide) Page(name string) (title string, body template.HTML, ok bool) {
	p, ok := g.library().pages[name]
	if !ok {
		return "", "", false
	}
	return p.title, p.html(), true
}

// A document is a text as it is served.
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

// Links is the value of a Link header that leads from anything of this service to its documents (RFC 8631).
func (g *Guide) Links() string {
	base := g.Places.Base.String()
	return strings.Join([]string{
		"<" + base + `/openapi.json>; rel="service-desc"; type="application/json"`,
		"<" + base + `/docs>; rel="service-doc"; type="text/html"`,
		"<" + base + `/llms.txt>; rel="help"; type="text/plain"`,
	}, ", ")
}

// Advertised is the handler of a page that other types of document are had for, at the same address.
func (g *Guide) Advertised(page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		w.Header().Set("Link", g.Links()+", <"+g.Places.Base.String()+markdownOf(r.URL.Path)+`>; rel="alternate"; type="text/markdown"`)
		page.ServeHTTP(w, r)
	})
}
