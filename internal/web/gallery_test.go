package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot/internal/publish"
)

// galleryFake has two pages of a gallery, and kim, who was once called lee.
type galleryFake struct {
	nothing bool
	waiting int
	sought  string
}

func (f *galleryFake) page(cursor string) (publish.Page, error) {
	switch {
	case f.nothing:
		return publish.Page{Waiting: f.waiting}, nil
	case cursor == "":
		hostile := publish.Project{ID: "game-abc123", Handle: "kim", Title: `<script>"pong"`, Lang: `x"><b>`}
		return publish.Page{Cards: []publish.Card{{Project: hostile, Stats: publish.Stats{Players: 3, Plays: 12345, Likes: 1}}}, Next: "2a"}, nil
	case cursor == "2a":
		return publish.Page{Cards: []publish.Card{{Project: publish.Project{ID: "bare-abc123", Handle: "kim"}}}}, nil
	}
	return publish.Page{}, publish.ErrNotFound
}

func (f *galleryFake) Browse(_ context.Context, _ publish.Caller, by publish.Sort, cursor string) (publish.Page, error) {
	if by != publish.SortNewest && by != publish.SortPlayed && by != publish.SortLive {
		return publish.Page{}, publish.ErrNotFound
	}
	return f.page(cursor)
}

func (f *galleryFake) Search(_ context.Context, _ publish.Caller, text, cursor string) (publish.Page, error) {
	f.sought = text
	return f.page(cursor)
}

func (f *galleryFake) Profile(_ context.Context, _ publish.Caller, handle, cursor string) (string, publish.Page, error) {
	switch handle {
	case "kim":
		page, err := f.page(cursor)
		return "kim", page, err
	case "lee":
		return "kim", publish.Page{}, nil
	}
	return "", publish.Page{}, publish.ErrNotFound
}

func has(t *testing.T, h http.Handler, target string, wants ...string) string {
	t.Helper()
	resp := request(h, "GET", target, "")
	body := text(t, resp)
	if resp.StatusCode != http.StatusOK {
		t.Errorf("%s is %d", target, resp.StatusCode)
	}
	for _, want := range wants {
		if !strings.Contains(body, want) {
			t.Errorf("%s has no %s:\n%s", target, want, body)
		}
	}
	if n := strings.Count(body, "<h1"); n != 1 {
		t.Errorf("%s has %d h1", target, n)
	}
	return body
}

func TestTheGalleryShowsProjectsWithTheirNumbers(t *testing.T) {
	h := pages(&service{})
	body := has(t, h, "/", `href="/p/game-abc123"`, "&lt;script&gt;&#34;pong&#34;", `href="/@kim"`, "3 playing now", "12,345 plays", "1 like<", `href="/?sort=newest&amp;after=2a"`, `<a href="/" aria-current="page">`)
	if strings.Contains(body, "<b>") {
		t.Errorf("a language ends its attribute: %s", body)
	}
	body = has(t, h, "/?sort=newest&after=2a", `href="/p/bare-abc123"`, ">bare-abc123<", `href="/?sort=newest"`, "noindex")
	if strings.Contains(body, `rel="next"`) || strings.Contains(body, "curl") || strings.Contains(body, "playing now") {
		t.Errorf("the last page is %s", body)
	}
	has(t, h, "/?sort=live", `<a href="/?sort=live" aria-current="page">`, `href="/?sort=live&amp;after=2a"`)
	has(t, h, "/?sort=played", `<a href="/?sort=played" aria-current="page">`)
	for _, target := range []string{"/?sort=oldest", "/?after=x", "/?sort=live&after=%00", "/?q=x&after=x", "/@kim?after=x"} {
		if resp := request(h, "GET", target, ""); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s is %d", target, resp.StatusCode)
		}
	}
}

func TestAnEmptyGallerySaysSo(t *testing.T) {
	h := pages(&service{galleryFake: galleryFake{nothing: true}})
	has(t, h, "/", "Nothing is listed here yet.")
	has(t, h, "/?sort=live", "No one is playing right now.")
	has(t, h, "/?q=pong", "No matches.")
	has(t, h, "/@kim", "No projects here yet.")
}

