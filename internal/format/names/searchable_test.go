package names

import (
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestSearchable(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"case", "Space CATS", "space cats"},
		{"accents", "Épée, señor; Ångström", "epee senor angstrom"},
		{"accents apart from their letters", "E\u0301pe\u0301e", "epee"},
		{"accents that Unicode does not take off", "Łódź Øre Đak Ħamrun", "lodz ore dak hamrun"},
		{"marks piled up", "Z\u0351\u036b\u0343a\u0334\u0321lgo", "zalgo"},
		{"a sharp s", "Straße STRASSE STRAẞE", "strasse strasse strasse"},
		{"a Turkish I, with and without a dot", "Işık İZMİR ızgara", "isik izmir izgara"},
		{"a final sigma", "ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ σισυφοσ"},
		{"Cyrillic", "Ёжик в тумане", "ежик в тумане"},
		{"Cherokee", "ᏣᎳᎩ ꮳꮃꭹ", "ꮳꮃꭹ ꮳꮃꭹ"},
		{"full width", "ＦＵＬＬ　ｗｉｄｔｈ １２", "full width 12"},
		{"half-width kana", "ｶﾞｰﾋﾞｨ", "がーびぃ"},
		{"both kana", "カービィ かーびぃ", "かーびぃ かーびぃ"},
		{"a voiced kana is another letter", "ガ カ パ", "が か ぱ"},
		{"Japanese and Chinese", "星のカービィ 麻雀", "星のかーびぃ 麻雀"},
		{"Korean, in parts too", "태권도 " + norm.NFD.String("태권도"), "태권도 태권도"},
		{"Thai keeps its vowels", "ดี ที่", "ดี ที่"},
		{"Hebrew points", "שָׁלוֹם", "שלום"},
		{"Arabic vowels", "مَرْحَبًا", "مرحبا"},
		{"emoji, coloured, joined, and with the sign for a picture", "🎮 👍🏽 👨\u200d👩\u200d👧 ❤\ufe0f", "🎮 👍🏽 👨👩👧 ❤"},
		{"symbols", "C++ 5$", "c++ 5$"},
		{"ligatures and parts", "ﬁsh ½", "fish 1⁄2"},
		{"punctuation parts words", `a-b_c%d\e"f'g.h/i(j)*k`, "a b c d e f g h i j k"},
		{"blanks and controls", " a\tb\nc\x00d\u00a0e ", "a b c d e"},
		{"invisible characters are dropped", "a\u200bb\u00adc\ufeffd", "abcd"},
		{"invalid UTF-8", "a\xffb\ufffdc", "a b c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Searchable(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
