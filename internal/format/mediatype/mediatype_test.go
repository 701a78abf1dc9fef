package mediatype_test

import (
	"testing"

	"sandlot/internal/format/mediatype"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		filename string
		utf8     bool
		want     string
	}{
		{"index.html", true, "text/html; charset=utf-8"},
		{"index.html", false, "text/html"},
		{"INDEX.HTM", true, "text/html; charset=utf-8"},
		{"main.js", true, "text/javascript; charset=utf-8"},
		{"lib/main.mjs", true, "text/javascript; charset=utf-8"},
		{"style.css", true, "text/css; charset=utf-8"},
		{"game.wasm", true, "application/wasm"},
		{"game.wasm", false, "application/wasm"},
		{"a.json", true, "application/json"},
		{"a.svg", true, "image/svg+xml"},
		{"a.png", false, "image/png"},
		{"a.jpeg", false, "image/jpeg"},
		{"a.opus", false, "audio/ogg"},
		{"a.webmanifest", true, "application/manifest+json"},
		{"a.glb", false, "model/gltf-binary"},
		{"a.zip", false, "application/zip"},
		{"a.pck", false, "application/octet-stream"},
		// Catalogue row 91.
		{"x", true, "application/octet-stream"},
		{"a.html.txt", true, "text/plain; charset=utf-8"},
		{"page.html/x", true, "application/octet-stream"},
		{"a.exe", false, "application/octet-stream"},
		{"a.", true, "application/octet-stream"},
		{"", true, "application/octet-stream"},
		{".nojekyll", true, "application/octet-stream"},
		// Pre-compressed builds.
		{"build/game.wasm.br", false, "application/wasm"},
		{"build/game.framework.js.gz", false, "text/javascript"},
		{"build/game.data.br", false, "application/octet-stream"},
		{"archive.tar.gz", false, "application/gzip"},
		{"x.br", false, "application/octet-stream"},
	} {
		if got := mediatype.Of(c.filename, c.utf8); got != c.want {
			t.Errorf("Of(%q, %v) = %q, want %q", c.filename, c.utf8, got, c.want)
		}
	}
}

func TestEncoding(t *testing.T) {
	for filename, want := range map[string]string{
		"game.wasm.br":         "br",
		"GAME.WASM.BR":         "br",
		"game.json.br":         "br",
		"game.wasm.gz":         "gzip",
		"game.data.gz":         "gzip",
		"game.symbols.json.gz": "gzip",
		"levels.json.gz":       "", // a program's own business
		"archive.tar.gz":       "",
		"x.gz":                 "",
		"x.br":                 "",
		"br":                   "",
		"game.wasm":            "",
		"a.br/game.wasm":       "",
	} {
		if got := mediatype.Encoding(filename); got != want {
			t.Errorf("Encoding(%q) = %q, want %q", filename, got, want)
		}
	}
}

func TestCompressible(t *testing.T) {
	for filename, want := range map[string]bool{
		"index.html": true, "a.js": true, "a.css": true, "a.wasm": true, "a.svg": true, "a.json": true, "a.ttf": true,
		"a.otf": true, "a.txt": true, "a.glb": true, "a.data": true,
		"a.png": false, "a.woff2": false, "a.mp3": false, "a.zip": false, "a.wasm.br": false, "a.js.gz": false,
		"x": false, "a.exe": false,
	} {
		if got := mediatype.Compressible(filename); got != want {
			t.Errorf("Compressible(%q) = %v, want %v", filename, got, want)
		}
	}
}
