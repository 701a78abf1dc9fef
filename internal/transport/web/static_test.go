package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestStaticFilesAreCompressedForBrowsersThatAcceptIt(t *testing.T) {
	t.Parallel()
	h := house(t)
	whole := text(t, request(h, "GET", "/static/site.css", ""))
	for accepted, want := range map[string]string{
		"": "", "br": "", "gzip;q=0": "", "gzip; q=0.0": "", "gzip": "gzip", "br, GZIP": "gzip", "deflate, gzip;q=0.5, br": "gzip",
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

func TestALongPageIsPackedUnlessItsAddressHasWordsOfSomebodyElse(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	const long = "/account"
	h.open(t, look{as: "ada"}, "en")
	for target, want := range map[string]string{long: "gzip", long + "?x=harbor": "", "/account/settings": ""} {
		resp := request(h, "GET", target, "", "Accept-Encoding", "gzip")
		if got := resp.Header.Get("Content-Encoding"); got != want || resp.StatusCode != http.StatusOK || !slices.Contains(resp.Header.Values("Vary"), "Accept-Encoding") {
			t.Errorf("%s is %d, packed with %q", target, resp.StatusCode, got)
		}
	}
	if resp := request(h, "GET", long, ""); resp.Header.Get("Content-Encoding") != "" {
		t.Error("it is packed for who takes no gzip")
	}
}
