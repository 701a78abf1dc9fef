package web

import (
	"html"
	"net/http"
	"strings"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/web/card"
)

// shares serves the parts of a project that other sites show: its frame, its card and its QR code. It reads no login.
// It may be used concurrently.
type shares struct {
	heads    *publish.Reader
	places   sandlot.Places
	pictures *cache[[]byte]
	covers   *cover.Service
	fonts    card.Fonts
	name     string // of the instance; empty: the default
	press    *painter
	drawers  *turns.Locks[string] // of a network: its pictures that are being drawn or wait
}

func newShares(cfg Config) *shares {
	return &shares{
		heads: cfg.Reader, places: cfg.Places, pictures: newPictures(), covers: cfg.Covers, fonts: cfg.Fonts, name: cfg.Brand.Name,
		press:   &painter{Press: card.New(cfg.Fonts, cfg.Log), load: turns.NewLoad(1, nil)},
		drawers: turns.NewShares[string](maxOfOne),
	}
}

func (s *shares) routes() []route {
	return []route{
		{"GET", "/card.jpg", stranger, admission.Fetch, s.front},
		{"GET", "/p/{id}/card.jpg", stranger, admission.Fetch, s.card},
		{"GET", "/p/{id}/code.svg", stranger, admission.Fetch, s.code},
		{"GET", "/embed/{id}", stranger, admission.Look, s.embed},
	}
}

// embed shows the frame alone, inside any page.
func (s *shares) embed(v *visit) error {
	found, err := headOf(v, s.heads, sandlot.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	v.speak(found.Lang)
	h := v.w.Header()
	h.Set("Content-Security-Policy", strings.Replace(v.policy, "frame-ancestors 'none'", "frame-ancestors *", 1))
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Del("Cross-Origin-Opener-Policy")
	h.Set("X-Robots-Tag", "noindex") // the project has a page of its own
	on := newStage(s.places, found)
	on.Embedded = true
	if on.Storage != "" {
		on.Storage += "?embedded"
	}
	return v.show(http.StatusOK, "embed.html", on.Name, on)
}

// snippet returns the HTML with which other sites embed a project.
func snippet(at sandlot.Places, of sandlot.Project) string {
	return `<iframe src="` + at.Base.String() + "/embed/" + string(of.ID) + `" title="` + html.EscapeString(name(of)) +
		`" width="800" height="600" allow="` + allowed + `" loading="lazy"></iframe>`
}
