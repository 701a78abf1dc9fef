package web

import (
	"errors"
	"fmt"
	"html"
	"image/jpeg"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// chess is a project with a title that has to be escaped.
var chess = publish.NewProject{Title: `Chess "<b>&`}

// about is what is said of it.
var about = publish.Details{Title: chess.Title, Description: "It is <i>old</i>.\nBe quick."}

// board is a home whose game is one of chess, or of such words.
func board(t *testing.T, np publish.NewProject, opts ...testworld.Option) *world {
	t.Helper()
	w := home(t, opts...)
	np.Account = w.kim.account.ID
	w.add(gameID, np)
	for n := range 6 {
		w.put(gameID, n+1, "a.js", "")
	}
	w.describe(about)
	w.count(gameID, 1234, 56, 3)
	return w
}

// noContent takes the projects' own addresses away.
var noContent = testworld.With(func(c *publish.Config) { c.Places.Content = "" })

func TestTheProjectsPageShowsItWithItsMakerAndVersion(t *testing.T) {
	t.Parallel()
	body := text(t, request(board(t, chess), "GET", "/p/game-abc123", ""))
	for _, want := range []string{
		`<h1 dir="auto">Chess &#34;&lt;b&gt;&amp;</h1>`, `href="/@kim"`, `Version 7 · <time data-as="day" datetime="2026-05-04T12:00:00Z">May 4, 2026`, "1,234",
		`dir="auto">It is &lt;i&gt;old&lt;/i&gt;.`, `property="og:description" content="It is &lt;i&gt;old&lt;/i&gt;.`,
		`<link rel="canonical" href="https://example.com/p/game-abc123">`, `property="og:image" content="https://example.com/p/game-abc123/card.jpg?v=`,
		`href="https://game-abc123.example.net/" target="_blank" rel="noopener"`, `src="/p/game-abc123/code.svg"`, `href="/report?project=game-abc123"`,
	} {
		if !strings.Contains(body, want) && !strings.Contains(body, html.UnescapeString(want)) {
			t.Errorf("it has no %s", want)
		}
	}
	for _, never := range []string{"<b>", "noindex", " style=", " onclick"} {
		if strings.Contains(body, never) {
			t.Errorf("it has %s", never)
		}
	}
}

// TestRegression42ATitleSaysItsLanguage: without it Chinese was written with the characters of Japanese, and read aloud as the page's own language.
func TestRegression42ATitleSaysItsLanguage(t *testing.T) {
	t.Parallel()
	h := board(t, publish.NewProject{Title: chess.Title, Described: publish.Described{Lang: "zh-Hans"}})
	body := text(t, request(h, "GET", "/p/game-abc123", ""))
	for _, want := range []string{`<h1 dir="auto" lang="zh-Hans">`, `<p class="description" dir="auto" lang="zh-Hans">`} {
		if !strings.Contains(body, want) {
			t.Errorf("it has no %s", want)
		}
	}
	token := h.claim("max", "max@example.com")
	h.add("chess-abc123", publish.NewProject{Account: h.accountOf("max"), Title: "象棋", Described: publish.Described{Lang: "zh-Hans"}})
	for what, page := range map[string]string{
		"the report's":       text(t, request(h, "GET", "/report?project=game-abc123", "")),
		"the confirmation's": text(t, request(h, "POST", "/verify", "token="+token, "Sec-Fetch-Site", "same-origin")),
	} {
		expect.Contains(t, what+" is", page, `<bdi lang="zh-Hans">`)
	}
}

func TestNothingOfAProjectIsLoadedBeforeAGesture(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/p/game-abc123", "/embed/game-abc123"} {
		body := text(t, request(board(t, chess), "GET", target, ""))
		before, rest, _ := strings.Cut(body, "<template>")
		_, after, found := strings.Cut(rest, "</template>")
		if !found || strings.Contains(before+after, "<iframe src") || !strings.Contains(rest, `<iframe src="https://game-abc123.example.net/"`) {
			t.Errorf("%s has its frame elsewhere: %s", target, body)
		}
	}
}

