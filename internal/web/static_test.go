package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"testing"
)

func TestFilesOfPagesArePackedForWhoTakesIt(t *testing.T) {
	h := pages(&service{})
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
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(unpacked); string(body) != whole || err != nil {
			t.Errorf("unpacked it is %d bytes of %d, %v", len(body), len(whole), err)
		}
	}
	packed, plain := request(h, "GET", "/static/site.css", "", "Accept-Encoding", "gzip"), request(h, "GET", "/static/site.css", "")
	if packed.Header.Get("ETag") == plain.Header.Get("ETag") || packed.ContentLength >= plain.ContentLength {
		t.Errorf("packed %s of %d, plain %s of %d", packed.Header.Get("ETag"), packed.ContentLength, plain.Header.Get("ETag"), plain.ContentLength)
	}
}