func TestASearchKeepsItsWords(t *testing.T) {
	s := &service{}
	h := pages(s)
	query := `"><b> ü&x`
	has(t, h, "/?q="+url.QueryEscape(query), `value="&#34;&gt;&lt;b&gt; ü&amp;x"`, `href="/?q=%22%3e%3cb%3e%20%c3%bc%26x&amp;after=2a"`, "noindex")
	if s.sought != query {
		t.Errorf("sought was %q", s.sought)
	}
	has(t, h, "/?q="+strings.Repeat("ü", 3000))
	if len(s.sought) != maxQuery {
		t.Errorf("%d bytes were sought", len(s.sought))
	}
	s.sought = "nothing"
	if has(t, h, "/?q=+%09", "curl"); s.sought != "nothing" {
		t.Errorf("of blanks %q was sought", s.sought)
	}
}

func TestAMakersPageIsAtTheHandleOfNow(t *testing.T) {
	h := pages(&service{})
	has(t, h, "/@kim", "<h1>@kim</h1>", `href="/p/game-abc123"`, `href="/@kim?after=2a"`)
	has(t, h, "/@kim?after=2a", `href="/p/bare-abc123"`, `<a href="/@kim">`)
	for _, old := range []string{"/@lee", "/@Kim", "/@%4cee"} {
		if resp := request(h, "GET", old, ""); resp.StatusCode != http.StatusMovedPermanently || resp.Header.Get("Location") != "/@kim" {
			t.Errorf("%s is %d to %q", old, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	for _, target := range []string{"/@nobody", "/@", "/kim", "/@kim/", "/@kim/x", "/@kim%0d%0aX:y"} {
		if resp := request(h, "GET", target, ""); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s is %d", target, resp.StatusCode)
		}
	}
}

func TestProfilesArePagesAndMistypedEndpointsAreNot(t *testing.T) {
	p := pages(&service{})
	for path, want := range map[string]bool{"/": true, "/@kim": true, "/@": true, "/@kim/x": true, "/x": false, "/x@kim": false, "/v2/publish": false, "/publish": false} {
		if p.Has(path) != want {
			t.Errorf("a page at %s: %v", path, !want)
		}
	}
}

func TestAFirstPageIsRenderedOnceASecond(t *testing.T) {
	s := &service{}
	p := pages(s)
	now := time.Now()
	p.Now = func() time.Time { return now }
	has(t, p, "/", "12,345 plays")
	s.nothing = true
	has(t, p, "/", "12,345 plays")
	has(t, p, "/?sort=played", "Nothing is listed here yet.")
	if body := text(t, request(p, "GET", "/", "", "Accept-Language", "de")); !strings.Contains(body, "Hier ist noch nichts zu sehen.") {
		t.Errorf("in another language it is %s", body)
	}
	if body := text(t, asKim(p, "GET", "/", "")); strings.Contains(body, "12,345") || !strings.Contains(body, ">kim<") {
		t.Errorf("with a login it is %s", body)
	}
	now = now.Add(time.Second)
	has(t, p, "/", "Nothing is listed here yet.")
	if body := text(t, request(p, "HEAD", "/", "")); body != "" {
		t.Errorf("HEAD is answered with %s", body)
	}
	for _, sort := range []string{"oldest", "x"} {
		request(p, "GET", "/?sort="+sort, "")
	}
	if n := len(p.fronts.kept); n != 3 {
		t.Errorf("%d pages are kept", n)
	}
}

// TestRegression27AnEmptyGallerySaysWhatIsMissing: it said that nothing is listed, and not why.
func TestRegression27AnEmptyGallerySaysWhatIsMissing(t *testing.T) {
	for waiting, want := range map[int]string{
		1: "1 project is waiting", 2: "2 projects are waiting", publish.MostWaiting - 1: "999 projects are waiting", publish.MostWaiting: "A thousand projects or more",
	} {
		has(t, pages(&service{galleryFake: galleryFake{nothing: true, waiting: waiting}}), "/", "Nothing is listed here yet.", want)
	}
	if body := has(t, pages(&service{galleryFake: galleryFake{nothing: true}}), "/"); strings.Contains(body, "waiting") {
		t.Error("nothing waits, and the page says that something does")
	}
	resp := request(pages(&service{galleryFake: galleryFake{nothing: true, waiting: 2}}), "GET", "/", "", "Accept-Language", "de")
	if body := text(t, resp); !strings.Contains(body, "2 Projekte sind noch nicht zu sehen") {
		t.Errorf("in German: %s", body)
	}
}
