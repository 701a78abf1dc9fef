package sqlstore

import (
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot/internal/client/client"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// housePicture is one that no format makes small, so that its widest is kept beside the records.
func housePicture(t *testing.T, n int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 640, 360))
	copy(img.Pix, houseBytes(n, len(img.Pix)))
	var out bytes.Buffer
	expect.OK(t, jpeg.Encode(&out, img, nil))
	return out.Bytes()
}

// pictured gives the first account a portrait, and two of its projects a cover: one that its owner sends, and one that is made of a file.
func (h *house) pictured(t *testing.T, s *testenv.Server) {
	t.Helper()
	var own []houseProject
	for _, p := range h.projects {
		var status bytes.Buffer
		if expect.OK(t, houseGet(s, p.url, "", &status)); p.key == h.first && strings.HasPrefix(status.String(), "200") {
			own = append(own, p)
		}
	}
	h.sendPicture(t, s, "/account/projects/"+own[0].id+"/cover", housePicture(t, -1))
	h.sendPicture(t, s, "/account/settings/portrait", housePicture(t, -2))
	_, err := houseClient(s, h.first).Update(t.Context(), client.Fields{ProjectID: own[1].id, Filename: "cover.jpg"}, bytes.NewReader(housePicture(t, -3)))
	expect.OK(t, err)
	for at, widths := range map[string][]string{"/p/" + own[0].id: {"1280", "640", "320"}, "/p/" + own[1].id: {"1280", "640", "320"}, "/account/settings/portrait": {"256", "96", "48"}} {
		var found string
		testenv.Eventually(t, time.Minute, "the picture on "+at, func() bool {
			page := h.asOwner(t, s, http.MethodGet, at, "", http.NoBody, http.StatusOK)
			found = ""
			for _, one := range housePictureAt.FindAllString(page, -1) { // the page of a project has the portrait, too
				if size := strings.TrimSuffix(one[strings.LastIndex(one, "-")+1:], one[strings.LastIndex(one, "."):]); found == "" && slices.Contains(widths, size) {
					found = one
				}
			}
			return found != ""
		})
		name, ending, _ := strings.Cut(found, "-")
		_, ending, _ = strings.Cut(ending, ".")
		for _, width := range widths {
			sized := name + "-" + width + "." + ending
			h.asOwner(t, s, http.MethodGet, sized, "", http.NoBody, http.StatusOK)
			h.pictures = append(h.pictures, sized)
		}
	}
}

var housePictureAt = regexp.MustCompile(`/i/[a-z0-9]+-[0-9]+\.(png|jpg)`)

// sendPicture sends one by the form of a page.
func (h *house) sendPicture(t *testing.T, s *testenv.Server, at string, content []byte) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("picture", "a.jpg")
	expect.OK(t, err)
	_, err = part.Write(content)
	expect.OK(t, err)
	expect.OK(t, form.Close())
	h.asOwner(t, s, http.MethodPost, at, form.FormDataContentType(), &body, http.StatusSeeOther)
}

// asOwner asks for a page of the service in the browser of the first account, and returns it.
func (h *house) asOwner(t *testing.T, s *testenv.Server, method, at, contentType string, body io.Reader, status int) string {
	t.Helper()
	req, err := http.NewRequest(method, s.URL()+at, body)
	expect.OK(t, err)
	req.Host = houseBase
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Cookie", "__Host-session="+handedSession)
	resp, err := s.Client().Transport.RoundTrip(req) // which follows no redirect
	expect.OK(t, err)
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	expect.OK(t, err)
	expect.Equal(t, "status of "+at, resp.StatusCode, status)
	return string(page)
}
