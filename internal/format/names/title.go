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
		kept, cut = kept[:wholeCharacters(kept)], true
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

// wholeCharacters returns where to cut a title so that no visible character is split.
func wholeCharacters(title []rune) int {
	const longest = 32 // code points; no emoji has as many, only stacked marks have more
	for at := maxTitle; at > maxTitle-longest; at-- {
		if !joined(title, at) {
			return at
		}
	}
	return maxTitle
}

// joined reports whether the code points at-1 and at are one visible character. It covers marks, joined and coloured
// emoji and flags, which occur in titles, and not the whole of Unicode's annex 29.
func joined(title []rune, at int) bool {
	const zeroWidthJoiner = '\u200D'
	before, r := title[at-1], title[at]
	switch {
	case unicode.IsMark(r), r == zeroWidthJoiner, before == zeroWidthJoiner:
		return true
	case r >= 0x1F3FB && r <= 0x1F3FF: // skin colours
		return true
	case unicode.Is(unicode.Regional_Indicator, r): // two letters are a country's flag
		first := at
		for first > 0 && unicode.Is(unicode.Regional_Indicator, title[first-1]) {
			first--
		}
		return (at-first)%2 == 1
	}
	return false
}
