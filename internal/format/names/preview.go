package names

import "strings"

// previewLength is the number of random characters in the label of a preview: 2^100, which nobody guesses and no two
// people draw.
const previewLength = 20

// ValidPreview reports whether s is the label of a preview: "preview--" and 20 random characters. A browser draws it
// for an origin on which it shows a project that is not published yet. It can be no project id and no version's label:
// those have "--" only before a "v".
func ValidPreview(s string) bool {
	random, found := strings.CutPrefix(s, "preview--")
	return found && IsRandom(random, previewLength)
}
