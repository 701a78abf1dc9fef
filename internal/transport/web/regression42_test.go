package web

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRegression31NumbersTakeTheFormsOfTheirLanguage: 1,000,000,001 was a singular, and in French and Portuguese so was a billion.
func TestRegression31NumbersTakeTheFormsOfTheirLanguage(t *testing.T) {
	t.Parallel()
	b := openBook()
	for lang, all := range map[string]map[int64]string{
		"en":      {0: "0 plays", 1: "1 play", 2: "2 plays", 1_000_000_001: "1,000,000,001 plays", math.MaxInt64: "9,223,372,036,854,775,807 plays"},
		"de":      {1: "1-mal gespielt", 1_000_001: "1.000.001-mal gespielt"},
		"es":      {0: "0 partidas", 1: "1 partida", 1234: "1234 partidas", 1_000_000: "1.000.000 de partidas", 1_000_001: "1.000.001 partidas"},
		"fr":      {0: "0 partie", 1: "1 partie", 2: "2 parties", 1234: "1\u202f234 parties", 2_000_000: "2\u202f000\u202f000 de parties", 1_000_000_000: "1\u202f000\u202f000\u202f000 de parties", 1_000_000_001: "1\u202f000\u202f000\u202f001 parties"},
		"pt":      {0: "0 partida", 1: "1 partida", 2: "2 partidas", 3_000_000: "3.000.000 de partidas", 1_000_000_000: "1.000.000.000 de partidas"},
		"zh-Hans": {1: "1 次游玩", 1_000_000_000: "1,000,000,000 次游玩"},
	} {
		for n, want := range all {
			if got := b.say(lang, "gallery.plays", "n", n); got != want {
				t.Errorf("%s says %q of %d, wanted %q", lang, got, n, want)
			}
		}
	}
}

// TestRegression31EveryLanguageHasItsForms: of languages that the service does not speak, too, so that one can be added.
func TestRegression31EveryLanguageHasItsForms(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string][]string{
		"en": {"one", "other"}, "de": {"one", "other"}, "es": {"many", "one", "other"}, "fr": {"many", "one", "other"}, "pt": {"many", "one", "other"},
		"ja": {"other"}, "zh-Hans": {"other"}, "pl": {"few", "many", "one", "other"}, "ar": {"few", "many", "one", "other", "two", "zero"},
	} {
		if got := slices.Sorted(slices.Values(formsOf(lang))); !slices.Equal(got, want) {
			t.Errorf("%s has %v, wanted %v", lang, got, want)
		}
	}
}

// TestRegression42CountedTextsHaveEveryForm: a text has one form that fits any number, or all of its language.
func TestRegression42CountedTextsHaveEveryForm(t *testing.T) {
	t.Parallel()
	for lang, texts := range openBook().ByLang {
		want := slices.Sorted(slices.Values(formsOf(lang)))
		for name, forms := range texts {
			if got := slices.Sorted(maps.Keys(forms)); len(got) > 1 && !slices.Equal(got, want) || forms["other"] == "" {
				t.Errorf("%s in %s has %v, wanted %v", name, lang, got, want)
			}
		}
	}
}

// someNumbers are near every place where a rule or a way of writing changes.
var someNumbers = []int64{
	0, 1, 2, 3, 10, 11, 21, 100, 101, 999, 1000, 1001, 1234, 9999, 10_000, 12_345, 100_000, 999_999, 1_000_000, 1_000_001, 2_000_000,
	1_234_567, 21_000_000, 1_000_000_000, 1_000_000_001, 5_000_000_000, 9_007_199_254_740_991,
}

// TestRegression42NumbersAreWrittenAsBrowsersDo: a script that changes a number or its label must not change how they are written.
func TestRegression42NumbersAreWrittenAsBrowsersDo(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	run(t, ctx, chromedp.Navigate("about:blank"))
	numbers, err := json.Marshal(someNumbers)
	expect.OK(t, err)
	for _, lang := range openBook().Langs {
		said := run(t, ctx, chromedp.Evaluate[[]string](fmt.Sprintf(`%s.map((n) => new Intl.PluralRules(%q).select(n) + ' ' + new Intl.NumberFormat(%[2]q).format(n))`, numbers, lang)))
		for i, n := range someNumbers {
			if got := formOf(lang, n) + " " + numberOf(lang, n); got != said[i] {
				t.Errorf("%d in %s is %q, and %q in a browser", n, lang, got, said[i])
			}
		}
		if got, want := tenthsOf(lang, 12), run(t, ctx, chromedp.Evaluate[string](fmt.Sprintf(`new Intl.NumberFormat(%q).format(1.2)`, lang))); got != want {
			t.Errorf("a decimal in %s is %q, and %q in a browser", lang, got, want)
		}
	}
}

