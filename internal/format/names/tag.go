package names

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A tag has 2 to 24 characters (code points): a single one says little, and more do not fit beside others.
const (
	minTag = 2
	maxTag = 24
	// readTag is how many bytes of a text are read: a longer one is no tag, even if much of it is blank.
	readTag = 400
)

// Tag normalizes a tag: lower-case letters, marks and digits of any script, and hyphens between them, in the normal
// form NFKC. Blanks and underscores become hyphens, a # before it and joiners inside are removed. Tag(Tag(s)) is
// Tag(s). ok is false for a text that is no tag: too short, too long, or with a character that no tag has.
func Tag(s string) (tag string, ok bool) {
	turns := func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }
	if len(s) > readTag || !utf8.ValidString(s) || strings.ContainsFunc(s, turns) {
		return "", false
	}
	whole := joiners.Replace(s) // before NFKC, which composes the characters that they separated
	tag = joinedTag(norm.NFKC.String(strings.ToLower(norm.NFKC.String(strings.TrimPrefix(strings.TrimSpace(whole), "#")))))
	n := utf8.RuneCountInString(tag)
	strange := strings.ContainsFunc(tag, func(r rune) bool { return r != '-' && !ofTag(r) })
	return tag, n >= minTag && n <= maxTag && !strange && strings.ContainsFunc(tag, first)
}

// joiners removes the zero-width joiner and non-joiner.
var joiners = strings.NewReplacer("\u200c", "", "\u200d", "")

// joinedTag returns s with one hyphen for each run of blanks, underscores and hyphens, and none at either end.
func joinedTag(s string) string {
	between := func(r rune) bool { return unicode.IsSpace(r) || r == '_' || unicode.Is(unicode.Pd, r) }
	return strings.Join(strings.FieldsFunc(s, between), "-")
}

// ofTag reports whether a character may be in a tag, beside hyphens. Some letters and marks are invisible.
func ofTag(r rune) bool {
	return (first(r) || unicode.In(r, unicode.Mn, unicode.Mc)) && !invisible(r)
}

// first reports whether a character is visible by itself.
func first(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }

// NearTag returns a text without the characters that no tag has, as a tag, or "".
func NearTag(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), readTag)], "")
	kept := []rune(strings.Map(func(r rune) rune {
		switch {
		case ofTag(r):
			return r
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return ' '
	}, s))
	tag, ok := Tag(strings.TrimSpace(string(kept[:min(len(kept), maxTag)])))
	if !ok {
		return ""
	}
	return tag
}

// SameTag reports whether two tags are the same to a reader: they differ only in accents and the forms of letters.
func SameTag(a, b string) bool { return a == b || Searchable(a) == Searchable(b) }
