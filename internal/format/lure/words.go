package lure

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

//go:embed words.txt
var wordLists string

// words has the lists of words.txt by their names. It never changes.
var words = parseWords(wordLists)

func parseWords(text string) map[string][]string {
	lists, name := map[string][]string{}, ""
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") {
			name = strings.Trim(line, "[]")
			continue
		}
		for word := range strings.SplitSeq(line, ",") {
			if word = strings.TrimSpace(word); word != "" && !strings.HasPrefix(line, "#") {
				lists[name] = append(lists[name], word)
			}
		}
	}
	return lists
}

// has reports whether a text has a word of one of the lists.
func has(text string, lists ...string) bool {
	for _, name := range lists {
		if containsAny(text, words[name]) {
			return true
		}
	}
	return false
}

// folded returns text in small letters, with one space between words and without characters of no width.
func folded(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := true
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
			space = false
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r):
		case !space:
			b.WriteByte(' ')
			space = true
		}
	}
	return b.String()
}

// labelled looks at the label of a field.
func (l *Look) labelled(text string) {
	if text == "" || len(text) > mostSaid {
		return
	}
	text = strings.TrimSpace(folded(text))
	switch {
	case has(text, "cardNumbers", "cardLabels"), slices.Contains(words["cardAlone"], text):
		l.maybe(Card)
	case has(text, "seedWords"):
		l.maybe(Seed)
	}
}

// named looks at the name of a field.
func (l *Look) named(name string) {
	if len(name) > 64 {
		return
	}
	name = strings.ReplaceAll(folded(name), " ", "")
	if slices.Contains(words["cardNames"], name) {
		l.maybe(Card)
	}
	if strings.HasPrefix(name, "seedphrase") || strings.HasPrefix(name, "recoveryphrase") || strings.HasPrefix(name, "mnemonicphrase") {
		l.maybe(Seed)
	}
}

// completes looks at the values that a field wants the browser to fill in.
func (l *Look) completes(autocomplete string) {
	for _, name := range strings.Fields(strings.ToLower(autocomplete)) {
		switch {
		case strings.HasPrefix(name, "cc-"):
			l.maybe(Card)
		case name == "current-password" || name == "one-time-code":
			l.maybe(Password)
		}
	}
}
