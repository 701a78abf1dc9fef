package texts

import (
	"slices"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// categories holds the names of CLDR's plural forms, at their indexes in x/text.
var categories = [...]string{
	plural.Other: "other", plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many",
}

// manyMillions lists the website's languages that say "a million of them". CLDR has the rule since its version 38;
// x/text has version 32.
var manyMillions = []string{"es", "fr", "pt"}

const million = 1_000_000

// formOf returns the CLDR category of a language for n whole things.
func formOf(lang string, n int64) string {
	if n < 0 {
		n = -max(n, -1<<62)
	}
	if n != 0 && n%million == 0 && slices.Contains(manyMillions, lang) {
		return "many"
	}
	// No rule looks further than at the last six digits and whether there are more.
	return categories[plural.Cardinal.MatchPlural(tagOf(lang), int(min(n, million+n%million)), 0, 0, 0, 0)]
}

// tags holds the parsed tags of the website's languages: parsing one takes longer than formatting a text.
var tags = sync.OnceValue(func() map[string]language.Tag {
	read := map[string]language.Tag{}
	for lang := range notations {
		read[lang] = language.Make(lang)
	}
	return read
})

func tagOf(lang string) language.Tag {
	if tag, ok := tags()[lang]; ok {
		return tag
	}
	return language.Make(lang)
}

// formsOf returns the categories that a language uses for whole numbers. Every language has "other", even if no whole
// number needs it.
func formsOf(lang string) []string {
	forms := []string{"other"}
	for n := range int64(2 * million / 1000) { // rules about more than three digits are about whole millions alone
		for _, form := range []string{formOf(lang, n), formOf(lang, n*million)} {
			if !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	return forms
}
