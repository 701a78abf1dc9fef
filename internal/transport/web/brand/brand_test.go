package brand_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/brand"
)

func TestAnAccentCanBeReadOnLightAndDarkPages(t *testing.T) {
	t.Parallel()
	sheet, err := os.ReadFile("../static/css/00-base.css")
	expect.OK(t, err)
	ground := func(name string) [2]string {
		m := regexp.MustCompile(`--` + name + `: light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\)`).FindStringSubmatch(string(sheet))
		if m == nil {
			t.Fatalf("the style sheet has no %s", name)
		}
		return [2]string{strings.Replace(m[1], "#fff", "#ffffff", 1)[:7], m[2]}
	}
	accepted := 0
	for _, red := range []string{"00", "40", "80", "c2", "ff"} {
		for _, green := range []string{"00", "37", "6a", "a0", "ff"} {
			for _, blue := range []string{"00", "1a", "66", "b0", "ff"} {
				text := "#" + red + green + blue
				a, err := brand.ParseAccent(text)
				if err != nil {
					nearest := regexp.MustCompile(`set (#[0-9a-f]{6})`).FindStringSubmatch(err.Error())
					if nearest == nil {
						t.Fatalf("%s: %v", text, err)
					}
					if a, err = brand.ParseAccent(nearest[1]); err != nil {
						t.Fatalf("the nearest to %s: %v", text, err)
					}
				} else {
					expect.Equal(t, "the color", a.Light, text)
					accepted++
				}
				for _, name := range []string{"paper", "raised", "field"} {
					if on := ground(name); brand.Contrast(a.Light, on[0]) < 4.5 || brand.Contrast(a.Dark, on[1]) < 4.5 {
						t.Errorf("%+v of %s on %s", a, text, name)
					}
				}
				if brand.Contrast(a.Light, "#ffffff") < 4.5 || brand.Contrast(a.Dark, "#120c1f") < 4.5 {
					t.Errorf("text on %+v of %s", a, text)
				}
			}
		}
	}
	if accepted < 30 {
		t.Errorf("only %d colors were accepted", accepted)
	}
	for _, bad := range []string{"red", "#12345", "#1234567", "#zzzzzz", "url(x)"} {
		if _, err := brand.ParseAccent(bad); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestAMarkIsASmallPicture(t *testing.T) {
	t.Parallel()
	squares := func(w, h int) []byte {
		var b bytes.Buffer
		expect.OK(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))))
		return b.Bytes()
	}
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>`
	for name, c := range map[string]struct {
		data []byte
		ok   bool
	}{
		"a PNG": {squares(64, 64), true}, "an SVG": {[]byte("<?xml version='1.0'?>\n" + svg), true},
		"an oblong": {squares(64, 32), false}, "a tiny one": {squares(16, 16), false}, "a huge one": {squares(2000, 2000), false},
		"a page": {[]byte("<html><body>"), false}, "half an SVG": {[]byte(svg[:40]), false}, "nothing": {nil, false},
		"a document type": {[]byte(`<!DOCTYPE svg [<!ENTITY a "b">]>` + svg), false},
		"a large file":    {[]byte(svg + strings.Repeat(" ", 70_000)), false},
	} {
		path := filepath.Join(t.TempDir(), "mark")
		expect.OK(t, os.WriteFile(path, c.data, 0o600))
		m, err := brand.ReadMark(path)
		if (err == nil) != c.ok || c.ok && !bytes.Equal(m.Bytes, c.data) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestANameFitsItsPlaces(t *testing.T) {
	t.Parallel()
	expect.OK(t, brand.Brand{Name: "Schule am Fluß", Line: "Spiele der 7b"}.Check())
	for _, h := range []brand.Brand{{Name: strings.Repeat("x", 31)}, {Name: "a\nb"}, {Line: strings.Repeat("x", 101)}} {
		if err := h.Check(); err == nil {
			t.Errorf("%+v was accepted", h)
		}
	}
	expect.Equal(t, "without one", brand.Brand{}.Called(), "Sandlot")
}
