package lure

import (
	"slices"
	"strings"
)

// mostDepth is how many encodings within one another are undone.
const mostDepth = 4

// examine looks at a string of a script in each of its possible roles: words, markup, code, or the encoding of one.
func (f *folder) examine(text string) {
	if len(text) < 32 {
		f.all = append(f.all, text)
	}
	if len(text) > 8 && len(text) <= 2000 && (strings.IndexByte(text, ' ') >= 0 || text[0] >= 0x80) && has(folded(text), "seedWords") {
		f.maybe(Seed)
	}
	f.bait.seals(text)
	if len(text) < longest && !f.leaves {
		plain := plainest(text)
		f.leaves = (strings.HasPrefix(plain, "http") || strings.HasPrefix(plain, "//")) && f.elsewhere("", plain)
	}
	f.Look.examine(text, f.depth)
}

// hot are the words of scripts that build a field or decode another script, backwards the words of reversed pages. They
// never change.
var (
	hot = []string{
		"atob", "unescape", "fromCharCode", "createElement", "innerHTML", "document.", "eval(", "setAttribute", ".type", "decodeURI", "Function(",
	}
	backwards = []string{"drowssap", "DROWSSAP", "tupni<", "TUPNI<", "aeratxet<", ">mrof/<", ">vid/<", ">ydob/<"}
)

func (l *Look) examine(text string, depth int) {
	if len(text) < 6 || depth > mostDepth {
		return
	}
	if markup(text) && l.spend(len(text)) {
		l.page(text, depth+1, false)
	}
	if text[0] != '<' && containsAny(text, hot) && l.spend(len(text)) {
		l.script(text, depth+1)
	}
	l.encoded(text, depth)
}

// encoded examines a text as the encoding of another.
func (l *Look) encoded(text string, depth int) {
	if containsAny(text, backwards) && l.spend(len(text)) {
		l.examine(reversed(text), depth+1)
	}
	for _, decode := range []func(string) (string, bool){reveal, moved} {
		if plain, ok := decode(text); ok && l.spend(len(plain)) {
			l.examine(plain, depth+1)
		}
	}
}

// markup reports whether a text has a tag.
func markup(text string) bool {
	for {
		_, after, ok := strings.Cut(text, "<")
		if !ok {
			return false
		}
		if after != "" && (after[0]|0x20 >= 'a' && after[0]|0x20 <= 'z' || after[0] == '!' || after[0] == '/') {
			return true
		}
		text = after
	}
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}
