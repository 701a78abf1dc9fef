package names

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTitle(t *testing.T) {
	const family = "👨\u200d👩\u200d👧\u200d👦"
	a := func(n int) string { return strings.Repeat("a", n) }
	tests := []struct {
		row, in, want string
		cut, cleaned  bool
	}{
		{"78/CRLF", "My\r\nGame", "My Game", false, true},
		{"78/NUL", "My\x00Game", "MyGame", false, true},
		{"78/1 MB", a(1 << 20), a(200), true, false},
		{"78/markup is kept", "<script>alert(1)</script>", "<script>alert(1)</script>", false, false},
		{"78/template is kept", "${7*7}", "${7*7}", false, false},
		{"78/right-to-left override", "abc\u202edef", "abcdef", false, true},
		{"78/isolates and marks", "\u2066a\u2069\u200e\u200f\u061c", "a", false, true},
		{"78/500 emoji", strings.Repeat("🎮", 500), strings.Repeat("🎮", 200), true, false},
		{"78/500 families", strings.Repeat(family, 500), strings.Repeat(family, 28), true, false},
		{"C1 controls", "a\u009bb\u0085c", "ab c", false, true},
		{"runs of white space are one blank, without a word about it", "  a \u00a0\u3000 b  ", "a b", false, false},
		{"line separators are blanks", "a\u2028b", "a b", false, false},
		{"invalid UTF-8 is dropped", "a\xffb\xed\xa0\x80c", "abc", false, true},
		{"the replacement character is a character", "a\ufffdb", "a\ufffdb", false, false},
		{"exactly 200", a(200), a(200), false, false},
		{"200 and blanks", a(200) + "   ", a(200), false, false},
		{"201", a(201), a(200), true, false},
		{"a blank at the cut", a(199) + " " + a(9), a(199), true, false},
		{"two emoji and a blank around the cut", a(200) + " 🎮", a(200), true, false},
		{"a mark goes with its letter", a(199) + "e\u0301", a(199), true, false},
		{"marks piled up are split", a(150) + strings.Repeat("\u0301", 100), a(150) + strings.Repeat("\u0301", 50), true, false},
		{"a joiner inside is kept", family, family, false, false},
		{"nothing that can be seen", "\u200b\u200b \ufeff\u200d", "", false, true},
		{"what cannot be seen stays beside what can", "a\u200bb", "a\u200bb", false, false},
		{"nothing", " \r\n ", "", false, true},
		{"empty", "", "", false, false},
	}
	for _, tt := range tests {
		t.Run("row "+tt.row, func(t *testing.T) {
			got, cut, cleaned := Title(tt.in)
			if got != tt.want || cut != tt.cut || cleaned != tt.cleaned {
				t.Errorf("got %q, cut %v, cleaned %v\nwant %q, cut %v, cleaned %v", got, cut, cleaned, tt.want, tt.cut, tt.cleaned)
			}
		})
	}
}

func FuzzTitle(f *testing.F) {
	for _, s := range []string{"My\r\nGame", "a\u202eb", "\xff", strings.Repeat("🇯🇵", 150), strings.Repeat("👨\u200d", 150), " a  b ", strings.Repeat("e\u0301 ", 90)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		title, cut, cleaned := Title(s)
		if again, cut, cleaned := Title(title); again != title || cut || cleaned {
			t.Errorf("%q is not kept: %q, %v, %v", title, again, cut, cleaned)
		}
		if n := utf8.RuneCountInString(title); n > 200 || !utf8.ValidString(title) || strings.TrimSpace(title) != title {
			t.Errorf("%q has %d characters, or is not trimmed UTF-8", title, n)
		}
		if strings.ContainsFunc(title, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
			t.Errorf("%q has control characters", title)
		}
		if !cut && !cleaned && strings.Join(strings.Fields(s), " ") != title {
			t.Errorf("%q became %q without a word", s, title)
		}
	})
}
