package web

import (
	"context"
	"html"
	"net/http"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/web/card"
)

// The size of an embedded frame in CSS pixels, where nobody asks for another.
const (
	embedWidth  = 800
	embedHeight = 600
)

// shares are what other sites show of a project: its frame, its card and its code. They know nobody. They may be used concurrently.
type shares struct {
	heads    heads
	places   sandlot.Places
	pictures *pictures
	covers   coverBytes
	fonts    card.Fonts
	press    *card.Press          // of the one drawing at a time
	drawers  *turns.Locks[string] // of a network: its pictures that are drawn or wait
}

// coverBytes gives the bytes of pictures.
type coverBytes interface {
	Picture(ctx context.Context, by sandlot.Caller, id sandlot.PictureID, width int) ([]byte, error)
}

func newShares(cfg Config) *shares {
	return &shares{
		heads: cfg.Service, places: cfg.Places, pictures: newPictures(), covers: cfg.Covers, fonts: cfg.Fonts, press: card.New(cfg.Fonts, cfg.Log),
		drawers: turns.NewShares[string](maxOfOne),
	}
}

func (s *shares) routes() []route {
	return []route{
		{"GET", "/card.png", stranger, admission.Fetch, s.front},
		{"GET", "/p/{id}/card.png", stranger, admission.Fetch, s.card},
		{"GET", "/p/{id}/code.svg", stranger, admission.Fetch, s.code},
		{"GET", "/embed/{id}", stranger, admission.Look, s.embed},
		{"GET", "/oembed", stranger, admission.Look, s.oembed},
	}
}

// embed shows the frame alone, inside of any page.
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

// snippet is the HTML by which others embed a project.
func snippet(at sandlot.Places, of sandlot.Project, width, height int) string {
	return `<iframe src="` + at.Base.String() + "/embed/" + string(of.ID) + `" title="` + html.EscapeString(name(of)) +
		`" width="` + strconv.Itoa(width) + `" height="` + strconv.Itoa(height) + `" allow="` + allowed + `" loading="lazy"></iframe>`
}
