package web

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/web/texts"
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

func TestASearchKeepsItsWords(t *testing.T) {
	t.Parallel()
	query := `"><b> ü&x`
	h := home(t)
	h.fill(25, query)
	has(t, h, "/?q="+url.QueryEscape(query), `value="&#34;&gt;&lt;b&gt; ü&amp;x"`, `href="/?q=%22%3e%3cb%3e%20%c3%bc%26x&amp;after=`, "noindex")
	has(t, h, "/?q="+strings.Repeat("ü", 3000), `value="`+strings.Repeat("ü", maxQuery/2)+`"`)
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
	has(t, p, "/", string(gameID))
	p.add("late-abc123", publish.NewProject{Account: p.kim.account.ID})
	p.later(frontFor - time.Millisecond)
	body := text(t, asKim(p, "GET", "/", ""))
	if !strings.Contains(body, ">kim<") || strings.Contains(body, "\x00") || strings.Contains(body, `href="/login"`) || strings.Contains(body, "late-abc123") {
		t.Errorf("with a login it is %s", body)
	}
	p.later(time.Second)
	has(t, p, "/", "late-abc123")
	if body := text(t, request(p, "HEAD", "/", "")); body != "" {
		t.Errorf("HEAD is answered with %s", body)
	}
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

// TestWhoHasLeftIsNoFaultOfTheService: nobody reads what is answered, but 500 would be counted as a fault.
func TestWhoHasLeftIsNoFaultOfTheService(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.fail("Project", context.Canceled)
	expect.Equal(t, "the status", request(h, "GET", "/p/"+string(gameID), "").StatusCode, http.StatusServiceUnavailable)
}

func TestWhoFindsNothingCanSearchAndPlay(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.count(gameID, 5, 1, 0)
	for _, path := range []string{"/nothing", "/p/none-abc123", "/@nobody"} {
		testenv.Eventually(t, 30*time.Second, path+" offers a search and projects", func() bool {
			h.later(time.Second) // nobody waits for a list that takes long
			resp := request(h, "GET", path, "")
			body := text(t, resp)
			return resp.StatusCode == http.StatusNotFound && strings.Contains(body, `role="search"`) && strings.Contains(body, `href="/p/game-abc123"`)
		})
	}
}

func TestWhoFindsNothingDoesNotNeedTheDatabase(t *testing.T) {
	t.Parallel()
	h := house(t)
	expect.OK(t, h.db.Close())
	resp := request(h, "GET", "/nothing", "")
	if body := text(t, resp); resp.StatusCode != http.StatusNotFound || !strings.Contains(body, `role="search"`) || strings.Contains(body, `class="cards"`) {
		t.Errorf("it is %d: %s", resp.StatusCode, body)
	}
}

func TestAFaultOffersNothingElse(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.fail("Project", errors.New("broken on purpose"))
	resp := request(h, "GET", "/p/"+string(sandlot.ProjectID("other-abc123")), "")
	if body := text(t, resp); resp.StatusCode != http.StatusInternalServerError || strings.Contains(body, `href="/random"`) || strings.Contains(body, `class="cards"`) {
		t.Errorf("it is %d: %s", resp.StatusCode, body)
	}
}

func TestTheFeedIsXMLWhateverATitleHas(t *testing.T) {
	t.Parallel()
	p := house(t)
	resp := request(p, "GET", "/feed.xml", "")
	body := text(t, resp)
	var got struct{}
	expect.OK(t, xml.Unmarshal([]byte(body), &got))
	expect.Equal(t, "the newest is there", strings.Contains(body, "&lt;script&gt;&#34;pong&#34;"), true)
	again := request(p, "GET", "/feed.xml", "", "If-None-Match", resp.Header.Get("ETag"))
	expect.Equal(t, "the same again is", again.StatusCode, http.StatusNotModified)
}

func TestSuggestionsAreEscaped(t *testing.T) {
	t.Parallel()
	p := house(t)
	body := text(t, request(p, "GET", "/search?q=pong", ""))
	if !strings.Contains(body, `data-to="/p/game-abc123"`) || !strings.Contains(body, "&lt;script&gt;") || strings.Contains(body, "<script") {
		t.Error(body)
	}
	expect.Equal(t, "of nothing", text(t, request(p, "GET", "/search?q=", "")), "")
}

// cardsTemplate is what cards are, in a language that escapes by itself.
const cardsTemplate = `<ul class="cards">
{{range .Data}}<li class="card">
{{template "cover" .Project}}
<p class="card-title"><a href="/p/{{.Project.ID}}" dir="auto"{{with .Project.Lang}} lang="{{.}}"{{end}}>{{or .Project.Title .Project.ID}}</a></p>
{{if ne $.Title (print "@" .Project.Handle)}}<p class="card-maker"><a href="/@{{.Project.Handle}}">@{{.Project.Handle}}</a></p>
{{end}}<p class="card-counts">{{if .Stats.Players}}<span class="live">{{$.T "gallery.players" "n" .Stats.Players}}</span>
{{end}}{{if gt .Stats.Plays 0}}<span>{{$.T "gallery.plays" "n" .Stats.Plays}}</span>
{{end}}{{if gt .Stats.Likes 0}}<span>{{$.T "gallery.likes" "n" .Stats.Likes}}</span>{{end}}</p>
</li>
{{end}}</ul>
{{- define "cover"}}{{if .Cover}}<img class="cover" src="/i/{{.Cover.File 640}}" srcset="/i/{{.Cover.File 320}} 320w, /i/{{.Cover.File 640}} 640w" sizes="(min-width: 40rem) 18rem, 45vw" width="640" height="360" alt="" loading="lazy" decoding="async">
{{- else}}<span class="cover tile hue-{{hue .ID}} {{size .}}" aria-hidden="true"><span dir="auto"{{with .Lang}} lang="{{.}}"{{end}}>{{or .Title .ID}}</span></span>{{end}}{{end}}`

// TestCardsAreWhatATemplateMakesOfThem: whatever people wrote, in all languages, on all pages.
func TestCardsAreWhatATemplateMakesOfThem(t *testing.T) {
	t.Parallel()
	written := template.Must(template.New("cards").Funcs(template.FuncMap{
		"hue":  cover.HueOf,
		"size": func(p sandlot.Project) string { return titleSize(cmp.Or(p.Title, string(p.ID))) },
	}).Parse(cardsTemplate))
	var list []gallery.Card
	for i, title := range []string{"", "Pong", `"><script>alert('1')</script>`, "&amp; <b> \x00 ' ` = {{.}}", "カービィ \u202e 麻雀", strings.Repeat("é", 200), "-->", "\xff\xfe"} {
		for _, lang := range []string{"", "de", `x"><b>`} {
			list = append(list, gallery.Card{
				Project: sandlot.Project{
					ID: sandlot.ProjectID([]string{"game-abc123", "a-000000"}[i%2]), Handle: []string{"kim", "lee-2"}[i/2%2], Title: title, Lang: lang,
					Cover: []sandlot.PictureID{"", "", "", "jabc234", "pxyz567"}[i%5],
				},
				Stats: sandlot.Stats{Players: i % 3, Plays: int64(i * i * 1234567), Likes: int64(i) - 1},
			})
		}
	}
	for _, lang := range []string{"en", "de", "es", "fr", "ja", "pt", "zh-Hans"} {
		for _, title := range []string{"Sandlot", "@kim"} {
			v := view{visit: &visit{Voice: texts.Voice{Lang: lang}}, Title: title, Data: list}
			var want strings.Builder
			expect.OK(t, written.Execute(&want, v))
			expect.Equal(t, lang+" on "+title, string(v.Cards(list)), want.String())
		}
	}
}

// BenchmarkCards writes a page of them.
func BenchmarkCards(b *testing.B) {
	v := view{visit: &visit{Voice: texts.Voice{Lang: "en"}}, Title: "Sandlot"}
	list := make([]gallery.Card, 24)
	for i := range list {
		list[i] = gallery.Card{Project: sandlot.Project{ID: sandlot.ProjectID("game-abc1" + string(rune('a'+i))), Handle: "kim", Title: "A title"}, Stats: sandlot.Stats{Plays: int64(i), Likes: 1}}
	}
	for b.Loop() {
		v.Cards(list)
	}
}