func TestAProjectWithThreadsHasThemInItsFrame(t *testing.T) {
	t.Parallel()
	without, threaded, apart := board(t, chess), board(t, chess), board(t, chess, noContent)
	threaded.describe(publish.Details{Threads: true})
	apart.describe(publish.Details{Threads: true})
	for name, c := range map[string]struct {
		h          *world
		path, want string
	}{
		"with threads":          {threaded, "/p/game-abc123", "require-corp"},
		"without":               {without, "/p/game-abc123", ""},
		"without an own origin": {apart, "/p/game-abc123", ""},
		"in a page of others":   {threaded, "/embed/game-abc123", ""},
	} {
		expect.Equal(t, name, request(c.h, "GET", c.path, "").Header.Get("Cross-Origin-Embedder-Policy"), c.want)
	}
}

func TestTheFrameMayDoWhatGamesNeedAndNoMore(t *testing.T) {
	t.Parallel()
	for h, own := range map[*world]bool{board(t, chess): true, board(t, chess, noContent): false} {
		body := text(t, request(h, "GET", "/p/game-abc123", ""))
		_, frame, _ := strings.Cut(body, "<template><iframe ")
		frame, _, _ = strings.Cut(frame, ">")
		if strings.Contains(frame, "allow-same-origin") != own {
			t.Errorf("with content under %q its origin is wrong: %s", h.places.Content, frame)
		}
		for _, want := range []string{"allow-scripts", "allow-pointer-lock", "allow-forms", "allow-popups", "allow-downloads", "allow-storage-access-by-user-activation", `allow="autoplay; fullscreen; gamepad; `, "cross-origin-isolated"} {
			if !strings.Contains(frame, want) {
				t.Errorf("it lacks %s", want)
			}
		}
		if strings.Contains(frame, "top-navigation") || strings.Contains(frame, "escape") {
			t.Errorf("it may leave: %s", frame)
		}
	}
}

// TestRegressionM38APageSpeaksTheVisitorsLanguage, and that of its project where the visitor's browser asks for none of ours.
func TestRegressionM38APageSpeaksTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	german := board(t, publish.NewProject{Described: publish.Described{Lang: "de-CH"}})
	for _, target := range []string{"/p/game-abc123", "/embed/game-abc123"} {
		for accepted, want := range map[string][2]string{"fr": {"fr", "Jouer"}, "en-GB,en;q=0.8": {"en", "Play"}, "hu": {"de", "Spielen"}, "": {"de", "Spielen"}} {
			resp := request(german, "GET", target, "", "Accept-Language", accepted)
			if lang := resp.Header.Get("Content-Language"); lang != want[0] || !strings.Contains(text(t, resp), want[1]) {
				t.Errorf("%s is in %q for a browser that asks for %q", target, lang, accepted)
			}
		}
	}
}

func TestUnlistedAndUnverifiedProjectsAreKeptFromSearchEngines(t *testing.T) {
	t.Parallel()
	h := board(t, chess)
	h.describe(publish.Details{Unlisted: true})
	h.claim("max", "max@example.com")
	h.add("unproved-abc123", publish.NewProject{Account: h.accountOf("max")})
	for _, p := range []sandlot.ProjectID{gameID, "unproved-abc123"} {
		resp := request(h, "GET", "/p/"+string(p), "")
		if resp.StatusCode != http.StatusOK || resp.Header.Get("X-Robots-Tag") != "noindex" || !strings.Contains(text(t, resp), `<meta name="robots" content="noindex">`) {
			t.Errorf("%s is shown to search with %d", p, resp.StatusCode)
		}
	}
}

