package web

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"sandlot/internal/publish"
)

// cardLook is the version of what cards look like: who changes that, changes this.
const cardLook = "2"

// card sends the picture that stands for a project where its address is shared.
func (s *shares) card(v *visit) error {
	found, err := v.shown(publish.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	v.w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // other sites show it
	return s.picture(v, "image/png", []string{"card", cardLook, string(found.ID), found.Title, found.Handle}, func() ([]byte, error) {
		return s.pictures.brush.card(found)
	})
}

// front sends the picture that stands for the whole instance.
func (s *shares) front(v *visit) error {
	v.w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // other sites show it
	return s.picture(v, "image/png", []string{"front", cardLook}, func() ([]byte, error) {
		return s.pictures.brush.card(publish.Project{ID: "sandlot"})
	})
}

// code sends the address of a project's page as a QR code.
func (s *shares) code(v *visit) error {
	found, err := v.shown(publish.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	page := s.places.Project(found.ID, found.Version, "").Page
	return s.picture(v, "image/svg+xml", []string{"code", page}, func() ([]byte, error) { return qrCode(page) })
}

// picture sends a picture that is made of no more than these parts.
func (s *shares) picture(v *visit, contentType string, parts []string, draw func() ([]byte, error)) error {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	key := base64.RawURLEncoding.EncodeToString(sum[:])
	h := v.w.Header()
	h.Set("ETag", `"`+key+`"`)
	h.Set("Cache-Control", "public, max-age=3600") // a new title is seen within an hour
	if v.r.Header.Get("If-None-Match") == `"`+key+`"` {
		v.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	body, err := s.pictures.get(v.r.Context(), key, draw)
	if err != nil {
		h.Del("ETag")
		h.Set("Cache-Control", "no-store")
		return err
	}
	return v.send(contentType, body)
}

// send answers with something that is not a page.
func (v *visit) send(contentType string, body []byte) error {
	h := v.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(body) // the client is gone if this fails
	}
	return nil
}
