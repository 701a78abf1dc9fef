package lure

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// skeletons returns the words of a text in a form in which letters that look alike are the same: small Latin letters, no
// accents, no invisible characters, no letter twice in a row, and one letter for i, l and 1.
func skeletons(text string) (words []string) {
	var b strings.Builder
	last := rune(0)
	end := func() {
		if b.Len() > 0 {
			words = append(words, strings.NewReplacer("rn", "m", "vv", "w").Replace(b.String()))
		}
		b.Reset()
		last = 0
	}
	for _, r := range norm.NFKD.String(text) {
		r = unicode.ToLower(r)
		if same, ok := alike[r]; ok {
			r = same
		}
		switch {
		case unicode.Is(unicode.Mn, r) && r < 0x3000, unicode.Is(unicode.Cf, r), r == 0x115f, r == 0x3164, r == '\'', r == '’':
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && r != 'ー':
			end()
		case r != last:
			b.WriteRune(r)
			last = r
		}
	}
	end()
	return words
}

// alike has the letter that stands for each that looks like it. It never changes.
var alike = letters(map[rune]string{
	'a': "аα@4ɑ", 'b': "вьβ8ɓ", 'c': "сϲƈ", 'd': "ԁɗđ", 'e': "еεє3ɛ", 'f': "ƒ", 'g': "ɡց9", 'h': "һнη", 'j': "јʝ", 'k': "кκ",
	'l': "iіιıłӏ1|!ɩ", 'm': "мϻ", 'n': "пոɴ", 'o': "оο0øө", 'p': "рρþ", 'q': "ԛ", 'r': "гʀ", 's': "ѕ5$ʂ", 't': "тτ7ŧ", 'u': "υսµμ",
	'v': "νѵ", 'w': "ѡωԝщш", 'x': "хχ×", 'y': "уγүყ", 'z': "ᴢʐ2",
})

func letters(forms map[rune]string) map[rune]rune {
	all := map[rune]rune{}
	for letter, list := range forms {
		for _, r := range list {
			all[r] = letter
		}
	}
	return all
}
