package play

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAcceptEncoding(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	body := page("one")
	s.put(gameID, s.file("index.html", body))
	h := newHandler(s, "localhost")
	f := s.files(gameID)[0]
	sizes := map[string]int64{"": f.Blob.Size}
	smallest := ""
	for _, v := range f.Variants {
		sizes[v.Encoding] = v.Blob.Size
		if sizes[v.Encoding] < sizes[smallest] {
			smallest = v.Encoding
		}
	}
	for _, c := range []struct{ accept, want string }{
		{"", ""},
		{"gzip", "gzip"},
		{"x-gzip", "gzip"},
		{"GZIP", "gzip"},
		{"zstd", "zstd"},
		{"br", "br"},
		{"gzip, deflate, br, zstd", smallest},
		{"br;q=0.5, gzip;q=0.8", "gzip"},
		{"br;q=0.5,gzip;q=0.499", "br"},
		{"gzip;q=0", ""},
		{"gzip;q=0.0, br;q=0.001", "br"},
		{"gzip ; q=1.0", "gzip"},
		{"gzip;q=x", ""},
		{"gzip;q=2", ""},
		{"gzip;q=", ""},
		{"gzip;Q=0.3", "gzip"},
		{"identity", ""},
		{"identity;q=1, *;q=0", ""}, // what players of sound and film send
		{"identity, gzip;q=0.5", ""},
		{"identity;q=0.5, gzip", "gzip"},
		{"*", smallest},
		{"*;q=0", ""},
		{"*;q=0.5, gzip;q=0", map[bool]string{true: "br", false: "zstd"}[sizes["br"] < sizes["zstd"]]},
		{"identity;q=0, compress", ""}, // plain bytes may be of use, a refusal is not
		{"deflate, compress", ""},
		{",,, gzip ,", "gzip"},
		{strings.Repeat("x,", 5000) + "gzip", "gzip"},
	} {
		res := get(h, "/", "Accept-Encoding: "+c.accept)
		got := res.Header.Get("Content-Encoding")
		if got != c.want {
			t.Errorf("%.60q: %q, want %q", c.accept, got, c.want)
		}
		if plain := unpack(t, got, []byte(bodyOf(t, res))); plain != body {
			t.Errorf("%.60q: other bytes", c.accept)
		}
		if vary := res.Header.Get("Vary"); !strings.Contains(vary, "Accept-Encoding") {
			t.Errorf("%.60q: Vary %q", c.accept, vary)
		}
	}
	if got := get(h, "/").Header.Get("Content-Encoding"); got != "" {
		t.Errorf("without a word: %q", got)
	}
	if got := get(h, "/", "Accept-Encoding: br;q=0.1", "Accept-Encoding: gzip").Header.Get("Content-Encoding"); got != "gzip" {
		t.Errorf("in two lines: %q", got)
	}
}

func TestETagForEachRepresentation(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	f := s.file("index.html", page("one"))
	s.put(gameID, f)
	h := newHandler(s, "localhost")
	hash := f.Content.SHA256.String()
	got := map[string]string{}
	for _, headers := range [][]string{
		{"Accept-Encoding: identity"},
		{"Accept-Encoding: br"},
		{"Accept-Encoding: zstd"},
		{"Accept-Encoding: gzip"},
		{"Accept-Encoding: identity", "Sec-Fetch-Dest: document"},
		{"Accept-Encoding: gzip", "Sec-Fetch-Dest: document"},
	} {
		got[strings.Join(headers, " ")] = get(h, "/", headers...).Header.Get("Etag")
	}
	want := map[string]string{
		"Accept-Encoding: identity":                          `"` + hash + `"`,
		"Accept-Encoding: br":                                `"` + hash + `-br"`,
		"Accept-Encoding: zstd":                              `"` + hash + `-zst"`,
		"Accept-Encoding: gzip":                              `"` + hash + `-gz"`,
		"Accept-Encoding: identity Sec-Fetch-Dest: document": `"` + hash + `-player1"`,
		"Accept-Encoding: gzip Sec-Fetch-Dest: document":     `"` + hash + `-gz-player1"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPrecompressedBuilds(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	wasm := "\x00asm" + strings.Repeat("code", 200)
	br, gz := compress("br", wasm), compress("gzip", wasm)
	s.put(gameID, s.file("index.html", "<p>hi"), s.file("build.wasm.br", br), s.file("build.wasm.gz", gz), s.file("levels.json.gz", gz))
	h := newHandler(s, "localhost")
	for _, c := range []struct {
		path, accept        string
		mediaType, encoding string
		body                string
	}{
		{"/build.wasm.br", "gzip, deflate, br, zstd", "application/wasm", "br", br},
		{"/build.wasm.br", "gzip, deflate", "application/octet-stream", "", br},
		{"/build.wasm.br", "", "application/octet-stream", "", br},
		{"/build.wasm.gz", "gzip", "application/wasm", "gzip", gz},
		{"/build.wasm.gz", "gzip;q=0", "application/octet-stream", "", gz},
		{"/levels.json.gz", "gzip", "application/gzip", "", gz}, // the program unpacks it
	} {
		res := get(h, c.path, "Accept-Encoding: "+c.accept)
		if got := bodyOf(t, res); got != c.body || res.Header.Get("Content-Type") != c.mediaType || res.Header.Get("Content-Encoding") != c.encoding {
			t.Errorf("%s %q: %q %q, %d bytes", c.path, c.accept, res.Header.Get("Content-Type"), res.Header.Get("Content-Encoding"), len(got))
		}
	}
	a, b := get(h, "/build.wasm.br", "Accept-Encoding: br"), get(h, "/build.wasm.br")
	if a.Header.Get("Etag") == b.Header.Get("Etag") || a.Header.Get("Vary") != "Accept-Encoding" || b.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("one representation for two: %v %v", a.Header, b.Header)
	}
	if res := get(h, "/build.wasm.br", "Accept-Encoding: br", "Range: bytes=0-3"); res.StatusCode != 200 {
		t.Errorf("a range of what is to be unpacked: %d", res.StatusCode)
	}
	if res := get(h, "/build.wasm.br", "Range: bytes=0-3"); res.StatusCode != 206 || res.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("a range of the file: %d %q", res.StatusCode, res.Header.Get("Content-Type"))
	}
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, s := range []string{"gzip, deflate, br;q=0.9", "*;q=0", "identity;q=0.001", ";;,q=1", "gzip;q=1.000", "gzip;q=0.0001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for c, q := range wished(map[string][]string{"Accept-Encoding": {s}}) {
			if q < 0 || q > 1000 {
				t.Errorf("%s: %d", codings[c], q)
			}
		}
	})
}
