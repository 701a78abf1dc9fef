package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"image/color"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/boombuler/barcode/qr"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/web/card"
)

// cardLook is the version of the cards' design; a change of the design increments it.
const cardLook = "5"

// coverWidth is the width in pixels of the cover on a card.
const coverWidth = 1280

// frontTile holds the colours of the icon.
var frontTile = [2]color.RGBA{{0x4a, 0x2f, 0x8f, 0xff}, {0x1b, 0x14, 0x32, 0xff}}

// card sends the share picture of a project.
func (s *shares) card(v *visit) error {
	found, err := headOf(v, s.heads, sandlot.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	v.w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // other sites show it
	return s.picture(v, "image/jpeg", cardParts(s.fonts, found), s.charged(v, func() ([]byte, error) { return s.cardOf(v, found) }))
}

// cardParts returns everything that the card of a project depends on.
func cardParts(fonts card.Fonts, p sandlot.Project) []string {
	return []string{"card", cardLook, string(p.ID), string(p.Cover), p.Title, p.Lang, p.Handle, fonts.Names()}
}

// cardAddress returns the address of a project's current card. Another card has another address: a page that is shared
// again after a change does not show a cached card.
func cardAddress(at sandlot.Places, fonts card.Fonts, p sandlot.Project) string {
	return at.Base.String() + "/p/" + string(p.ID) + "/card.jpg?v=" + pictureKey(cardParts(fonts, p))[:keyShown]
}

// keyShown is the number of a key's characters in an address.
const keyShown = 16

func pictureKey(parts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// cardOf draws a project's card. A cover that was just replaced, or is damaged, gives way to the tile.
func (s *shares) cardOf(v *visit, p sandlot.Project) ([]byte, error) {
	c := card.Card{Title: name(p), Handle: "@" + p.Handle, Lang: p.Lang, Tile: cover.Hues[cover.HueOf(p.ID)]}
	if p.Cover != "" {
		var err error
		c.Picture, err = s.covers.Picture(v.r.Context(), v.by, p.Cover, coverWidth)
		if err != nil && !errors.Is(err, sandlot.ErrNotFound) && !errors.Is(err, sandlot.ErrCorrupt) {
			return nil, err
		}
	}
	return s.press.draw(v.r.Context(), c)
}

// charged charges the visitor for a drawing: its work, and a place among the drawings of the visitor's network.
func (s *shares) charged(v *visit, draw func() ([]byte, error)) func() ([]byte, error) {
	return func() ([]byte, error) {
		if v.by.From.Free {
			return draw()
		}
		if s.drawers.Full(v.by.From.Network) {
			return nil, v.limits.Refuse(&admission.Denied{Limit: "work", After: time.Second})
		}
		if err := v.grant.Also(admission.Draw); err != nil {
			return nil, err
		}
		end, err := s.drawers.Lock(v.r.Context(), v.by.From.Network)
		if err != nil {
			return nil, err
		}
		defer end()
		return draw()
	}
}

// front sends the share picture of the whole instance.
func (s *shares) front(v *visit) error {
	v.w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // other sites show it
	host := s.places.Base.Host
	return s.picture(v, "image/jpeg", []string{"front", cardLook, s.name, host, s.fonts.Names()}, s.charged(v, func() ([]byte, error) {
		return s.press.draw(v.r.Context(), card.Card{Title: cmp.Or(s.name, "sandlot"), Handle: host, Tile: frontTile})
	}))
}

// code sends the address of a project's page as a QR code.
func (s *shares) code(v *visit) error {
	found, err := headOf(v, s.heads, sandlot.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	page := s.places.Project(found.ID, found.Version, "").Page
	return s.picture(v, "image/svg+xml", []string{"code", page}, func() ([]byte, error) { return qrCode(page) })
}

// picture sends a picture that depends on these parts alone. It is drawn once for all concurrent requests, which share
// an error, too, except a refusal of one of the visitors.
func (s *shares) picture(v *visit, contentType string, parts []string, draw func() ([]byte, error)) error {
	key := pictureKey(parts)
	h := v.w.Header()
	h.Set("Cache-Control", "public, max-age=3600"+sharedFor) // a new title is seen within an hour
	if v.r.URL.RawQuery == "v="+key[:keyShown] {
		h.Set("Cache-Control", keptForever)
	}
	if v.unchanged(key) {
		return nil
	}
	body, err := s.pictures.get(v.r.Context(), key, anyPicture, isRefusal, func([]byte) ([]byte, error) { return draw() })
	if err != nil {
		h.Del("ETag")
		h.Set("Cache-Control", "no-store")
		return err
	}
	return v.send(contentType, body)
}

// unchanged sets the ETag of the answer. If the client has that version, it answers 304 and reports true.
func (v *visit) unchanged(tag string) bool {
	tag = `"` + tag + `"`
	v.w.Header().Set("ETag", tag)
	if v.r.Header.Get("If-None-Match") != tag {
		return false
	}
	v.w.WriteHeader(http.StatusNotModified)
	return true
}

// send sends a body that is not a page.
func (v *visit) send(contentType string, body []byte) error {
	h := v.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(body) // the client is gone if this fails
	}
	return nil
}

// quietZone is the number of light modules on each side of a QR code: ISO/IEC 18004 requires four, and cameras miss a
// code with fewer.
const quietZone = 4

// qrCode draws an address as an SVG of a QR code with its quiet zone. It is dark on light in every theme: not every
// camera reads the inverse.
func qrCode(address string) ([]byte, error) {
	code, err := qr.Encode(address, qr.M, qr.Unicode)
	if err != nil {
		return nil, fmt.Errorf("draw the code of %s: %w", address, err)
	}
	size := code.Bounds().Dx()
	dark := func(x, y int) bool { return x < size && code.At(x, y) == color.Black }
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %[1]d" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="`, size+2*quietZone)
	for y := range size {
		for x := 0; x < size; x++ {
			from := x
			for dark(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&out, "M%d %dh%dv1H%dz", from+quietZone, y+quietZone, x-from, from+quietZone)
			}
		}
	}
	out.WriteString(`"/></svg>`)
	return []byte(out.String()), nil
}

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
