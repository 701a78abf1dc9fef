package web

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// exported are files as a game engine names them, in the order of names.
func exported(n int) (list []sandlot.File) {
	for i := range n {
		hash := sha256.Sum256(fmt.Append(nil, i))
		list = append(list, fileOf(fmt.Sprintf("assets/%05d-%x.png", i, hash[:16]), strings.Repeat("x", i%100)))
	}
	return list
}

// shipped is a house whose game has these files, which come before its page.
func shipped(t *testing.T, files []sandlot.File) *world {
	t.Helper()
	h := house(t)
	h.rearrange(gameID, 3, publish.Change{Drop: []sandlot.File{fileOf("<b>.js", "two")}, Put: files})
	return h
}

var (
	loads  = regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`)
	boxes  = regexp.MustCompile(`name="file" value="([^"]*)"><label>`)
	onward = regexp.MustCompile(`<a rel="next" href="([^"#]+)#files"`)
)

// visited is how many bytes a page of kim's takes with what it loads, and the page.
func visited(t *testing.T, h http.Handler, target string) (size int, page string) {
	t.Helper()
	resp := request(h, "GET", target, "", "Cookie", cookieName+"=kim", "Accept-Encoding", "gzip")
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("%s is %d, packed with %q", target, resp.StatusCode, resp.Header.Get("Content-Encoding"))
	}
	sent := text(t, resp)
	unpacked := must(io.ReadAll(must(gzip.NewReader(strings.NewReader(sent)))(t)))(t)
	size = len(sent)
	for _, found := range loads.FindAllSubmatch(unpacked, -1) {
		size += len(text(t, request(h, "GET", html.UnescapeString(string(found[1])), "", "Accept-Encoding", "gzip")))
	}
	return size, string(unpacked)
}

// TestPagesOfTenThousandFilesHaveEachOnceInOrder turns all of them as a list, and opens those that differ: the first two and the last.
func TestPagesOfTenThousandFilesHaveEachOnceInOrder(t *testing.T) {
	t.Parallel()
	files := exported(9_999)
	h := shipped(t, files)
	all := must(h.service.Reader.Manage(t.Context(), h.owner("kim"), gameID))(t)
	var got, want []string
	at, turned := "", 0
	for {
		page := listFiles(all.Files, wantedFiles{In: "assets/", After: at})
		var names []string
		for _, f := range page.Rows {
			names = append(names, f.Path)
		}
		if turned < 2 || turned >= 99 {
			opened(t, h, at, names, page.Next)
		}
		got = append(got, names...)
		if turned++; page.Next == "" {
			break
		}
		if at = page.Next; turned > 100 {
			t.Fatal("the pages have no end")
		}
	}
	for _, f := range files {
		want = append(want, f.Name)
	}
	if !slices.Equal(got, want) || turned != 100 {
		t.Errorf("%d pages have %d files", turned, len(got))
	}
}

// opened checks that the page after a file has these files, leads on to those after next, and is short on its way.
func opened(t *testing.T, h http.Handler, after string, names []string, next string) {
	t.Helper()
	target := ownAt + "?in=assets/"
	if after != "" {
		target += "&after=" + url.QueryEscape(after)
	}
	size, body := visited(t, h, target)
	if size > maxFirstVisit {
		t.Errorf("%s takes %d bytes", target, size)
	}
	var got []string
	for _, found := range boxes.FindAllStringSubmatch(body, -1) {
		got = append(got, html.UnescapeString(found[1]))
	}
	if !slices.Equal(got, names) {
		t.Errorf("%s has %q, wanted %q", target, got, names)
	}
	if back := strings.Contains(body, `href="`+ownAt+`?in=assets%2f#files"`); back != (after != "") {
		t.Errorf("%s leads back to the start: %v", target, back)
	}
	var to string
	if found := onward.FindStringSubmatch(body); found != nil {
		to = must(url.Parse(html.UnescapeString(found[1])))(t).Query().Get("after")
	}
	if to != next {
		t.Errorf("%s leads on to %q, wanted %q", target, to, next)
	}
}

func TestAPageWithWordsThatAreNoPlaceInItsListIsNotPacked(t *testing.T) {
	t.Parallel()
	files := exported(450)
	h := shipped(t, files)
	for query, packed := range map[string]bool{"?in=assets/": true, "?in=assets/&after=" + url.QueryEscape(files[199].Name): true, "?in=assets/&x=y&after=" + url.QueryEscape(files[199].Name): false} {
		resp := request(h, "GET", ownAt+query, "", "Cookie", cookieName+"=kim", "Accept-Encoding", "gzip")
		if is := resp.Header.Get("Content-Encoding") == "gzip"; is != packed {
			t.Errorf("%q is packed: %v", query, is)
		}
	}
}
