package play

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	kgzip "github.com/klauspost/compress/gzip"

	"sandlot"
	"sandlot/internal/domain/publish"
)

const (
	document = "Sec-Fetch-Dest: document"
	ownTag   = `<script async src="/.sandlot/player.js"></script>`
	pathTag  = `<script async src="/~/chess-abc234/.sandlot/player.js"></script>`
)

func TestScriptAfterANavigation(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	body := page("one")
	s.put(gameID, s.file("index.html", body), s.file("docs/index.html", body), s.file("a.js", "1"))
	own, alone := newHandler(s, "localhost"), newHandler(s, "")
	for _, c := range []struct {
		name    string
		h       *Handler
		place   place
		req     *http.Request
		want    string // what follows the body
		navVary bool
	}{
		{"Sec-Fetch-Dest", own, onProject, request("GET", "/", document), ownTag, true},
		{"by its name", own, onProject, request("GET", "/index.html", document), ownTag, true},
		{"plain http", own, onProject, request("GET", "/", "Upgrade-Insecure-Requests: 1", "Accept: text/html,application/xhtml+xml,*/*;q=0.8"), ownTag, true},
		{"plain http, no HTML wanted", own, onProject, request("GET", "/", "Upgrade-Insecure-Requests: 1", "Accept: */*"), "", true},
		{"plain http, no upgrade wanted", own, onProject, request("GET", "/", "Accept: text/html"), "", true},
		{"frame", own, onProject, request("GET", "/", "Sec-Fetch-Dest: iframe", "Upgrade-Insecure-Requests: 1", "Accept: text/html"), ownTag, true},
		{"embedded otherwise", own, onProject, request("GET", "/", "Sec-Fetch-Dest: object", "Upgrade-Insecure-Requests: 1", "Accept: text/html"), "", true},
		{"version in a frame", own, onVersion, request("GET", "/", "Sec-Fetch-Dest: iframe"), "", false},
		{"fetch", own, onProject, request("GET", "/", "Sec-Fetch-Dest: empty"), "", true},
		{"nothing said", own, onProject, request("GET", "/"), "", true},
		{"another page", own, onProject, request("GET", "/docs/", document), "", false},
		{"version", own, onVersion, request("GET", "/", document), "", false},
		{"path form alone", alone, onPath, request("GET", "/", document), pathTag, true},
		{"path form in a frame", own, onPath, request("GET", "/", "Sec-Fetch-Dest: iframe"), pathTag, true},
	} {
		for _, encoding := range []string{"", "gzip"} {
			t.Run(c.name+"/"+encoding, func(t *testing.T) {
				r := c.req.Clone(t.Context())
				r.Header.Set("Accept-Encoding", encoding)
				res := at(c.h, c.place, r)
				raw := bodyOf(t, res)
				if got := unpack(t, res.Header.Get("Content-Encoding"), []byte(raw)); got != body+c.want {
					t.Errorf("ends in %q, want %q", got[len(got)-min(len(got), 80):], c.want)
				}
				if res.Header.Get("Content-Encoding") != encoding || res.Header.Get("Content-Length") != fmt.Sprint(len(raw)) {
					t.Errorf("%v for %d bytes", res.Header, len(raw))
				}
				if got := strings.Contains(res.Header.Get("Vary"), "Sec-Fetch-Dest, Upgrade-Insecure-Requests, Accept"); got != c.navVary {
					t.Errorf("Vary: %q", res.Header.Get("Vary"))
				}
				if marked := strings.Contains(res.Header.Get("Etag"), "player"); marked != (c.want != "") {
					t.Errorf("Etag: %q", res.Header.Get("Etag"))
				}
				// The same again is not sent again.
				r.Header.Set("If-None-Match", res.Header.Get("Etag"))
				r.URL = c.req.URL
				if again := at(c.h, c.place, r.Clone(t.Context())); again.StatusCode != 304 {
					t.Errorf("again: %d", again.StatusCode)
				}
			})
		}
	}
	s.must(s.Publish.ChoosePrimary(t.Context(), s.owner, gameID, "a.js", publish.Form{Token: "a form"}))
	if res := get(own, "/", document); bodyOf(t, res) != "1" || strings.Contains(res.Header.Get("Vary"), "Sec-Fetch") {
		t.Error("a script after a primary file that is no page")
	}
}

