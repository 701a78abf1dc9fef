package names

import (
	"slices"
	"strings"
	"unicode"
)

// wordsOfCode is how many words a code has: 40 bits.
const wordsOfCode = 4

// Code draws four words, joined by hyphens, that a person types on another device: one of 2^40 codes.
func Code(r Rand) string {
	list := make([]string, wordsOfCode)
	for i := range list {
		list[i] = codeWords[r(len(codeWords))]
	}
	return strings.Join(list, "-")
}

// ReadCode returns the code that a person has typed: in any case, with anything but letters between the words. It
// reports false for a text that no code can be.
func ReadCode(s string) (string, bool) {
	if len(s) > 200 {
		return "", false
	}
	list := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, w := range list {
		if _, known := slices.BinarySearch(codeWords, w); !known {
			return "", false
		}
	}
	return strings.Join(list, "-"), len(list) == wordsOfCode
}
