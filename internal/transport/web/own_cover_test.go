package web

import (
	"bytes"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// pictureBody is a form with a picture.
func pictureBody(t *testing.T, content string) (body, contentType string) {
	t.Helper()
	var out strings.Builder
	w := multipart.NewWriter(&out)
	part, err := w.CreateFormFile("picture", "a.png")
	expect.OK(t, err)
	_, err = part.Write([]byte(content))
	expect.OK(t, err)
	expect.OK(t, w.Close())
	return out.String(), w.FormDataContentType()
}

func TestAnOwnerUploadsACoverThatEverybodySees(t *testing.T) {
	t.Parallel()
	h := house(t)
	var sent bytes.Buffer
	expect.OK(t, png.Encode(&sent, image.NewRGBA(image.Rect(0, 0, 640, 360))))
	at := "/account/projects/" + string(gameID) + "/cover"
	post := func(target, content string) *http.Response {
		body, contentType := pictureBody(t, content)
		return request(h, "POST", target, body, "Cookie", cookieName+"=kim", "Sec-Fetch-Site", "same-origin", "Content-Type", contentType)
	}
	h.put(gameID, 3, "art/a&b.png", sent.String())
	choose := func(form string) string {
		expect.Equal(t, form, asKim(h, "POST", at+"/choose", form).StatusCode, http.StatusSeeOther)
		return text(t, asKim(h, "GET", at, ""))
	}
	if page := choose("wish=file&file=art%2Fa%26b.png"); !strings.Contains(page, `name="file" value="art/a&amp;b.png" required checked><img src="`) {
		t.Error("the file that was chosen is not shown as chosen")
	}
	if page := choose("wish=none"); !strings.Contains(page, `value="none" aria-pressed="true"`) || strings.Contains(page, " checked>") {
		t.Error("the title is not shown as chosen")
	}
	expect.Equal(t, "a picture", post(at, sent.String()).StatusCode, http.StatusSeeOther)
	found := regexp.MustCompile(`/i/[a-z0-9]+-640\.(png|jpg)`).FindString(text(t, request(h, "GET", "/p/"+string(gameID), "")))
	resp := request(h, "GET", found, "")
	for name, want := range map[string]string{
		"Cache-Control": "public, max-age=31536000, immutable, s-maxage=25", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox", "Cross-Origin-Resource-Policy": "cross-origin",
	} {
		expect.Equal(t, name, resp.Header.Get(name), want)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "image/") || resp.StatusCode != http.StatusOK {
		t.Errorf("%s is %d, %s", found, resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	expect.Equal(t, "asked again", request(h, "GET", found, "", "If-None-Match", resp.Header.Get("ETag")).StatusCode, http.StatusNotModified)
	for _, wrong := range []string{"/i/none-640.jpg", "/i/" + strings.TrimPrefix(found, "/i/") + "x", "/i/..%2f", "/i/-640.jpg", "/i/j-1.jpg"} {
		expect.Equal(t, wrong, request(h, "GET", wrong, "").StatusCode, http.StatusNotFound)
	}
	for format, sent := range map[string]string{"GIF": "GIF89a", "MP4": "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00"} {
		refused := post(at, sent)
		if page := text(t, refused); refused.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, format) || !strings.Contains(page, found) {
			t.Errorf("%s is %d", format, refused.StatusCode)
		}
	}
	expect.Equal(t, "a portrait", post("/account/settings/portrait", sent.String()).StatusCode, http.StatusSeeOther)
	if page := text(t, request(h, "GET", "/account/settings/portrait", "", "Cookie", cookieName+"=kim")); !strings.Contains(page, `<img class="portrait" src="/i/`) {
		t.Error("the portrait is not shown")
	}
	post(at, sent.String())
	expect.Equal(t, "the deletion", asKim(h, "POST", ownAt+"/delete", "typed="+string(gameID)).StatusCode, http.StatusSeeOther)
	if page := text(t, asKim(h, "GET", "/account", "")); !strings.Contains(page, `id="deleted"`) || strings.Contains(page, `src="/i/`) {
		t.Error("a project that was deleted has a picture that nobody gets")
	}
}
