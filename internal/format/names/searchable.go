package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Searchable returns the form of a text in which its parts are looked for, so that they are found whatever their case,
// accents and width, and whichever of the two kana: words of letters, numbers, marks and symbols, with one blank between
// them. What else there is (punctuation, invisible characters) parts words or is dropped. Searchable(Searchable(s)) is
// Searchable(s).
func Searchable(s string) string {
	plain := strings.Map(searched, norm.NFKD.String(s))
	// A Caser may hold state, so each call takes its own.
	folded := norm.NFKD.String(cases.Fold().String(strings.Map(oneCherokee, plain)))
	return strings.Join(strings.Fields(norm.NFC.String(strings.Map(searched, folded))), " ")
}

// searched is a character of decomposed text as it is looked for: none for accents and what is invisible, a blank for
// what parts words.
func searched(r rune) rune {
	const voiced, halfVoiced = '\u3099', '\u309A' // they make another letter of a kana
	if plain, ok := undecomposed[r]; ok {
		return plain
	}
	switch {
	case r == voiced || r == halfVoiced:
		return r
	case unicode.In(r, unicode.Mn, unicode.Me) && unicode.In(r, unicode.Inherited, unicode.Hebrew), unicode.Is(unicode.Cf, r):
		return -1
	case r >= 'ァ' && r <= 'ヶ', r == 'ヽ', r == 'ヾ':
		return r - 'ァ' + 'ぁ'
	case r == unicode.ReplacementChar, !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.S):
		return ' '
	}
	return r
}

// undecomposed are letters whose accent Unicode does not take off. It never changes.
var undecomposed = map[rune]rune{'ı': 'i', 'ł': 'l', 'Ł': 'l', 'ø': 'o', 'Ø': 'o', 'đ': 'd', 'Đ': 'd', 'ħ': 'h', 'Ħ': 'h'}
