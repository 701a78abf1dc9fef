package names

import (
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestPlayer(t *testing.T) {
	for _, c := range []struct{ what, in, want string }{
		{"a name", "Ada", "Ada"},
		{"blanks and line breaks are folded", "  Ada \n\t Lovelace ", "Ada Lovelace"},
		{"control and bidirectional characters go", "A\x00d\u202ea\u200f\x7f", "Ada"},
		{"hidden characters go", "A\u200bd\u2060a\ufeff\U000E006F\U000E0062\u00ad", "Ada"},
		{"joiners stay", "می\u200cخوا", "می\u200cخوا"},
		{"invalid UTF-8 goes", "Ad\xffa", "Ada"},
		{"markup is text", "<script>alert(1)", "<script>alert(1)"},
		{"it is in NFC", "Zoe\u0308", "Zo\u00eb"},
		{"20 characters", strings.Repeat("é", 25), strings.Repeat("é", 20)},
		{"the cut ends with a whole character", strings.Repeat("a", 19) + "q\u0323\u0323", strings.Repeat("a", 19)},
		{"one joined character", strings.Repeat("👩\u200d", 30), strings.Repeat("👩\u200d", 10)},
		{"nothing that can be seen", "\u200d\u0301 ", ""},
		{"a million characters", strings.Repeat("x", 1_000_000), strings.Repeat("x", 20)},
	} {
		expect.Equal(t, c.what, Player(c.in), c.want)
	}
}

func TestCode(t *testing.T) {
	n := 0
	code := Code(func(most int) int {
		if most != 1024 {
			t.Errorf("one of %d words, want 1,024: ten bits each", most)
		}
		n += 255
		return n
	})
	expect.Equal(t, "words", len(strings.Split(code, "-")), 4)
	for _, typed := range []string{code, strings.ToUpper(code), " " + strings.ReplaceAll(code, "-", " ,\n") + ". "} {
		read, ok := ReadCode(typed)
		expect.Equal(t, typed, read, code)
		expect.Equal(t, typed+" is a code", ok, true)
	}
	for _, wrong := range []string{"", "acorn", code + " acorn", strings.Replace(code, "-", "", 1), strings.Repeat(code, 100), "acorn acorn acorn xyzzy", "acorn\x00\xff"} {
		if read, ok := ReadCode(wrong); ok {
			t.Errorf("%.40q is the code %q", wrong, read)
		}
	}
}

func TestTheWordsOfCodesCanBeToldApart(t *testing.T) {
	expect.Equal(t, "words", len(codeWords), 1024)
	for i, w := range codeWords[1:] {
		if before := codeWords[i]; before >= w || strings.HasPrefix(w, before) || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" || len(w) > 8 {
			t.Errorf("%q after %q", w, before)
		}
	}
}
