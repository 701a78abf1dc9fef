package names

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxPlayer is the most characters (code points) of a player's name.
const maxPlayer = 20

// Player normalizes a player's name: it returns at most 20 code points in NFC, without control, bidirectional control and
// hidden characters and invalid UTF-8. It replaces each run of white space by a blank, and trims both ends. It keeps
// everything else, markup too: code that shows a name escapes it. A cut name ends with a whole visible character. A name
// without a visible character becomes "".
func Player(s string) string {
	kept, _ := cleanedTitle(s)
	kept = slices.DeleteFunc(kept, Hidden)
	kept = []rune(norm.NFC.String(string(kept)))
	if !slices.ContainsFunc(kept, visible) {
		return ""
	}
	if len(kept) > maxPlayer {
		kept = kept[:wholeCharacters(kept, maxPlayer)]
	}
	return strings.TrimRight(string(kept), " ")
}

// Hidden reports whether a character is invisible and has no effect on others: people do not see a text of such characters,
// but models read it. The joiners, which letters and emoji need, are not hidden.
func Hidden(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200C', '\u200D'
	format := unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	return format && r != zeroWidthNonJoiner && r != zeroWidthJoiner || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}
