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
	"time"

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
	listed = regexp.MustCompile(`name="file" value="([^"]*)"><label>`)
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
	for _, found := range listed.FindAllStringSubmatch(body, -1) {
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

func TestAnInvalidPageOfFilesShowsTheFirst(t *testing.T) {
	t.Parallel()
	files := exported(450)
	files[200].Name = `assets/00200 &"<i>#?%.png`
	files[200].Folded = files[200].Name
	h := shipped(t, files)
	for after, first := range map[string]string{
		"nothing": files[0].Name, "\xff\x00": files[0].Name, "zzz": files[0].Name, strings.Repeat("x", 10_000): files[0].Name,
		files[199].Name: files[200].Name, files[200].Name: files[201].Name,
	} {
		resp := asKim(h, "GET", ownAt+"?in=assets/&after="+url.QueryEscape(after), "")
		found := listed.FindStringSubmatch(text(t, resp))
		if resp.StatusCode != http.StatusOK || found == nil || html.UnescapeString(found[1]) != first {
			t.Errorf("after %.50q: %d, %q", after, resp.StatusCode, found)
		}
	}
	exact := shipped(t, files[:ownFilesPage])
	if body := text(t, asKim(exact, "GET", ownAt+"?in=assets/", "")); strings.Contains(body, `class="pager"`) {
		t.Error("a whole page leads to one without files")
	}
}

func TestARefusedNameIsOnThePageThatSaysSo(t *testing.T) {
	t.Parallel()
	files := exported(450)
	resp := asKim(shipped(t, files), "POST", ownAt+"/move", url.Values{"form_token": {"o"}, "file": {files[420].Name}, "to": {"typed?"}}.Encode())
	body := text(t, resp)
	if found := listed.FindStringSubmatch(body); found == nil || found[1] != files[400].Name {
		t.Errorf("the page begins with %q", found)
	}
	if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, `value="typed?"`) || !strings.Contains(body, "<details class=\"file-menu\" name=\"file-menu\" open>") {
		t.Errorf("it is %d, or has lost what was typed", resp.StatusCode)
	}
}

func TestAKeyForOneOfManyProjects(t *testing.T) {
	t.Parallel()
	h := home(t)
	h.add(gameID, publish.NewProject{Account: h.kim.account.ID})
	h.later(time.Second)
	for i := range 100 {
		h.add(sandlot.ProjectID(fmt.Sprintf("game-%06d", i)), publish.NewProject{Account: h.kim.account.ID, Title: strings.Repeat(fmt.Sprintf("<b>%d ", i), 40)})
	}
	if size, _ := visited(t, h, "/account/keys"); size > maxFirstVisit {
		t.Errorf("it takes %d bytes", size)
	}
	body := text(t, asKim(h, "GET", "/account/keys?project=game-abc123", ""))
	for _, want := range []string{`name="project" list="projects"`, `value="game-abc123" aria-describedby="project-hint"`, `<option value="game-000099" dir="auto">&lt;b&gt;99`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(body, `<select id="project"`) || strings.Count(body, "<option value=\"game-") != 100 {
		t.Errorf("the projects to choose from are %d", strings.Count(body, "<option value=\"game-"))
	}
	for project, status := range map[string]int{"+game-abc123+": http.StatusOK, "another": http.StatusNotFound, "": http.StatusNotFound} {
		if resp := asKim(h, "POST", "/account/keys", "name=x&form_token=n"+url.QueryEscape(project)+"&project="+project); resp.StatusCode != status {
			t.Errorf("for %q: %d", project, resp.StatusCode)
		}
	}
	for name, status := range map[string]int{"x": http.StatusNotFound, "": http.StatusUnprocessableEntity} {
		resp := asKim(h, "POST", "/account/keys", "form_token=of"+name+"&name="+name+"&project="+url.QueryEscape(`"><script>`))
		if body := text(t, resp); resp.StatusCode != status || strings.Contains(body, "<script>") {
			t.Errorf("what was typed with the name %q: %d", name, resp.StatusCode)
		}
	}
	for i := range 98 { // beside the one that it came with, and the one above
		must(h.service.Keyring.MintKey(t.Context(), h.owner("kim"), publish.NewKey{Project: gameID, Name: "x", Form: fmt.Sprint(i)}))(t)
	}
	resp := asKim(h, "POST", "/account/keys", "name=x&form_token=last&project=game-abc123")
	if body := text(t, resp); resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, `value="game-abc123"`) {
		t.Errorf("what was typed is lost: %d", resp.StatusCode)
	}
}
