package web

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot/internal/base/catalog"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/testkit/expect"
)

// used finds the names of texts in templates and in Go: T "name", T("name"). Names of problems begin with error.
var used = regexp.MustCompile(`(?:\bT |\bRich |\bT\(|\bRich\()"([a-z0-9.-]+)"`)

// namesInUse are the names that the code says. A problem has a title and a text.
func namesInUse(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, pattern := range []string{"*.go", "templates/*.html"} {
		list, err := filepath.Glob(pattern)
		expect.OK(t, err)
		for _, name := range list {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			data, err := os.ReadFile(name)
			expect.OK(t, err)
			for _, m := range used.FindAllStringSubmatch(string(data), -1) {
				names[m[1]] = true
			}
			if strings.HasSuffix(name, ".go") {
				for _, m := range regexp.MustCompile(`"(said\.[a-z-]+)"`).FindAllStringSubmatch(string(data), -1) {
					names[m[1]] = true
				}
				for _, m := range regexp.MustCompile(`, "(error\.[a-z-]+)"`).FindAllStringSubmatch(string(data), -1) {
					if m[1] == "error.html" {
						continue // a template
					}
					names[m[1]+".title"], names[m[1]+".text"] = true, true
				}
			}
		}
	}
	for _, kind := range []string{"added", "changed", "moved", "removed"} {
		names["own.is-"+kind], names["own.sum-"+kind] = true, true
	}
	for _, name := range paperTexts {
		names[name] = true
	}
	for _, tag := range gallery.KnownTags() {
		names[tagName+tag] = true
	}
	return names
}

// TestRegression42EveryTextIsThereInEveryLanguageAndUsed: one that no page says was kept in seven languages.
func TestRegression42EveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	t.Parallel()
	b := openBook()
	want := []string{"en", "de", "es", "fr", "ja", "pt", "zh-Hans"}
	if got := slices.Sorted(maps.Keys(b.ByLang)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Fatalf("the languages are %v", got)
	}
	inUse := namesInUse(t)
	for lang, texts := range b.ByLang {
		for name := range inUse {
			if _, ok := texts[name]; !ok {
				t.Errorf("%s has no %s", lang, name)
			}
		}
		for name := range texts {
			if !inUse[name] {
				t.Errorf("nothing says %s, which is in %s", name, lang)
			}
			if _, ok := b.ByLang[catalog.Fallback][name]; !ok {
				t.Errorf("%s is in %s alone", name, lang)
			}
		}
		if len(texts) != len(b.ByLang[catalog.Fallback]) {
			t.Errorf("%s has %d texts, %s has %d", lang, len(texts), catalog.Fallback, len(b.ByLang[catalog.Fallback]))
		}
	}
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

func TestRegression42TranslationsHaveTheSamePlaceholders(t *testing.T) {
	t.Parallel()
	b := openBook()
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
	for lang, texts := range openBook().ByLang {
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
func placeholders(t words) []string {
	var all []string
	for _, form := range t {
		all = append(all, placeholder.FindAllString(form, -1)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestTextsAreChosenByLanguageAndNumber(t *testing.T) {
	t.Parallel()
	b := openBook()
	for header, want := range map[string]string{
		"": "en", "de-AT,de;q=0.9": "de", "zh-CN": "zh-Hans", "pt-BR,pt": "pt", "tlh": "en", "ja;q=0.5, fr": "fr", strings.Repeat("x,", 5000): "en",
	} {
		if got, _ := b.Accepted(header); got != want {
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
	dirs, err := fs.ReadDir(files, "texts")
	expect.OK(t, err)
	for _, d := range dirs {
		list, _ := fs.Glob(files, "texts/"+d.Name()+"/*.json")
		if len(list) != 7 {
			t.Errorf("%s has %d languages", d.Name(), len(list))
		}
	}
}
