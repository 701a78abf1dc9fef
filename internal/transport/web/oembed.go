package web

import (
	"encoding/json"
	"net/http"
	"strconv"

	"sandlot"
	"sandlot/internal/transport/web/card"
)

// oembedAnswer is how a page tells others to show it: oembed.com, 2.3.4.
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

// oembed answers for the address of a project, any of them but a version's.
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

// atMost is the lesser of what somebody asks for and what there is.
func atMost(asked string, most int) int {
	n, err := strconv.Atoi(asked)
	if err != nil || n < 1 {
		return most
	}
	return min(n, most)
}
