package texts

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sandlot/internal/base/catalog"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

func TestRegression42TranslationsHaveTheSamePlaceholders(t *testing.T) {
	t.Parallel()
	b := Open()
	for name, en := range b.ByLang[catalog.Fallback] {
		want := placeholders(en)
		for lang, texts := range b.ByLang {
			if got := placeholders(texts[name]); !slices.Equal(got, want) {
				t.Errorf("%s in %s has %v, wanted %v", name, lang, got, want)
			}
		}
	}
}

// TestAButtonsNameHasItsVisibleText: somebody who speaks to the browser says what stands on the button (WCAG 2.5.3). "NAME-one" is the name of a
// button that shows "NAME".
func TestAButtonsNameHasItsVisibleText(t *testing.T) {
	t.Parallel()
	for lang, texts := range Open().ByLang {
		for name, whole := range texts {
			shown, ok := texts[strings.TrimSuffix(name, "-one")]
			if !ok || !strings.HasSuffix(name, "-one") {
				continue
			}
			for form, text := range whole {
				if !strings.Contains(strings.ToLower(text), strings.ToLower(shown[form])) {
					t.Errorf("%s in %s is %q, which lacks %q", name, lang, text, shown[form])
				}
			}
		}
	}
}

// placeholders are those of any form.
func placeholders(t Words) []string {
	var all []string
	for _, form := range t {
		all = append(all, placeholder.FindAllString(form, -1)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestTextsAreChosenByLanguageAndNumber(t *testing.T) {
	t.Parallel()
	b := Open()
	for header, want := range map[string]string{
		"": "en", "de-AT,de;q=0.9": "de", "zh-CN": "zh-Hans", "pt-BR,pt": "pt", "tlh": "en", "ja;q=0.5, fr": "fr", strings.Repeat("x,", 5000): "en",
	} {
		if got, _ := b.Nearest(header); got != want {
			t.Errorf("%.20q gets %s, wanted %s", header, got, want)
		}
	}
	if _, ok := b.Nearest("not a tag"); ok {
		t.Error("a malformed tag has a language")
	}
}

// TestEveryAreaIsRead: a folder that the pattern does not find would be silent.
func TestEveryAreaIsRead(t *testing.T) {
	t.Parallel()
	dirs, err := os.ReadDir(".")
	expect.OK(t, err)
	for _, d := range dirs {
		if !d.IsDir() {
			continue
		}
		list, _ := fs.Glob(files, d.Name()+"/*.json")
		if len(list) != 7 {
			t.Errorf("%s has %d languages", d.Name(), len(list))
		}
	}
}

// TestRegression31NumbersTakeTheFormsOfTheirLanguage: 1,000,000,001 was a singular, and in French and Portuguese so was a billion.
func TestRegression31NumbersTakeTheFormsOfTheirLanguage(t *testing.T) {
	t.Parallel()
	for lang, all := range map[string]map[int64]string{
		"en":      {0: "0 plays", 1: "1 play", 2: "2 plays", 1_000_000_001: "1,000,000,001 plays", math.MaxInt64: "9,223,372,036,854,775,807 plays"},
		"de":      {1: "1-mal gespielt", 1_000_001: "1.000.001-mal gespielt"},
		"es":      {0: "0 partidas", 1: "1 partida", 1234: "1234 partidas", 1_000_000: "1.000.000 de partidas", 1_000_001: "1.000.001 partidas"},
		"fr":      {0: "0 partie", 1: "1 partie", 2: "2 parties", 1234: "1\u202f234 parties", 2_000_000: "2\u202f000\u202f000 de parties", 1_000_000_000: "1\u202f000\u202f000\u202f000 de parties", 1_000_000_001: "1\u202f000\u202f000\u202f001 parties"},
		"pt":      {0: "0 partida", 1: "1 partida", 2: "2 partidas", 3_000_000: "3.000.000 de partidas", 1_000_000_000: "1.000.000.000 de partidas"},
		"zh-Hans": {1: "1 次游玩", 1_000_000_000: "1,000,000,000 次游玩"},
	} {
		for n, want := range all {
			if got := (Voice{lang}).T("gallery.plays", "n", n); got != want {
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
	for lang, texts := range Open().ByLang {
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

func run[T any](t *testing.T, ctx context.Context, action chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(ctx, action)
	expect.OK(t, err)
	return v
}

// TestRegression42NumbersAreWrittenAsBrowsersDo: a script that changes a number or its label must not change how they are written.
func TestRegression42NumbersAreWrittenAsBrowsersDo(t *testing.T) {
	t.Parallel()
	ctx := testenv.Engine(t)
	run(t, ctx, chromedp.Navigate("about:blank"))
	numbers, err := json.Marshal(someNumbers)
	expect.OK(t, err)
	for _, lang := range Open().Langs {
		voice := Voice{lang}
		said := run(t, ctx, chromedp.Evaluate[[]string](fmt.Sprintf(`%s.map((n) => new Intl.PluralRules(%q).select(n) + ' ' + new Intl.NumberFormat(%[2]q).format(n))`, numbers, lang)))
		for i, n := range someNumbers {
			if got := formOf(lang, n) + " " + voice.Whole(n); got != said[i] {
				t.Errorf("%d in %s is %q, and %q in a browser", n, lang, got, said[i])
			}
		}
		if got, want := voice.Tenths(12), run(t, ctx, chromedp.Evaluate[string](fmt.Sprintf(`new Intl.NumberFormat(%q).format(1.2)`, lang))); got != want {
			t.Errorf("a decimal in %s is %q, and %q in a browser", lang, got, want)
		}
	}
}

// TestRegression42SizesHaveTheUnitsOfTheirLanguage: they were KB and MB everywhere, behind a blank at which a line could break.
func TestRegression42SizesHaveTheUnitsOfTheirLanguage(t *testing.T) {
	t.Parallel()
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
			if got := (Voice{lang}).Size(bytes); got != want {
				t.Errorf("%d bytes in %s are %q, wanted %q", bytes, lang, got, want)
			}
		}
	}
}

// TestRegression42DaysAreWrittenAsPeopleDo: French and Portuguese have a first of the month.
func TestRegression42DaysAreWrittenAsPeopleDo(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string][2]string{"fr": {">1er ", ">2 "}, "pt": {">1º de ", ">2 de "}, "de": {">1. ", ">2. "}, "ja": {"月1日", "月2日"}} {
		for i, day := range want {
			v := Voice{lang}
			at := time.Date(2026, 5, i+1, 23, 30, 0, 0, time.UTC)
			if said := string(v.Date(at)); !strings.Contains(said, day) {
				t.Errorf("a day in %s is %s, wanted %s", lang, said, day)
			}
			if said := string(v.Time(at.In(time.FixedZone("", 3600)))); !strings.Contains(said, day) || !strings.HasSuffix(said, "23:30\u00a0UTC</time>") {
				t.Errorf("a time in %s is %s, wanted %s", lang, said, day)
			}
		}
	}
}

// TestRegression42WhatStandsBesideATimeIsEscaped: a text that has a time in it is HTML.
func TestRegression42WhatStandsBesideATimeIsEscaped(t *testing.T) {
	t.Parallel()
	v := Voice{"en"}
	got := string(v.Rich("not-me.logins-stopped", "email", `<b>"&`, "until", v.Time(time.Date(2026, 2, 3, 4, 5, 0, 0, time.UTC))))
	if !strings.Contains(got, "&lt;b&gt;&#34;&amp;") || !strings.Contains(got, `<time data-as="time" datetime="2026-02-03T04:05:00Z">`) {
		t.Error(got)
	}
}

func TestMain(m *testing.M) { testenv.Main(m) }
