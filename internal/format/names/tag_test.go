package names_test

import (
	"strings"
	"testing"

	"sandlot/internal/format/names"
)

func TestTag(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Puzzle": "puzzle", "#Puzzle": "puzzle", " role  playing ": "role-playing", "tower_defense": "tower-defense", "3D": "3d", "--a--b--": "a-b",
		"Rätsel": "rätsel", "Ra\u0308tsel": "rätsel", "ＡＢＣ": "abc", "パズル": "パズル", "головоломка": "головоломка", "पहेली": "पहेली", "ปริศนา": "ปริศนา", "לוח": "לוח", "لغز": "لغز",
		"可爱": "可爱", "퍼즐": "퍼즐", "می\u200cخواهم": "میخواهم", "İstanbul": "istanbul", strings.Repeat("x", 24): strings.Repeat("x", 24),
		"": "", "a": "", "#": "", "--": "", strings.Repeat("x", 25): "", "<b>bold</b>": "", "a&b": "", `a"b`: "", "a\x00b": "", "a\u202eb": "", "\u2066ab\u2069": "", "ab\u200b": "", "🎲🎲": "",
		"a\xffb": "", "a.b": "", "a/b": "", "../..": "", "a b\tc\nd": "a-b-c-d", "a\u200d\u0308b": "äb", "ﾊ\u200cﾟｽﾞﾙ": "パズル", "ka\u200d\u0301": "ká", "\u0301\u0301": "", strings.Repeat(" ", 5000) + "ab": "", "%2e%2e": "", "\u3164\u3164": "", "ab,cd": "",
	} {
		got, ok := names.Tag(in)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %v; want %q", in, got, ok, want)
		}
		if again, still := names.Tag(got); ok && (again != got || !still) {
			t.Errorf("%q is %q again", got, again)
		}
	}
}

func TestNearTag(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"<b>bold</b>": "b-bold-b", "a\u202ebc": "abc", "🎲 dice": "dice", strings.Repeat("x", 99): strings.Repeat("x", 24), "!": "", "": "", "C++": "", "a.b": "a-b", strings.Repeat("\xff", 999): "",
	} {
		if got := names.NearTag(in); got != want {
			t.Errorf("near %q is %q, want %q", in, got, want)
		}
	}
	if !names.SameTag("café", "cafe") || names.SameTag("cafe", "cave") {
		t.Error("accents tell tags apart, or other letters do not")
	}
}
