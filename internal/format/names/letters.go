package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Letters returns the part of a text that distinguishes it from others at a glance: its letters and digits, in lower
// case and in the plain form of each, without accents and all other characters.
func Letters(s string) string {
	return strings.Map(func(r rune) rune {
		r = unicode.ToLower(r)
		if plain, ok := alike[r]; ok {
			return plain
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
}

// alike are letters of other scripts that look like those of English words. It never changes.
var alike = map[rune]rune{
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'ӏ': 'l', 'о': 'o', 'р': 'p', 'ѕ': 's', 'ѵ': 'v',
	'х': 'x', 'у': 'y', 'α': 'a', 'ι': 'i', 'ο': 'o', 'ρ': 'p', 'ν': 'v', 'ı': 'i',
}
