package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func has(t *testing.T, h http.Handler, target string, wants ...string) string {
	t.Helper()
	resp := request(h, "GET", target, "")
	body := text(t, resp)
	expect.Equal(t, target+" is", resp.StatusCode, http.StatusOK)
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

// crowded is a house whose gallery has two pages, with bare-abc123 alone on the second.
func crowded(t *testing.T, title string) *world {
	t.Helper()
	w := house(t)
	w.count(gameID, 12345, 1, 3)
	w.later(time.Second)
	for _, id := range w.fill(23, title) {
		w.count(id, 0, 0, 1)
	}
	return w
}

func TestTheGalleryShowsProjectsWithTheirNumbers(t *testing.T) {
	t.Parallel()
	h := crowded(t, "")
	has(t, h, "/", `href="/p/game-abc123"`, "&lt;script&gt;&#34;pong&#34;", `href="/@kim"`, "3 playing now", "12,345 plays", "1 like<", `href="/?sort=newest"`, `href="/?sort=live"`, "curl -F")
	body := has(t, h, "/?sort=newest", `href="/p/game-abc123"`, "&lt;script&gt;&#34;pong&#34;", "12,345 plays", `href="/?sort=newest&amp;after=`, `<a href="/?sort=newest" aria-current="page">`)
	body = has(t, h, next(t, body), `href="/p/bare-abc123"`, ">bare-abc123<", `href="/?sort=newest"`, "noindex")
	if strings.Contains(body, `rel="next"`) || strings.Contains(body, "curl") || strings.Contains(body, "playing now") {
		t.Errorf("the last page is %s", body)
	}
	h.count(bareID, 0, 0, 1)
	h.later(4 * time.Second) // a ranking by players is kept for three
	has(t, h, "/?sort=live", `<a href="/?sort=live" aria-current="page">`, `href="/?sort=live&amp;after=`)
	has(t, h, "/?sort=played", `<a href="/?sort=played" aria-current="page">`)
	for _, target := range []string{"/?sort=oldest", "/tag/x", "/tag/cats?sort=oldest", "/tag/cats?after=!", "/tag/%3Cb%3E/feed.xml", "/?after=!", "/?sort=live&after=%00", "/?q=x&after=!", "/@kim?after=!"} {
		expect.Equal(t, target+" is", request(h, "GET", target, "").StatusCode, http.StatusNotFound)
	}
	resp := request(h, "GET", "/tag/%23Space%20CATS", "")
	expect.Equal(t, "a tag in capitals leads", resp.Header.Get("Location"), "/tag/space-cats")
	expect.Equal(t, "with", resp.StatusCode, http.StatusMovedPermanently)
	has(t, h, "/tag/space-cats", `content="noindex"`, `<a href="/tag/space-cats?sort=newest" aria-current="page">`)
}

// TestALanguageDoesNotEndItsAttribute: the domain keeps no such language, and a page would escape one.
func TestALanguageDoesNotEndItsAttribute(t *testing.T) {
	t.Parallel()
	const attack = `x"><b>`
	h := home(t)
	made, _, err := h.service.Publish(t.Context(), testworld.Nobody(), publish.PublishInput{Content: h.stage("<!doctype html><p>"), Email: "max@example.com", Title: "dropped", Lang: attack})
	if err != nil || made.Project.Lang != "" {
		t.Errorf("the language is %q, %v", made.Project.Lang, err)
	}
	h.later(time.Second)
	h.add(gameID, publish.NewProject{Account: h.kim.account.ID, Title: "escaped", Lang: attack})
	for _, target := range []string{"/", "/?q=escaped", "/@kim", "/p/game-abc123"} {
		if body := has(t, h, target, `lang="x&#34;&gt;&lt;b&gt;"`, "escaped"); strings.Contains(body, "<b>") {
			t.Errorf("on %s it ends the attribute: %s", target, body)
		}
	}
	has(t, h, "/", ">dropped<")
}

func TestAnEmptyGallerySaysSo(t *testing.T) {
	t.Parallel()
	h := home(t)
	has(t, h, "/", "Nothing is listed here yet.", "Be the first", "/llms.txt", `href="/new"`)
	has(t, h, "/?sort=newest", "Nothing is listed here yet.")
	has(t, h, "/?sort=trending", "Nothing has been played this week")
	has(t, h, "/tag/cats", "Nothing has this tag yet.")
	has(t, h, "/?sort=live", "No one is playing right now.")
	has(t, h, "/?q=pong", "No matches.")
	has(t, h, "/@kim", "No projects here yet.")
}

// sought is a gallery that notes what is searched for in it.
type sought struct {
	Gallery
	text string
}

func (s *sought) Search(ctx context.Context, by sandlot.Caller, text, cursor string) (gallery.Page, error) {
	s.text = text
	return s.Gallery.Search(ctx, by, text, cursor)
}

func TestASearchKeepsItsWords(t *testing.T) {
	t.Parallel()
	query := `"><b> ü&x`
	h := home(t)
	h.fill(25, query)
	s := &sought{Gallery: h.cfg.Gallery}
	h.change(func(c *Config) { c.Gallery = s })
	has(t, h, "/?q="+url.QueryEscape(query), `value="&#34;&gt;&lt;b&gt; ü&amp;x"`, `href="/?q=%22%3e%3cb%3e%20%c3%bc%26x&amp;after=`, "noindex")
	expect.Equal(t, "sought was", s.text, query)
	has(t, h, "/?q="+strings.Repeat("ü", 3000))
	expect.Equal(t, "bytes were sought", len(s.text), maxQuery)
	s.text = "nothing"
	if has(t, h, "/?q=+%09", "curl"); s.text != "nothing" {
		t.Errorf("of blanks %q was sought", s.text)
	}
}

func TestAMakersPageIsAtTheCurrentHandle(t *testing.T) {
	t.Parallel()
	h := crowded(t, "")
	body := has(t, h, "/@kim", "<h1>@kim</h1>", `href="/p/game-abc123"`, `href="/@kim?after=`)
	has(t, h, next(t, body), `href="/p/bare-abc123"`, `<a href="/@kim">`)
	for _, old := range []string{"/@lee", "/@Kim", "/@%4cee"} {
		if resp := request(h, "GET", old, ""); resp.StatusCode != http.StatusMovedPermanently || resp.Header.Get("Location") != "/@kim" {
			t.Errorf("%s is %d to %q", old, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	for _, target := range []string{"/@nobody", "/@", "/kim", "/@kim/", "/@kim/x", "/@kim%0d%0aX:y"} {
		expect.Equal(t, target+" is", request(h, "GET", target, "").StatusCode, http.StatusNotFound)
	}
}

func TestAProfileIsSortedAsItsTabsOffer(t *testing.T) {
	t.Parallel()
	h := crowded(t, "")
	h.count(bareID, 99_999, 0, 0)
	for _, as := range []string{"", cookieName + "=kim"} {
		get := func(target string) string {
			return text(t, request(h, "GET", target, "", "Cookie", as))
		}
		newest := get("/@kim")
		for _, want := range []string{`<a href="/@kim" aria-current="page">`, `<a href="/@kim?sort=played">`} {
			if !strings.Contains(newest, want) {
				t.Errorf("as %q it has no %s", as, want)
			}
		}
		body := get("/@kim?sort=played")
		if first := strings.Index(body, `class="card"`); !strings.Contains(body[first:first+300], string(bareID)) {
			t.Errorf("as %q what was played does not come first", as)
		}
		if !strings.Contains(body, `<a href="/@kim?sort=played" aria-current="page">`) || !strings.Contains(body, `<link rel="canonical" href="https://example.com/@kim">`) {
			t.Errorf("as %q: %s", as, body)
		}
		behind := get(next(t, body))
		if !strings.Contains(behind, `<a href="/@kim?sort=played">`) || strings.Contains(behind, `href="/p/`+string(bareID)) {
			t.Errorf("as %q the next page is %s", as, behind)
		}
		expect.Equal(t, "in no order", request(h, "GET", "/@kim?sort=live", "", "Cookie", as).StatusCode, http.StatusNotFound)
	}
	expect.Equal(t, "pages are kept", len(h.fronts.kept), 2)
	one := home(t)
	one.fill(1, "")
	if strings.Contains(has(t, one, "/@kim", `href="/p/more-000000"`), "?sort=") {
		t.Error("one project can be sorted")
	}
}

func TestProfilesArePagesAndMistypedEndpointsAreNot(t *testing.T) {
	t.Parallel()
	p := house(t)
	for path, want := range map[string]bool{"/": true, "/@kim": true, "/@": true, "/@kim/x": true, "/x": false, "/x@kim": false, "/v2/publish": false, "/publish": false} {
		if p.Has(path) != want {
			t.Errorf("a page at %s: %v", path, !want)
		}
	}
}

// emptied is a gallery that has nothing any more as soon as it is told so.
type emptied struct {
	Gallery
	empty bool
}

func (e *emptied) Browse(ctx context.Context, by sandlot.Caller, sort gallery.Sort, cursor string) (gallery.Page, error) {
	page, err := e.Gallery.Browse(ctx, by, sort, cursor)
	if e.empty {
		page = gallery.Page{}
	}
	return page, err
}

func (e *emptied) Home(ctx context.Context, by sandlot.Caller) (gallery.Home, error) {
	h, err := e.Gallery.Home(ctx, by)
	if e.empty {
		h = gallery.Home{}
	}
	return h, err
}

// TestASuspendedProjectIsGoneFromTheFrontPageWithinASecond: the page was kept for one, and the list in it for two.
func TestASuspendedProjectIsGoneFromTheFrontPageWithinASecond(t *testing.T) {
	t.Parallel()
	p := house(t)
	has(t, p, "/", string(gameID))
	p.suspend(gameID)
	p.later(450 * time.Millisecond) // the page is made anew, of the list before
	request(p, "GET", "/", "")
	p.later(450 * time.Millisecond)
	if body := text(t, request(p, "GET", "/", "")); strings.Contains(body, string(gameID)) {
		t.Error("it is still shown")
	}
}

func TestAFirstPageIsRenderedNowAndThen(t *testing.T) {
	t.Parallel()
	p := house(t)
	p.count(gameID, 12345, 0, 0)
	g := &emptied{Gallery: p.cfg.Gallery}
	p.change(func(c *Config) { c.Gallery = g })
	has(t, p, "/", "12,345 plays")
	g.empty = true
	has(t, p, "/", "12,345 plays")
	has(t, p, "/?sort=played", "Nothing has been played this week")
	if body := text(t, request(p, "GET", "/", "", "Accept-Language", "de")); !strings.Contains(body, "Hier ist noch nichts zu sehen.") {
		t.Errorf("in another language it is %s", body)
	}
	if body := text(t, asKim(p, "GET", "/", "")); !strings.Contains(body, ">kim<") || strings.Contains(body, "\x00") || strings.Contains(body, `href="/login"`) {
		t.Errorf("with a login it is %s", body)
	}
	p.later(time.Second)
	has(t, p, "/", "Nothing is listed here yet.")
	if body := text(t, request(p, "HEAD", "/", "")); body != "" {
		t.Errorf("HEAD is answered with %s", body)
	}
	for _, sort := range []string{"oldest", "x"} {
		request(p, "GET", "/?sort="+sort, "")
	}
	expect.Equal(t, "pages are kept", len(p.fronts.kept), 4)
}

// TestRegression27AnEmptyGallerySaysWhatIsMissing: it said that nothing is listed, and not why.
func TestRegression27AnEmptyGallerySaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	h := home(t, testworld.With(func(c *publish.Config) { c.Public = true }))
	if body := has(t, h, "/"); strings.Contains(body, "waiting") {
		t.Error("nothing waits, and the page says that something does")
	}
	stranger := must(h.service.Signup(t.Context(), testworld.Nobody(), publish.SignupInput{Handle: "stranger"}))(t).Account.ID
	made := 0
	for _, c := range []struct {
		waiting int
		want    string
	}{
		{1, "1 project is waiting"}, {2, "2 projects are waiting"}, {gallery.MostWaiting - 1, "999 projects are waiting"}, {gallery.MostWaiting, "A thousand projects or more"},
	} {
		for ; made < c.waiting; made++ {
			h.add(sandlot.ProjectID(fmt.Sprintf("late-%06d", made)), publish.NewProject{Account: stranger})
		}
		h.later(time.Minute)
		has(t, h, "/", "Nothing is listed here yet.", c.want)
		if body := text(t, request(h, "GET", "/", "", "Accept-Language", "de")); c.waiting == 2 && !strings.Contains(body, "2 Projekte sind noch nicht zu sehen") {
			t.Errorf("in German: %s", body)
		}
	}
}