// TestRegression42LabelsFollowTheirNumbers: the page said "1 plays" after the number had changed.
func TestRegression42LabelsFollowTheirNumbers(t *testing.T) {
	t.Parallel()
	ctx, g := testenv.Engine(t), newPlayground(t)
	plays := int64(1234)
	played := func(n int64) {
		g.count(gameID, n-plays, 0, 0)
		plays = n
	}
	run(t, ctx, chromedp.Navigate("about:blank"))
	kept := map[string]any{"source": `const Stream = window.EventSource; window.EventSource = class extends Stream { constructor(url) { super(url); window.stream = this; } }`}
	run(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		return tab.Call(ctx, "Page.addScriptToEvaluateOnNewDocument", kept, nil)
	}))
	for _, c := range []struct {
		lang string
		at   []int64
		want []string
	}{
		{"en", []int64{1, 2, 1}, []string{"1 play", "2 plays", "1 play"}},
		{"fr", []int64{2, 0, 1_000_000, 1_000_001}, []string{"2 parties", "0 partie", "1\u202f000\u202f000 de parties", "1\u202f000\u202f001 parties"}},
	} {
		run(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			return tab.Call(ctx, "Network.setExtraHTTPHeaders", map[string]any{"headers": map[string]string{"Accept-Language": c.lang}}, nil)
		}))
		played(c.at[0])
		run(t, ctx, chromedp.Navigate("http://localhost:"+g.port+"/p/game-abc123"))
		for i, want := range c.want {
			if i < 2 {
				played(c.at[i]) // the server tells of a change once a second
			} else {
				run(t, ctx, chromedp.Evaluate[bool](fmt.Sprintf(`stream.onmessage({ data: '{"player_count":0,"plays":%d,"likes":0}' }), true`, c.at[i])))
			}
			await(t, ctx, fmt.Sprintf(`((dd) => dd.textContent + ' ' + dd.closest('div').querySelector('dt').textContent)(document.querySelector('[data-plays]')) === %q`, want))
		}
	}
}

// TestRegression42SizesHaveTheUnitsOfTheirLanguage: they were KB and MB everywhere, behind a blank at which a line could break.
func TestRegression42SizesHaveTheUnitsOfTheirLanguage(t *testing.T) {
	t.Parallel()
	p := &Pages{book: openBook()}
	for lang, all := range map[string]map[int64]string{
		"en":      {0: "0\u00a0bytes", 1: "1\u00a0byte", 999: "999\u00a0bytes", 1000: "1\u00a0KB", 1024: "1\u00a0KB", 49_370: "48.2\u00a0KB", 102_360: "100\u00a0KB", 1_023_486: "999\u00a0KB", 1_023_489: "1\u00a0MB", 100 << 20: "100\u00a0MB", 1 << 30: "1\u00a0GB"},
		"de":      {1: "1\u00a0Byte", 2: "2\u00a0Byte", 1536: "1,5\u00a0KB", 1000 << 40: "1.000\u00a0TB"},
		"fr":      {0: "0\u00a0octet", 1: "1\u00a0octet", 2: "2\u00a0octets", 1536: "1,5\u00a0Ko", 100 << 20: "100\u00a0Mo", 3 << 29: "1,5\u00a0Go"},
		"es":      {2: "2\u00a0bytes", 3 << 19: "1,5\u00a0MB"},
		"pt":      {1: "1\u00a0byte", 3 << 19: "1,5\u00a0MB"},
		"ja":      {5: "5\u00a0バイト", 3 << 19: "1.5\u00a0MB"},
		"zh-Hans": {5: "5\u00a0字节", 3 << 19: "1.5\u00a0MB"},
	} {
		for bytes, want := range all {
			if got := (view{visit: &visit{Pages: p, lang: lang}}).Size(bytes); got != want {
				t.Errorf("%d bytes in %s are %q, wanted %q", bytes, lang, got, want)
			}
		}
	}
}

// TestRegression42UploadsAreRefusedInTheVisitorsLanguage: beside it stood what the API says, in English.
func TestRegression42UploadsAreRefusedInTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	b, h := openBook(), house(t)
	for code, name := range map[sandlot.Code]string{
		sandlot.CodeInvalidFilename: "own.bad-name", sandlot.CodeFilenameConflict: "own.conflict", sandlot.CodeFileNotFound: "own.no-file", sandlot.CodeQuotaExceeded: "own.quota",
		sandlot.CodeKeyInContent: "own.key-inside", sandlot.CodeInvalidField: "own.empty-primary", sandlot.CodeDoubleEncoded: "own.encoded", sandlot.CodeContentTooLarge: "own.file-large",
	} {
		for _, lang := range b.Langs {
			h.fail("Rearrange", publish.FileError{Name: "lib/<b>.js", Err: sandlot.Refuse(code, "In English.")})
			expect.OK(t, h.account.SetLang(t.Context(), h.owner("kim"), lang))
			resp := asKim(h, "POST", ownAt+"/primary", "form_token=o&file=%3Cb%3E.js")
			body := text(t, resp)
			if resp.StatusCode != http.StatusUnprocessableEntity || strings.Contains(body, "In English.") || !strings.Contains(html.UnescapeString(body), b.say(lang, name)) || !strings.Contains(body, "<bdi>lib/&lt;b&gt;.js</bdi>") {
				t.Errorf("%s in %s: %d %s", code, lang, resp.StatusCode, body)
			}
		}
	}
}
