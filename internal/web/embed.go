package web

import (
	"html"
	"net/http"
	"strconv"
	"strings"

	"sandlot/internal/publish"
)

// The size of an embedded frame in CSS pixels, where nobody asks for another.
const (
	embedWidth  = 800
	embedHeight = 600
)

// embed shows the frame alone, inside of any page. It knows nobody.
func (p *Pages) embed(v *visit) error {
	found, err := v.shown(publish.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	v.speak(found.Lang)
	h := v.w.Header()
	h.Set("Content-Security-Policy", strings.Replace(p.policy, "frame-ancestors 'none'", "frame-ancestors *", 1))
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Del("Cross-Origin-Opener-Policy")
	h.Set("X-Robots-Tag", "noindex") // the project has a page of its own
	s := p.stage(found)
	if s.Storage != "" {
		s.Storage += "?embedded"
	}
	return v.show(http.StatusOK, "embed.html", s.Name, s)
}

// snippet is the HTML by which others embed a project.
func (p *Pages) snippet(of publish.Project, width, height int) string {
	return `<iframe src="` + p.Places.Base.String() + "/embed/" + string(of.ID) + `" title="` + html.EscapeString(name(of)) +
		`" width="` + strconv.Itoa(width) + `" height="` + strconv.Itoa(height) + `" allow="` + allowed + `" loading="lazy"></iframe>`
}
