package web

import (
	"compress/gzip"
	"image/color"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// maxAssets is how many bytes the sheet, the display face and all scripts may have over the wire: the bytes of a first visit, less a page. The
// scripts of the pages that an agent's links open, which load few others, are not among them, nor are the files of pages with boards and of the desk.
const maxAssets = 56 << 10

// maxBoard is how many bytes the sheet and the script of pages with boards may have over the wire.
const maxBoard = 6 << 10

func TestAFirstVisitLoadsLittle(t *testing.T) {
	t.Parallel()
	total := 0
	for name, a := range openAssets() {
		if slices.Contains([]string{"js/send.js", "js/tar.js", "js/connect.js", "js/board.js", "board.css", "js/desk.js", "desk.css"}, name) {
			continue
		}
		if strings.HasSuffix(name, ".css") || strings.HasSuffix(name, ".js") || name == face {
			total += len(a.sent())
		}
	}
	if total > maxAssets {
		t.Errorf("all together are %d bytes, and may be %d", total, maxAssets)
	}
	if n := len(openAssets()["js/board.js"].sent()) + len(openAssets()["board.css"].sent()); n > maxBoard {
		t.Errorf("what pages with boards load has %d bytes, and may have %d", n, maxBoard)
	}
	if n := len(openAssets()[face].bytes); n > 25<<10 {
		t.Errorf("the display face has %d bytes", n)
	}
}

// sent is a file as a browser gets it.
func (a asset) sent() []byte {
	if a.packed == nil {
		return a.bytes
	}
	return a.packed
}

// token is a colour of the sheet in both themes.
var token = regexp.MustCompile(`--([a-z-]+): light-dark\((#[0-9a-f]{3,6}), (#[0-9a-f]{3,6})\);`)

func TestEveryPairOfColoursCanBeRead(t *testing.T) {
	t.Parallel()
	css := string(openAssets()["site.css"].bytes)
	colours := map[string][2]string{}
	for _, m := range token.FindAllStringSubmatch(css, -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	for i, theme := range []string{"light", "dark"} {
		least := func(want float64, over string, on ...string) {
			for _, ground := range on {
				if got := contrast(colours[over][i], colours[ground][i]); got < want {
					t.Errorf("in the %s theme %s on %s has a contrast of %.2f, and needs %.1f", theme, over, ground, got, want)
				}
			}
		}
		for _, text := range []string{"ink", "quiet", "accent", "danger", "second"} {
			least(4.5, text, "paper", "raised", "field")
		}
		least(4.5, "on-accent", "accent")
		least(4.5, "on-danger", "danger")
		least(4.5, "on-second", "second")
		least(3, "edge", "paper", "raised", "field") // what shows where a field is
	}
}

// contrast is that of WCAG.
func contrast(a, b string) float64 {
	x, y := luminance(colourOf(a)), luminance(colourOf(b))
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// colourOf is one of three or six digits.
func colourOf(hex string) color.RGBA {
	hex = hex[1:]
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, _ := strconv.ParseUint(hex, 16, 32)
	return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}
}

// TestEverySheetFollowsTheThemeThatWasChosen: one that asks the system would be dark on a light page.
func TestEverySheetFollowsTheThemeThatWasChosen(t *testing.T) {
	t.Parallel()
	css := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(string(openAssets()["site.css"].bytes), "")
	if strings.Contains(css, "prefers-color-scheme") {
		t.Error("a sheet asks for prefers-color-scheme: write light-dark(LIGHT, DARK)")
	}
	for _, theme := range themes {
		if !strings.Contains(css, "[data-theme="+theme+"] { color-scheme: "+theme+"; }") {
			t.Errorf("nothing makes a page %s", theme)
		}
	}
}

func TestStaticFilesAreCompressedForBrowsersThatAcceptIt(t *testing.T) {
	t.Parallel()
	h := house(t)
	whole := text(t, request(h, "GET", "/static/site.css", ""))
	for accepted, want := range map[string]string{
		"": "", "br": "", "gzip;q=0": "", "gzip; q=0.0": "", "gzip": "gzip", "br, GZIP": "gzip", "deflate, gzip;q=1, br": "gzip",
	} {
		resp := request(h, "GET", "/static/site.css", "", "Accept-Encoding", accepted)
		if got := resp.Header.Get("Content-Encoding"); got != want || resp.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("who takes %q gets %q", accepted, got)
		}
		again := request(h, "GET", "/static/site.css", "", "Accept-Encoding", accepted, "If-None-Match", resp.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("who takes %q and has it gets %d", accepted, again.StatusCode)
		}
		if want == "" {
			continue
		}
		unpacked, err := gzip.NewReader(resp.Body)
		expect.OK(t, err)
		if body, err := io.ReadAll(unpacked); string(body) != whole || err != nil {
			t.Errorf("unpacked it is %d bytes of %d, %v", len(body), len(whole), err)
		}
	}
	pack, plain := request(h, "GET", "/static/site.css", "", "Accept-Encoding", "gzip"), request(h, "GET", "/static/site.css", "")
	if pack.Header.Get("ETag") == plain.Header.Get("ETag") || pack.ContentLength >= plain.ContentLength {
		t.Errorf("packed %s of %d, plain %s of %d", pack.Header.Get("ETag"), pack.ContentLength, plain.Header.Get("ETag"), plain.ContentLength)
	}
}
