package play

import (
	"strings"
	"testing"
)

func TestConditions(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	f := s.file("index.html", page("one"))
	s.put(gameID, f)
	h := newHandler(s, "localhost")
	hash := f.Content.SHA256.String()
	plain, gz := `"`+hash+`"`, `"`+hash+`-gz"`
	for _, c := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"strong", []string{"If-None-Match: " + plain}, 304},
		{"weak", []string{"If-None-Match: W/" + plain}, 304},
		{"list", []string{`If-None-Match: "a", W/"b" ,` + plain}, 304},
		{"tag with a comma in it", []string{`If-None-Match: "a,b", ` + plain}, 304},
		{"two lines", []string{`If-None-Match: "a"`, "If-None-Match: " + plain}, 304},
		{"star", []string{"If-None-Match: *"}, 304},
		{"other", []string{`If-None-Match: "a"`}, 200},
		{"empty", []string{"If-None-Match: "}, 200},
		{"without quotes", []string{"If-None-Match: " + hash}, 200},
		{"unclosed", []string{`If-None-Match: "` + hash}, 200},
		{"of the other representation", []string{"If-None-Match: " + gz}, 200},
		{"of gzip, for gzip", []string{"If-None-Match: " + gz, "Accept-Encoding: gzip"}, 304},
		{"of plain, for gzip", []string{"If-None-Match: " + plain, "Accept-Encoding: gzip"}, 200},
		{"of plain, for gzip with a range", []string{"If-None-Match: " + plain, "Accept-Encoding: gzip", "Range: bytes=0-1"}, 304},
		{"of plain, for a navigation", []string{"If-None-Match: " + plain, "Sec-Fetch-Dest: document"}, 200},
		{"a long list", []string{"If-None-Match: " + strings.Repeat(`"x",`, 200_000) + plain}, 304},
		{"times do not apply", []string{"If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT"}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, method := range []string{"GET", "HEAD"} {
				status := c.status
				if strings.Contains(c.name, "range") && method == "HEAD" {
					status = 200 // a range is of a GET
				}
				res := at(h, onProject, request(method, "/", c.headers...))
				if res.StatusCode != status {
					t.Errorf("%s: %d, want %d", method, res.StatusCode, status)
				}
				if status != 304 {
					continue
				}
				if bodyOf(t, res) != "" || res.Header.Get("Etag") == "" || res.Header.Get("Vary") == "" || res.Header.Get("Cache-Control") != "no-cache" {
					t.Errorf("%s: 304 with %v", method, res.Header)
				}
			}
		})
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	const body = "0123456789"
	f := s.file("a.txt", body)
	s.put(gameID, s.file("index.html", "<p>hi"), f, s.file("empty.txt", ""))
	h := newHandler(s, "localhost")
	etag := `"` + f.Content.SHA256.String() + `"`
	for _, c := range []struct {
		name    string
		headers []string
		status  int
		want    string // Content-Range
		body    string
	}{
		{"first", []string{"Range: bytes=0-0"}, 206, "bytes 0-0/10", "0"},
		{"middle", []string{"Range: bytes=2-4"}, 206, "bytes 2-4/10", "234"},
		{"open end", []string{"Range: bytes=7-"}, 206, "bytes 7-9/10", "789"},
		{"beyond the end", []string{"Range: bytes=7-99"}, 206, "bytes 7-9/10", "789"},
		{"suffix", []string{"Range: bytes=-3"}, 206, "bytes 7-9/10", "789"},
		{"long suffix", []string{"Range: bytes=-99"}, 206, "bytes 0-9/10", body},
		{"whole", []string{"Range: bytes=0-"}, 206, "bytes 0-9/10", body},
		{"unit in capitals", []string{"Range: Bytes=0-0"}, 206, "bytes 0-0/10", "0"},
		{"several", []string{"Range: bytes=0-1,3-3"}, 200, "", body},
		{"none is there", []string{"Range: bytes=10-"}, 416, "bytes */10", ""},
		{"empty suffix", []string{"Range: bytes=-0"}, 416, "bytes */10", ""},
		{"backwards", []string{"Range: bytes=4-2"}, 200, "", body},
		{"no numbers", []string{"Range: bytes=a-b"}, 200, "", body},
		{"a dash", []string{"Range: bytes=-"}, 200, "", body},
		{"signs", []string{"Range: bytes=+1-2"}, 200, "", body},
		{"2^64", []string{"Range: bytes=18446744073709551616-"}, 200, "", body},
		{"another unit", []string{"Range: lines=0-1"}, 200, "", body},
		{"no unit", []string{"Range: 0-1"}, 200, "", body},
		{"row 90: very many", []string{"Range: bytes=" + strings.Repeat("0-0,", 1000) + "1-1"}, 200, "", body},
		{"If-Range", []string{"Range: bytes=0-0", "If-Range: " + etag}, 206, "bytes 0-0/10", "0"},
		{"If-Range, other", []string{"Range: bytes=0-0", `If-Range: "x"`}, 200, "", body},
		{"If-Range, weak", []string{"Range: bytes=0-0", "If-Range: W/" + etag}, 200, "", body},
		{"If-Range, time", []string{"Range: bytes=0-0", "If-Range: Fri, 01 Jan 2100 00:00:00 GMT"}, 200, "", body},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := get(h, "/a.txt", c.headers...)
			got := bodyOf(t, res)
			if res.StatusCode != c.status || res.Header.Get("Content-Range") != c.want || c.status != 416 && got != c.body {
				t.Errorf("%d %q %q, want %d %q %q", res.StatusCode, res.Header.Get("Content-Range"), got, c.status, c.want, c.body)
			}
			if c.status != 416 && (res.Header.Get("Accept-Ranges") != "bytes" || res.Header.Get("Etag") != etag) {
				t.Errorf("%v", res.Header)
			}
		})
	}
	if res := get(h, "/empty.txt", "Range: bytes=0-"); res.StatusCode != 200 {
		t.Errorf("a range of nothing: %d", res.StatusCode)
	}
	if res := get(h, "/", "Range: bytes=0-1", "Sec-Fetch-Dest: document"); res.StatusCode != 200 {
		t.Errorf("a range of a page with the script: %d", res.StatusCode)
	}
}

