package texts

import (
	"context"
	"encoding/json"
	"fmt"
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
	"sandlot/internal/testkit/wording"
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
			for form, text := range forms(whole) {
				if !strings.Contains(strings.ToLower(text), strings.ToLower(forms(shown)[form])) {
					t.Errorf("%s in %s is %q, which lacks %q", name, lang, text, forms(shown)[form])
				}
			}
		}
	}
}

// forms returns the forms of a text by category.
func forms(t Words) map[string]string {
	all := map[string]string{"one": t.One, "many": t.Many, "other": t.Other}
	maps.DeleteFunc(all, func(_, form string) bool { return form == "" })
	return all
}

// placeholders are those of any form.
func placeholders(t Words) []string {
	var all []string
	for _, form := range forms(t) {
		all = append(all, placeholder.FindAllString(form, -1)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
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

// formsOf are the categories that a language uses for whole numbers. Every language has "other", even if no whole number needs it.
func formsOf(lang string) []string {
	forms := []string{"other"}
	for n := range int64(2000) { // rules about more than three digits are about whole millions alone
		forms = append(forms, formOf(lang, n), formOf(lang, n*million))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

func TestRegression31EveryLanguageHasItsForms(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string][]string{
		"en": {"one", "other"}, "de": {"one", "other"}, "es": {"many", "one", "other"}, "fr": {"many", "one", "other"}, "pt": {"many", "one", "other"},
		"ja": {"other"}, "zh-Hans": {"other"},
	} {
		if got := formsOf(lang); !slices.Equal(got, want) {
			t.Errorf("%s has %v, wanted %v", lang, got, want)
		}
	}
}

// TestRegression42CountedTextsHaveEveryForm: a text has one form that fits any number, or all of its language.
func TestRegression42CountedTextsHaveEveryForm(t *testing.T) {
	t.Parallel()
	for lang, texts := range Open().ByLang {
		want := formsOf(lang)
		for name, words := range texts {
			if got := slices.Sorted(maps.Keys(forms(words))); len(got) > 1 && !slices.Equal(got, want) || words.Other == "" {
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

// notWritten are what is not written in words: names of months and units, and how dates and times are put together.
var notWritten = regexp.MustCompile(`^(?:date|size)\.|^figures\.(?:hours|minutes|seconds)`)

// TestRegression42NoTextBreaksARuleOfItsLanguage: German, Chinese and Portuguese pages addressed people in two
// ways, French blanks broke lines, and one thing had several names.
func TestRegression42NoTextBreaksARuleOfItsLanguage(t *testing.T) {
	t.Parallel()
	for lang, texts := range Open().ByLang {
		for name, words := range texts {
			for _, form := range forms(words) {
				for _, fault := range wording.Faults(lang, form) {
					t.Errorf("%s in %s has %s", name, lang, fault)
				}
			}
		}
	}
}

// glossary has the words for things, by texts that say hardly more.
var glossary = map[string]map[string]string{
	"account.overview":       {"en": "Projects", "de": "Projekte", "es": "Proyectos", "fr": "Projets", "pt": "Projetos", "ja": "作品", "zh-Hans": "作品"},
	"own.version":            {"en": "Version", "de": "Version", "es": "Versión", "fr": "Version", "pt": "Versão", "ja": "バージョン", "zh-Hans": "版本"},
	"gallery.likes":          {"en": "like", "de": "Like", "es": "me gusta", "fr": "j’aime", "pt": "curtida", "ja": "いいね", "zh-Hans": "赞"},
	"gallery.plays":          {"en": "play", "de": "-mal gespielt", "es": "partida", "fr": "partie", "pt": "partida", "ja": "プレイ", "zh-Hans": "次游玩"},
	"gallery.players":        {"en": "playing now", "de": "gerade", "es": "jugando ahora", "fr": "en train de jouer", "pt": "jogando agora", "ja": "プレイ中", "zh-Hans": "正在玩"},
	"settings.handle":        {"en": "Handle", "de": "Benutzername", "es": "Nombre de usuario", "fr": "Nom d’utilisateur", "pt": "Nome de usuário", "ja": "ハンドル", "zh-Hans": "用户名"},
	"settings.handle-label":  {"en": "handle", "de": "Benutzername", "es": "nombre de usuario", "fr": "nom d’utilisateur", "pt": "nome de usuário", "ja": "ハンドル", "zh-Hans": "用户名"},
	"settings.handle-taken":  {"en": "handle", "de": "Benutzername", "es": "nombre de usuario", "fr": "nom d’utilisateur", "pt": "nome de usuário", "ja": "ハンドル", "zh-Hans": "用户名"},
	"keys.title":             {"en": "API keys", "de": "API-Schlüssel", "es": "Claves de API", "fr": "Clés d’API", "pt": "Chaves de API", "ja": "API キー", "zh-Hans": "API 密钥"},
	"own.listed":             {"en": "gallery", "de": "Galerie", "es": "galería", "fr": "galerie", "pt": "galeria", "ja": "ギャラリー", "zh-Hans": "作品库"},
	"report.send":            {"en": "report", "de": "Meldung", "es": "denuncia", "fr": "signalement", "pt": "denúncia", "ja": "報告", "zh-Hans": "举报"},
	"error.taken-down.title": {"en": "Taken down", "de": "Gesperrt", "es": "Retirado", "fr": "Retiré", "pt": "Fora do ar", "ja": "公開停止", "zh-Hans": "已下架"},
	"settings.email":         {"en": "Recovery email", "de": "Wiederherstellungsadresse", "es": "Dirección de recuperación", "fr": "Adresse de récupération", "pt": "Endereço de recuperação", "ja": "復旧用メールアドレス", "zh-Hans": "恢复邮箱"},
	"undo.done":              {"en": "recovery email", "de": "Wiederherstellungsadresse", "es": "dirección de recuperación", "fr": "adresse de récupération", "pt": "endereço de recuperação", "ja": "復旧用メールアドレス", "zh-Hans": "恢复邮箱"},
}

func TestRegression42OneWordForEachThing(t *testing.T) {
	t.Parallel()
	b := Open()
	for name, words := range glossary {
		for _, lang := range b.Langs {
			for category, form := range forms(b.ByLang[lang][name]) {
				if words[lang] == "" || !strings.Contains(form, words[lang]) {
					t.Errorf("%s (%s) in %s has no %q: %q", name, category, lang, words[lang], form)
				}
			}
		}
	}
}

// sameAsEnglish are the texts that a language has in common with English, by chance.
var sameAsEnglish = map[string][]string{
	"de": {"desk.why-illegal", "figures.likes", "figures.version", "settings.link", "account.likes", "gallery.likes", "like.like", "keys.name", "own.version", "project.version", "own.version-of", "own.details", "own.diff-text", "own.name", "own.tags", "tag.3d", "tag.action", "tag.demo", "tag.shooter", "tag.simulation", "home.curl", "gallery.tags"},
	"es": {"home.curl", "gallery.tags", "tag.3d", "tag.demo"},
	"ja": {"home.curl", "gallery.tags", "tag.3d", "tag.rpg"}, "pt": {"figures.site", "settings.link", "home.curl", "gallery.tags", "own.tags", "tag.3d", "tag.demo", "tag.rpg"}, "zh-Hans": {"home.curl", "gallery.tags", "tag.3d"},
	"fr": {"board.score", "desk.description", "desk.notes", "object.words", "foot.docs", "figures.site", "figures.version", "home.curl", "gallery.tags", "own.version", "project.version", "own.versions", "own.description", "own.version-of", "own.more-options", "own.tags", "tag.3d", "tag.action", "tag.art", "tag.simulation"},
}

var (
	latin  = regexp.MustCompile(`\{[a-z]+\}|[A-Za-z][A-Za-z0-9.]+`)
	common = []string{"API", "AI", "curl", "llms.txt", "HTML", "HTTP", "HTTPS", "index.html", "name", "example.com", "dist", "ID", "QR", "URL", "ZIP", "UTC", "Sandlot", "base64", "gzip", "JavaScript", "RPG", "PNG", "JPEG", "WebP", "MB", "GB", "WASD", "viewport", "meta", "CSV", "https", "http", "og", "image", "cover", "en", "ja", "pt", "BR", "zh", "Hans", "WebGL", "Promise"}
)

func TestRegression42NothingWasLeftInEnglish(t *testing.T) {
	t.Parallel()
	b := Open()
	for _, lang := range b.Langs[1:] {
		for name, words := range b.ByLang[lang] {
			if notWritten.MatchString(name) {
				continue
			}
			for _, form := range forms(words) {
				if same := form == b.ByLang[catalog.Fallback][name].Other; same != (same && slices.Contains(sameAsEnglish[lang], name)) {
					t.Errorf("%s in %s is as in English: %q", name, lang, form)
				}
				if lang != "ja" && lang != "zh-Hans" {
					continue
				}
				for _, word := range latin.FindAllString(form, -1) {
					if word[0] != '{' && !slices.Contains(common, word) {
						t.Errorf("%s in %s has the word %q", name, lang, word)
					}
				}
			}
		}
	}
}

// anyNumber are the texts with a number in one form that fits each, and why: it is a day, or always the same number and
// more than one, or stands behind a colon, or says "and so many more".
var anyNumber = []string{
	"date.nth", "desk.files-more", "desk.networks", "desk.note-bad", "desk.projects", "desk.reports", "desk.reports-closed", "desk.reports-open",
	"desk.same-account-n", "desk.same-hash-n", "desk.same-network-n", "desk.text-long", "keys.name-bad", "new.count", "object.bad", "object.hint", "own.beyond", "own.description-long", "own.diff-cut", "report.details-bad", "report.details-hint",
	"said.desk-dismiss", "said.desk-hold", "said.desk-take-down", "said.desk-take-down-account", "settings.line-long", "tell.hint", "tell.wrong", "verify.more",
}

// TestRegression42TextsWithANumberHaveItsForms: see TestRegression42CountedTextsHaveEveryForm for which forms those are.
func TestRegression42TextsWithANumberHaveItsForms(t *testing.T) {
	t.Parallel()
	for lang, texts := range Open().ByLang {
		for name, words := range texts {
			counted := strings.Contains(words.Other, "{n}")
			if counted && len(forms(words)) < len(formsOf(lang)) && !slices.Contains(anyNumber, name) {
				t.Errorf("%s in %s has one form for all numbers: %q", name, lang, words.Other)
			}
		}
	}
	for _, name := range anyNumber {
		if !strings.Contains(Open().ByLang[catalog.Fallback][name].Other, "{n}") {
			t.Errorf("%s has no number", name)
		}
	}
}

// TestRegression42TheNoticePageNamesTheLinkAsTheMessageDoes: it sends people to a link of the message by its words.
func TestRegression42TheNoticePageNamesTheLinkAsTheMessageDoes(t *testing.T) {
	t.Parallel()
	b := Open()
	for _, lang := range b.Langs {
		data, err := os.ReadFile("../../../storage/mail/messages/" + lang + ".json")
		var messages map[string]map[string]string
		if err == nil {
			err = json.Unmarshal(data, &messages)
		}
		expect.OK(t, err)
		if button := messages["email-notice"]["button"]; button == "" || !strings.Contains(Voice{lang}.T("not-me.notice"), button) {
			t.Errorf("in %s the button %q is not in %q", lang, button, Voice{lang}.T("not-me.notice"))
		}
	}
}
