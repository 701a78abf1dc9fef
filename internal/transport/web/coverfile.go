package web

import (
	"net/http"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
)

// What is shown of projects may be kept by a browser, but a cache that many share, such as a CDN, asks again after 25 seconds. With
// the 30 for which a node goes on that has lost its database, what was taken down is gone within a minute.
const (
	sharedFor   = ", s-maxage=25"
	keptForever = "public, max-age=31536000, immutable" + sharedFor
)

// pictureFiles are the pictures under their addresses.
type pictureFiles struct{ covers Covers }

func (p pictureFiles) routes() []route {
	return []route{
		{"GET", "/i/{file}", stranger, admission.Fetch, p.send},
	}
}

// send sends a picture under a name that is never another one's. It was made here of what somebody sent, and still a browser
// may do nothing with it but show it.
func (p pictureFiles) send(v *visit) error {
	id, width, contentType, ok := parsePicture(v.r.PathValue("file"))
	if !ok {
		return sandlot.ErrNotFound
	}
	body, err := p.covers.Picture(v.r.Context(), v.by, id, width)
	if err != nil {
		return err
	}
	h, tag := v.w.Header(), `"`+v.r.PathValue("file")+`"`
	h.Set("Cache-Control", keptForever)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // readers of feeds show it on pages of theirs
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", tag)
	if v.r.Header.Get("If-None-Match") == tag {
		v.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return v.send(contentType, body)
}

// parsePicture reads the name of a picture in one of its widths.
func parsePicture(file string) (id sandlot.PictureID, width int, contentType string, ok bool) {
	name, ending, _ := strings.Cut(file, ".")
	random, wide, _ := strings.Cut(name, "-")
	width, err := strconv.Atoi(wide)
	if err != nil || random == "" || len(random) > 40 {
		return "", 0, "", false
	}
	id = sandlot.PictureID(random)
	switch {
	case id.File(width) != file:
		return "", 0, "", false
	case ending == "png":
		return id, width, "image/png", true
	}
	return id, width, "image/jpeg", true
}