func TestScriptForAnyEncoding(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	large := strings.Repeat(page("large"), 600) // 1.3 MB: streamed
	var noise strings.Builder                   // does not become small, so that the packed form is streamed too
	for rnd := rand.New(rand.NewPCG(1, 2)); noise.Len() < 5<<19; {
		fmt.Fprintf(&noise, "%x ", rnd.Uint64())
	}
	for id, body := range map[sandlot.ProjectID]string{gameID: page("small"), "large-abc234": large, "noise-abc234": noise.String(), "tiny-abc234": "<p>hi"} {
		s.put(id, s.file("index.html", body))
		h := newHandler(s, "localhost")
		for accept, want := range map[string]string{
			"":                        "",
			"gzip, deflate, br, zstd": "gzip",
			"br":                      "",
			"gzip;q=0":                "",
		} {
			if id == "tiny-abc234" {
				want = ""
			}
			w := newRecorder()
			h.ServeOrigin(w, request("GET", "/", document, "Accept-Encoding: "+accept), string(id))
			if got := w.Header().Get("Content-Encoding"); got != want || unpack(t, got, w.Body.Bytes()) != body+ownTag {
				t.Errorf("%s %q: %q", id, accept, got)
			}
			if w.Header().Get("Content-Length") != fmt.Sprint(w.Body.Len()) {
				t.Errorf("%s %q: Content-Length %s for %d", id, accept, w.Header().Get("Content-Length"), w.Body.Len())
			}
		}
	}
}

func TestScriptAndUTF16(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	utf16 := "\xff\xfe<\x00p\x00>\x00\xe9\x00"
	s.put(gameID, s.file("index.html", utf16))
	h := newHandler(s, "localhost")
	if got := bodyOf(t, get(h, "/", document)); got != utf16 {
		t.Errorf("UTF-16: %q", got)
	}
	s.put(gameID, s.file("index.html", "<p>\xe9"))
	if got := bodyOf(t, get(h, "/", document)); got != "<p>\xe9"+ownTag {
		t.Errorf("Latin-1: %q", got)
	}
}

func TestAGzipOfAnotherMakerIsNotContinued(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	// The last block is a fixed one that holds "hello\n": made by gzip -1.
	foreign := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xe7, 2, 0, 0x20, 0x30, 0x3a, 0x36, 6, 0, 0, 0}
	s.packed = map[string]string{"gzip": string(foreign)}
	s.put(gameID, s.file("index.html", page("one")))
	res := get(newHandler(s, "localhost"), "/", document, "Accept-Encoding: gzip")
	if got := bodyOf(t, res); res.Header.Get("Content-Encoding") != "" || got != page("one")+ownTag {
		t.Errorf("%q %.80q", res.Header.Get("Content-Encoding"), got)
	}
}

// TestContinueGzip goes through levels and lengths, so that the last block begins at every bit of a byte.
func TestContinueGzip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for level := -2; level <= 9; level++ {
		var a bytes.Buffer
		k, _ := kgzip.NewWriterLevel(&a, level)
		for i := range 60 {
			body := make([]byte, rnd.IntN(3000))
			for j := range body {
				body[j] = "abcdefgh <>/"[rnd.IntN(4+i%9)]
			}
			a.Reset()
			k.Reset(&a)
			_, _ = k.Write(body)
			_ = k.Close()
			packed := a.Bytes()
			at := len(packed) - gzipEnd
			after := continueGzip(packed[at:], ownTag)
			if after == nil {
				t.Fatalf("level %d: end % x", level, packed[at:])
			}
			if got := unpack(t, "gzip", append(bytes.Clone(packed[:at]), after...)); got != string(body)+ownTag {
				t.Fatalf("level %d: %q", level, got)
			}
		}
	}
}
