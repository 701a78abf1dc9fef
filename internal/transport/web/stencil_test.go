package web

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// TestAKeptPageIsTheSamePacked whoever asks, and its length tells nothing of what is theirs.
func TestAKeptPageIsTheSamePacked(t *testing.T) {
	t.Parallel()
	h := board(t, chess)
	visitor := "; " + visitorCookie + "=" + h.visitor()
	for _, path := range []string{"/", "/?sort=newest", "/@kim", "/p/game-abc123"} {
		for _, cookie := range []string{"a=b", themeCookie + "=dark", cookieName + "=kim"} {
			plain := text(t, request(h, "GET", path, "", "Cookie", cookie+visitor))
			resp := request(h, "GET", path, "", "Cookie", cookie+visitor, "Accept-Encoding", "gzip, deflate, br")
			sent := text(t, resp)
			if resp.Header.Get("Content-Encoding") == "" && cookie == cookieName+"=kim" {
				continue // a page of one's own is not kept
			}
			unpacked := must(io.ReadAll(must(gzip.NewReader(strings.NewReader(sent)))(t)))(t)
			if string(unpacked) != plain || len(sent)*2 > len(plain) {
				t.Errorf("%s with %s has %d bytes, and %d plain", path, cookie, len(sent), len(plain))
			}
			if is := strings.Contains(plain, `<html data-theme="dark"`); is != (cookie == themeCookie+"=dark") || strings.Contains(plain, "\x00") {
				t.Errorf("%s with %s begins with %.50s", path, cookie, plain)
			}
		}
	}
}
