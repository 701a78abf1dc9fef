package guide

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
)

// maxAge is the time for which a document may be cached: its commands must not outlive the instance's settings by long.
const maxAge = 5 * time.Minute

// Takes reports whether a request, on the website's own host, is for one of the documents: by its path, or at the
// address of a page by the types that it accepts.
func (g *Guide) Takes(r *http.Request) bool {
	path := r.URL.Path
	if path == sitemapPath || path == securityPath {
		return true
	}
	if g.HasPage(path) {
		return reads(r.Method) && chosen(r) != kindHTML
	}
	_, ok := g.library().documents[path]
	return ok
}

// HasPage reports whether a path is that of a page that has alternates of other types.
func (g *Guide) HasPage(path string) bool {
	if path == "/" {
		return true
	}
	name, ok := pageName(path)
	if ok {
		_, ok = g.library().pages[name]
	}
	return ok
}

func reads(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// chosen returns the type of the answer at the address of a page.
func chosen(r *http.Request) string {
	accept := r.Header.Values("Accept")
	if r.URL.Path == "/" {
		return choose(accept, kindHTML, kindMarkdown, kindHTML, kindJSON)
	}
	return choose(accept, kindHTML, kindMarkdown, kindHTML)
}

// ServeHTTP answers a request for which Takes reports true.
func (g *Guide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Access-Control-Allow-Origin", "*") // a model in a browser reads them, too; they are the same for everybody
	h.Set("Link", g.Links())
	if !reads(r.Method) {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "This path takes GET only.", http.StatusMethodNotAllowed)
		return
	}
	operation := admission.Look
	if r.URL.Path == sitemapPath {
		operation = admission.Search // it costs the store as much as one
	}
	grant, err := g.Admission.Admit(admission.From(r.RemoteAddr, sandlot.Caller{}), operation, admission.Body{})
	if err != nil {
		refuse(w, err)
		return
	}
	defer grant.Done()
	if r.URL.Path == sitemapPath {
		g.sitemap(w, r)
		return
	}
	d, negotiated := g.find(r)
	if negotiated {
		h.Add("Vary", "Accept")
	}
	send(w, r, d)
}

// find returns the document of a request, and whether its type was negotiated.
func (g *Guide) find(r *http.Request) (_ document, negotiated bool) {
	path, l := r.URL.Path, g.library()
	switch {
	case path == securityPath:
		return g.security(), false
	case path == "/" && chosen(r) == kindJSON:
		return l.index, true
	case path == "/":
		d := l.documents["/llms.txt"]
		d.kind = kindMarkdown + inUTF8
		return d, true
	}
	if d, ok := l.documents[path]; ok {
		return d, false
	}
	return l.documents[markdownOf(path)], true
}

// send answers with a document, or with 304 if it has not changed.
func send(w http.ResponseWriter, r *http.Request, d document) {
	h := w.Header()
	h.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(maxAge.Seconds())))
	h.Set("ETag", d.tag)
	h.Set("Content-Type", d.kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.body))
}

// refuse answers a client over its limit.
func refuse(w http.ResponseWriter, err error) {
	var denied *admission.Denied
	if !errors.As(err, &denied) {
		http.Error(w, "The service failed.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Retry-After", strconv.Itoa(int((denied.After+time.Second-1)/time.Second)))
	http.Error(w, denied.Error(), http.StatusTooManyRequests)
}
