package web

import (
	"context"
	"encoding/json"
	"html"
	"net/http"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/web/card"
)

// The default size of an embedded frame in CSS pixels.
const (
	embedWidth  = 800
	embedHeight = 600
)

// shares serves the parts of a project that other sites show: its frame, its card and its QR code. It reads no login.
// It may be used concurrently.
type shares struct {
	heads    heads
	places   sandlot.Places
	pictures *pictures
	covers   coverBytes
	fonts    card.Fonts
	press    *card.Press          // of the one drawing at a time
	drawers  *turns.Locks[string] // of a network: its pictures that are being drawn or wait
}

// coverBytes returns the bytes of pictures.
type coverBytes interface {
	Picture(ctx context.Context, by sandlot.Caller, id sandlot.PictureID, width int) ([]byte, error)
}

func newShares(cfg Config) *shares {
	return &shares{
		heads: cfg.Reader, places: cfg.Places, pictures: newPictures(), covers: cfg.Covers, fonts: cfg.Fonts, press: card.New(cfg.Fonts, cfg.Log),
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
func snippet(at sandlot.Places, of sandlot.Project, width, height int) string {
	return `<iframe src="` + at.Base.String() + "/embed/" + string(of.ID) + `" title="` + html.EscapeString(name(of)) +
		`" width="` + strconv.Itoa(width) + `" height="` + strconv.Itoa(height) + `" allow="` + allowed + `" loading="lazy"></iframe>`
}

// oembedAnswer describes a project's frame to other sites: oembed.com, 2.3.4.
type oembedAnswer struct {
	Version         string `json:"version"`
	Type            string `json:"type"`
	Title           string `json:"title"`
	AuthorName      string `json:"author_name"`
	AuthorURL       string `json:"author_url"`
	ProviderName    string `json:"provider_name"`
	ProviderURL     string `json:"provider_url"`
	ThumbnailURL    string `json:"thumbnail_url"`
	ThumbnailWidth  int    `json:"thumbnail_width"`
	ThumbnailHeight int    `json:"thumbnail_height"`
	HTML            string `json:"html"`
	Width           int    `json:"width"`  // CSS pixels
	Height          int    `json:"height"` // CSS pixels
}

// oembed answers for every address of a project but a version's.
func (s *shares) oembed(v *visit) error {
	q := v.r.URL.Query()
	if format := q.Get("format"); format != "" && format != "json" {
		http.Error(v.w, "There is only format=json.", http.StatusNotImplemented)
		return nil
	}
	id := s.places.ProjectID(q.Get("url"))
	if string(id) == q.Get("url") { // it is no address
		return sandlot.ErrNotFound
	}
	found, err := headOf(v, s.heads, id)
	if err != nil {
		return err
	}
	body, err := json.Marshal(s.oembedOf(found, atMost(q.Get("maxwidth"), embedWidth), atMost(q.Get("maxheight"), embedHeight)))
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	return v.send("application/json", body)
}

func (s *shares) oembedOf(found sandlot.Project, width, height int) oembedAnswer {
	base := s.places.Base.String()
	return oembedAnswer{
		Version: "1.0", Type: "rich", Title: name(found), AuthorName: found.Handle, AuthorURL: base + "/@" + found.Handle,
		ProviderName: "Sandlot", ProviderURL: base + "/",
		ThumbnailURL: cardAddress(s.places, s.fonts, found), ThumbnailWidth: card.Width, ThumbnailHeight: card.Height,
		HTML: snippet(s.places, found, width, height), Width: width, Height: height,
	}
}

// atMost returns the number asked for, or most if that is less or no number was asked for.
func atMost(asked string, most int) int {
	n, err := strconv.Atoi(asked)
	if err != nil || n < 1 {
		return most
	}
	return min(n, most)
}