func TestRangesAreOfThePlainBytes(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.put(gameID, s.file("index.html", page("one")))
	h := newHandler(s, "localhost")
	res := get(h, "/", "Range: bytes=0-8", "Accept-Encoding: gzip")
	if got := bodyOf(t, res); got != "<!doctype" || res.Header.Get("Content-Encoding") != "" {
		t.Errorf("%q, %q", got, res.Header.Get("Content-Encoding"))
	}
	// A download that began packed is not continued with plain bytes.
	packed := get(h, "/", "Accept-Encoding: gzip")
	res = get(h, "/", "Range: bytes=9-", "Accept-Encoding: gzip", "If-Range: "+packed.Header.Get("Etag"))
	if res.StatusCode != 200 || res.Header.Get("Content-Encoding") != "gzip" || packed.Header.Get("Accept-Ranges") != "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

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
		{"GZIP", "gzip"},
		{"zstd", "zstd"},
		{"br", "br"},
		{"gzip, deflate, br, zstd", smallest},
		{"gzip;q=0", ""},
		{"gzip;q=0.0, br;q=0.001", "br"},
		{"gzip ; q=1.0", "gzip"},
		{"gzip;q=", ""},
		{"gzip;Q=0.3", "gzip"},
		{"identity", ""},
		{"identity;q=1, *;q=0", ""}, // what players of sound and film send
		{"identity;q=0.5, gzip", "gzip"},
		{"*", ""},
		{"*;q=0", ""},
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
	if got := get(h, "/", "Accept-Encoding: br;q=0", "Accept-Encoding: gzip").Header.Get("Content-Encoding"); got != "gzip" {
		t.Errorf("in two lines: %q", got)
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
