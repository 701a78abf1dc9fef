package texts

import (
	"slices"

	"golang.org/x/text/feature/plural"
)

// categories holds the names of CLDR's plural forms, in the order of x/text.
var categories = [...]string{
	plural.Other: "other", plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many",
}

// manyMillions lists the website's languages that say "a million of them", a rule of CLDR that x/text lacks.
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
	return categories[plural.Cardinal.MatchPlural(notationOf(lang).tag, int(min(n, million+n%million)), 0, 0, 0, 0)]
}
