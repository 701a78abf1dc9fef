package guide

import (
	"bytes"
	"encoding/xml"
	"maps"
	"net/http"
	"slices"
	"time"

	"sandlot"
)

const sitemapPath = "/sitemap.xml"

// sitemap lists the pages and the newest projects that may be listed. It is not stored: a suspended project disappears
// from it at once.
func (g *Guide) sitemap(w http.ResponseWriter, r *http.Request) {
	var list []sandlot.Project
	var err error
	if g.Gallery != nil {
		list, err = g.Gallery.Listing(r.Context(), sandlot.Caller{})
	}
	if err != nil {
		g.Log.Error("sitemap not sent", "error", err)
		http.Error(w, "The service cannot do this now.", http.StatusServiceUnavailable)
		return
	}
	var out bytes.Buffer
	add := func(address, changed string) {
		out.WriteString("<url><loc>")
		_ = xml.EscapeText(&out, []byte(address)) // a buffer takes everything
		out.WriteString("</loc>" + changed + "</url>\n")
	}
	out.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, path := range g.pagePaths() {
		add(g.Places.Base.String()+path, "")
	}
	for _, p := range list {
		add(g.Places.Project(p.ID, 0, "").Page, "<lastmod>"+p.UpdatedAt.UTC().Format(time.DateOnly)+"</lastmod>")
	}
	out.WriteString("</urlset>\n")
	w.Header().Set("Content-Type", kindXML)
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(out.Bytes()) // the client is gone if this fails
}

// pagePaths returns the public pages other than those of projects.
func (g *Guide) pagePaths() []string {
	paths := []string{"/", "/?sort=played", "/?sort=live"}
	for _, name := range slices.Sorted(maps.Keys(g.library().pages)) {
		paths = append(paths, pagePath(name))
	}
	return paths
}
