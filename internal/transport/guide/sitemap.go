package guide

import (
	"bufio"
	"encoding/xml"
	"maps"
	"net/http"
	"slices"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
)

const (
	sitemapPath = "/sitemap.xml"
	// mostURLs is the number of addresses that the format allows in a sitemap; the newest projects come first.
	mostURLs = 50_000
)

// sitemap lists the pages and all projects that may be listed. It is written while they are read, a thousand at a time,
// and not stored: a suspended project disappears from it at once.
func (g *Guide) sitemap(w http.ResponseWriter, r *http.Request, grant *admission.Grant) {
	list, next, err := g.listing(r, "")
	if err != nil {
		g.Log.Error("sitemap not sent", "error", err)
		http.Error(w, "The service cannot do this now.", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", kindXML)
	w.Header().Set("Cache-Control", "no-cache")
	if r.Method == http.MethodHead {
		return
	}
	out := &urls{to: bufio.NewWriter(w)}
	_, _ = out.to.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, path := range g.pagePaths() {
		out.add(g.Places.Base.String()+path, "")
	}
	for {
		for _, p := range list {
			out.add(g.Places.Project(p.ID, 0, "").Page, "<lastmod>"+p.UpdatedAt.UTC().Format(time.DateOnly)+"</lastmod>")
		}
		if next == "" || out.n >= mostURLs {
			break
		}
		if err = grant.Also(admission.Search); err == nil {
			list, next, err = g.listing(r, next)
		}
		if err != nil {
			panic(http.ErrAbortHandler) // a part must not look like the whole
		}
	}
	_, _ = out.to.WriteString("</urlset>\n")
	_ = out.to.Flush() // the client is gone if this fails
}

func (g *Guide) listing(r *http.Request, cursor string) ([]sandlot.Project, string, error) {
	if g.Gallery == nil || r.Method == http.MethodHead {
		return nil, "", nil
	}
	return g.Gallery.Listing(r.Context(), sandlot.Caller{}, cursor)
}

// pagePaths returns the public pages other than those of projects.
func (g *Guide) pagePaths() []string {
	paths := []string{"/", "/?sort=played", "/?sort=live"}
	for _, name := range slices.Sorted(maps.Keys(g.library().pages)) {
		paths = append(paths, pagePath(name))
	}
	return paths
}

// urls writes the addresses of a sitemap.
type urls struct {
	to *bufio.Writer // keeps the first error
	n  int
}

func (u *urls) add(address, changed string) {
	if u.n++; u.n > mostURLs {
		return
	}
	_, _ = u.to.WriteString("<url><loc>")
	_ = xml.EscapeText(u.to, []byte(address))
	_, _ = u.to.WriteString("</loc>" + changed + "</url>\n")
}
