package names

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxTitle = 200 // characters (code points), from the contract

// Title normalizes a title: at most 200 code points, without control and bidirectional control characters and invalid
// UTF-8, each run of white space one blank, none at either end. Everything else is kept as it is, markup too: code that
// shows a title escapes it. cut reports that it was longer, cleaned that other characters than blanks were removed,
// line breaks included; the caller must warn of each. The end of a cut title is a whole visible character, unless that
// consists of more than 32 code points. A title without a visible character is empty.
func Title(s string) (title string, cut, cleaned bool) {
	kept, cleaned := cleanedTitle(s)
	if len(kept) > 0 && !slices.ContainsFunc(kept, visible) { // nobody could find a link with that text
		return "", false, true
	}
	if len(kept) > maxTitle {
		kept, cut = kept[:wholeCharacters(kept, maxTitle)], true
	}
	return strings.TrimRight(string(kept), " "), cut, cleaned
}

// visible reports whether a reader sees a character by itself.
func visible(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Mn, r)
}

// cleanedTitle returns at most one code point more than a title may have, which shows that it must be cut, and where.
func cleanedTitle(s string) (kept []rune, cleaned bool) {
	blank := false
	for i, r := range s {
		control := unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
		invalid := r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError))
		cleaned = cleaned || control || invalid
		switch {
		case unicode.IsSpace(r):
			blank = len(kept) > 0
			continue
		case control || invalid:
			continue
		case blank:
			kept = append(kept, ' ')
			blank = false
		}
		kept = append(kept, r)
		if len(kept) > maxTitle {
			return kept[:maxTitle+1], cleaned
		}
	}
	return kept, cleaned
}

// wholeCharacters returns where to cut a text to most characters so that no mark or joined emoji is split, unless more
// than 32 code points are joined.
func wholeCharacters(text []rune, most int) int {
	const longest, zeroWidthJoiner = 32, '\u200D'
	for at := most; at > max(0, most-longest); at-- {
		if !unicode.IsMark(text[at]) && text[at] != zeroWidthJoiner && text[at-1] != zeroWidthJoiner {
			return at
		}
	}
	return most
}
