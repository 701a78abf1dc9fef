package inbox

import (
	"strings"
	"unicode"

	"sandlot"
	"sandlot/internal/format/names"
)

// maxFound is the most possible projects of a message: more are not looked at.
const maxFound = 10_000

// find returns the projects that the addresses in a text may name, each once, in their order. Ids alone, without an
// address, are not found: other words have their form. Programs that rewrite links have the address within another one,
// percent-encoded.
func find(places sandlot.Places, text string) (list []sandlot.ProjectID) {
	text = strings.NewReplacer("%3A", ":", "%3a", ":", "%2F", "/", "%2f", "/", "\u200b", "", "\u00ad", "").Replace(text)
	seen := map[sandlot.ProjectID]bool{}
	for word := range strings.FieldsFuncSeq(text, divides) {
		if !strings.ContainsAny(word, "./") {
			continue
		}
		id := places.ProjectIn(strings.Trim(word, ".:!?()[]{}*_~"))
		if names.ValidProjectID(string(id)) && !seen[id] {
			seen[id] = true
			if list = append(list, id); len(list) == maxFound {
				break
			}
		}
	}
	return list
}

// divides reports whether a character stands between addresses.
func divides(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("<>\"'|`,;=&、，；「」（）", r)
}