func TestPagesOfMissingProjectsAndFaultsSaySo(t *testing.T) {
	t.Parallel()
	h, down, gone := house(t), house(t), house(t)
	down.fail("Project", errors.New("down"))
	gone.suspend(gameID)
	for _, target := range []string{"/p/%s", "/p/%s/card.jpg", "/p/%s/code.svg", "/embed/%s"} {
		expect.Equal(t, target+" of nothing", request(h, "GET", fmt.Sprintf(target, "other-abc123"), "").StatusCode, http.StatusNotFound)
		expect.Equal(t, target+" of what is no id", request(h, "GET", fmt.Sprintf(target, strings.Repeat("x", 1000)), "").StatusCode, http.StatusNotFound)
		expect.Equal(t, target+" with a store that is down", request(down, "GET", fmt.Sprintf(target, "game-abc123"), "").StatusCode, http.StatusInternalServerError)
		expect.Equal(t, target+" taken down", request(gone, "GET", fmt.Sprintf(target, "game-abc123"), "").StatusCode, http.StatusUnavailableForLegalReasons)
	}
}

func TestAnEmbeddedFrameMayBeAnywhereAndKnowsNobody(t *testing.T) {
	t.Parallel()
	resp := request(board(t, chess), "GET", "/embed/game-abc123", "", "Cookie", cookieName+"=kim", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "iframe")
	csp := resp.Header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "frame-ancestors *") || strings.Contains(csp, "'none'; frame-ancestors 'none'") || resp.Header.Get("Cross-Origin-Opener-Policy") != "" {
		t.Errorf("its policy is %s", csp)
	}
	if resp.Header.Get("X-Robots-Tag") != "noindex" || resp.Header.Get("Set-Cookie") != "" || resp.Header.Get("Content-Language") != "en" {
		t.Errorf("its headers are %v", resp.Header) // kim speaks French
	}
	if body := text(t, resp); strings.Contains(body, "/account") || strings.Count(body, "<h1") != 1 {
		t.Errorf("it is %s", body)
	}
}

func TestACardIsAPictureThatIsSentOnce(t *testing.T) {
	t.Parallel()
	h := board(t, chess)
	resp := request(h, "GET", "/p/game-abc123/card.jpg", "")
	img, err := jpeg.Decode(resp.Body)
	if err != nil || resp.Header.Get("Content-Type") != "image/jpeg" || img.Bounds().Dx() != 1200 || img.Bounds().Dy() != 630 {
		t.Fatalf("it is %v %v", resp.Header, err)
	}
	tag := resp.Header.Get("ETag")
	expect.Equal(t, "asked again", request(h, "GET", "/p/game-abc123/card.jpg", "", "If-None-Match", tag).StatusCode, http.StatusNotModified)
	must(h.account.Rename(t.Context(), h.owner("kim"), "kim2"))(t)
	if other := request(h, "HEAD", "/p/game-abc123/card.jpg", ""); other.Header.Get("ETag") == tag || text(t, other) != "" {
		t.Errorf("of another creator it is the same")
	}
}

func TestTheAddressOfACardIsOfWhatItShows(t *testing.T) {
	t.Parallel()
	h := board(t, chess)
	named := regexp.MustCompile(`property="og:image" content="https://example.com(/p/game-abc123/card.jpg\?v=[\w-]{16})"`)
	address := func() string {
		return string(named.FindSubmatch([]byte(text(t, request(h, "GET", "/p/game-abc123", ""))))[1])
	}
	first := address()
	kept := func() string { return request(h, "HEAD", first, "").Header.Get("Cache-Control") }
	expect.Equal(t, "kept", kept(), "public, max-age=31536000, immutable, s-maxage=25")
	must(h.account.Rename(t.Context(), h.owner("kim"), "kim2"))(t)
	expect.Equal(t, "kept once it shows something else", kept(), "public, max-age=3600, s-maxage=25")
	if address() == first {
		t.Error("the page names the card that was")
	}
}

func TestTheCodeIsAPictureOfThePagesAddress(t *testing.T) {
	t.Parallel()
	resp := request(board(t, chess), "GET", "/p/game-abc123/code.svg", "")
	body := text(t, resp)
	if resp.Header.Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(body, "<svg ") || strings.Contains(body, "%!") || strings.Contains(body, "Chess") {
		t.Errorf("it is %s", body)
	}
}
