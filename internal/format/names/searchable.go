package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Searchable returns the form of a text that a search compares, so that case, accents, width and the two kana make no
// difference: words of letters, numbers, marks and symbols, with one blank between them. Other characters (punctuation,
// invisible ones) separate words or are dropped. Searchable(Searchable(s)) is Searchable(s).
func Searchable(s string) string {
	plain := strings.Map(searched, norm.NFKD.String(s))
	// A Caser may hold state, so each call takes its own.
	folded := norm.NFKD.String(cases.Fold().String(strings.Map(oneCherokee, plain)))
	return strings.Join(strings.Fields(norm.NFC.String(strings.Map(searched, folded))), " ")
}

// searched returns the form of a character of decomposed text in a search: none for accents and invisible characters, a
// blank for separators.
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

// undecomposed are letters whose accent Unicode does not decompose. It never changes.
var undecomposed = map[rune]rune{'ı': 'i', 'ł': 'l', 'Ł': 'l', 'ø': 'o', 'Ø': 'o', 'đ': 'd', 'Đ': 'd', 'ħ': 'h', 'Ħ': 'h'}
