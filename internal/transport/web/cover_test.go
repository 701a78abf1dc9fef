package web

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/format/picture"
	"sandlot/internal/testkit/expect"
)

// TestNoPictureTakesAPhoneOver60KB: the widest, which may have more, is on no card, and where a cover is large no phone is offered it.
func TestNoPictureTakesAPhoneOver60KB(t *testing.T) {
	t.Parallel()
	for _, w := range picture.Cover().Widths {
		if w.Pixels <= 640 && w.Bytes > 60_000 {
			t.Errorf("%d pixels wide it may have %d bytes", w.Pixels, w.Bytes)
		}
	}
	p := sandlot.Project{ID: "game-abc123", Cover: "jabc"}
	for _, sizes := range []string{"", foundSizes} {
		if img := string(coverOf(p, sizes)); strings.Contains(img, "-1280") || !strings.Contains(img, "/i/jabc-640.jpg 640w") {
			t.Errorf("for %q it is %s", sizes, img)
		}
	}
	large := string(firstCover(p, "90vw"))
	if !strings.HasPrefix(large, `<picture><source media="`+onPhone+`" srcset="/i/jabc-640.jpg"><img `) || !strings.Contains(large, `-1280.jpg 1280w`) || strings.Contains(large, "lazy") {
		t.Errorf("large it is %s", large)
	}
}

func TestATitleIsSetAsLargeAsItFits(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Pong": "huge", "麻雀": "huge", "Space Invaders": "large", "Supercalifragilistic": "small", "अंतरिक्ष यात्री": "large",
		"The long way home through the forest": "middle", strings.Repeat("word ", 30): "small", "\u202e\u202eevil": "huge", "日本語のとても長い題名": "large",
		"Straßenverkehrsordnung": "tiny", "Превысокомногорассмотрительствующий": "least",
	} {
		expect.Equal(t, title, titleSize(title), want)
	}
}

func TestTheStyleSheetHasTheColoursOfTilesOnWhichWhiteIsReadWell(t *testing.T) {
	t.Parallel()
	css := string(openAssets()["site.css"].bytes)
	for i, hue := range cover.Hues {
		near, far := hue[0], hue[1]
		want := fmt.Sprintf(".hue-%d { --tile: #%02x%02x%02x; --tile-far: #%02x%02x%02x; }", i, near.R, near.G, near.B, far.R, far.G, far.B)
		if !strings.Contains(css, want) {
			t.Errorf("it has no %s", want)
		}
		for _, c := range hue {
			if contrast := 1.05 / (luminance(c) + .05); contrast < 4.5 {
				t.Errorf("white on %v has a contrast of %.2f", c, contrast)
			}
		}
	}
}

func luminance(c color.RGBA) float64 {
	linear := func(v uint8) float64 {
		if f := float64(v) / 255; f > .04045 {
			return math.Pow((f+.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	return .2126*linear(c.R) + .7152*linear(c.G) + .0722*linear(c.B)
}
