package names

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maxHandle = 40   // characters, from the contract
	maxFolded = 1024 // bytes of a wish that are read: 40 characters, each in the longest spelling with marks, fit many times
)

// handleAlphabet and slugAlphabet are the characters of a handle and of the slug of a project id. A slug is part of a
// host name, where "_" cannot be.
const (
	slugAlphabet   = "abcdefghijklmnopqrstuvwxyz0123456789-"
	handleAlphabet = slugAlphabet + "_"
)

// Handle turns a wish into a handle: 1 to 40 characters of [a-z0-9_-], neither first nor last a hyphen. Letters are
// folded to lower case and lose their marks, a run of other characters becomes one hyphen. It returns "" if the result
// is empty or Reserved; HandleChoices then returns alternatives. Handle(Handle(s)) is Handle(s).
func Handle(want string) string {
	handle := foldedHandle(want)
	if Reserved(handle) {
		return ""
	}
	return handle
}

// HandleChoices returns six to eight handles to try in this order, all distinct, at most 40 characters and none
// Reserved: the handle itself, then with suffixes of 1, 2, 3, 4, 6, 9 and 12 digits, random but for the first, which is
// "-2". So a taken handle is resolved in a constant number of look-ups, however many have taken it before. A reserved
// handle yields only forms with a suffix, and an empty one, generated handles. The argument may be a wish as it came:
// it is folded.
func HandleChoices(handle string, r Rand) []string {
	handle = foldedHandle(handle)
	var choices []string
	if !Reserved(handle) {
		choices = append(choices, handle)
	}
	base := unreserved(handle)
	if base == "" {
		base = phrase(r)
	}
	suffixes := []string{"2"}
	for _, n := range []int{2, 3, 4, 6, 9, 12} {
		suffixes = append(suffixes, number(n, r))
	}
	for _, suffix := range suffixes {
		// A long handle that ends in a number may be a suffixed form of itself.
		if c := suffixed(base, "-"+suffix); !slices.Contains(choices, c) {
			choices = append(choices, c)
		}
	}
	return choices
}

// FriendlyHandle returns a generated handle, <adjective>-<noun>-<number>, the number of two to four digits: one of some
// 200 million, so that a second try resolves nearly every conflict.
func FriendlyHandle(r Rand) string {
	return phrase(r) + "-" + number(2+r(3), r)
}

// foldedHandle is Handle without the check of reserved handles.
func foldedHandle(want string) string {
	return cutHandle(folded(want, handleAlphabet), maxHandle)
}

// unreserved removes from a handle the beginnings that are always reserved.
func unreserved(handle string) string {
	handle = strings.TrimLeft(handle, "_-")
	if strings.HasPrefix(handle, "xn--") {
		handle = "xn-" + strings.TrimLeft(handle[len("xn"):], "-")
	}
	return handle
}

// suffixed cuts the base, never the suffix.
func suffixed(base, suffix string) string {
	return cutHandle(base, maxHandle-len(suffix)) + suffix
}

func cutHandle(s string, most int) string {
	return strings.Trim(s[:min(len(s), most)], "-")
}

// number returns n random decimal digits, the first not zero.
func number(n int, r Rand) string {
	b := []byte{byte('1' + r(9))}
	for len(b) < n {
		b = append(b, byte('0'+r(10)))
	}
	return string(b)
}

// folded converts s to an ASCII alphabet: compatibility forms and marks are decomposed, case is folded (so "ß" is
// "ss"), marks and invisible characters are dropped, and each run of characters outside the alphabet becomes one
// hyphen.
func folded(s, alphabet string) string {
	s = strings.ToValidUTF8(s[:min(len(s), maxFolded)], "")
	s = norm.NFKD.String(cases.Fold().String(norm.NFKD.String(s)))
	var b []byte
	filled := false // the last byte of b is an inserted hyphen
	for _, r := range s {
		switch {
		case unicode.IsMark(r) || invisible(r):
		case strings.ContainsRune(alphabet, r):
			if r != '-' || !filled {
				b = append(b, byte(r))
				filled = false
			}
		case len(b) == 0 || b[len(b)-1] != '-':
			b = append(b, '-')
			filled = true
		}
	}
	return string(b)
}
