package gallery

import (
	"fmt"
	"math"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestTitlesOfEveryScriptAreFoundByPartsOfTheirWords and by those of no other title.
func TestTitlesOfEveryScriptAreFoundByPartsOfTheirWords(t *testing.T) {
	t.Parallel()
	titles := map[string][]string{
		"Jelly Tower":                               {"jelly", "elly", "TOWER", "owe", "ｊｅｌｌｙ", "jelly%", `"tower_`},
		"Pâté & Bœuf":                               {"pate", "PÂTÉ", "âté", "pa\u0302te\u0301", "bœuf"},
		"Große Straße":                              {"strasse", "STRASSE", "straße", "ſſe", "asse", "groß"},
		"Işıklı İncir":                              {"ışık", "isik", "IŞIK", "incir", "INCIR", "i̇ncir"},
		"Grød på Ø":                                 {"grød", "grod", "GRØD"},
		"Đường phố":                                 {"đường", "duong", "ĐƯỜNG", "pho"},
		"Гонки на танках: Ёж":                       {"гонки", "ТАНК", "онк", "еж", "ё"},
		"Σίσυφος":                                   {"σισυφος", "ΣΊΣΥΦΟΣ", "ίσυ", "ς"},
		"星のカービィ":                                    {"カービ", "星", "のカ", "かーび", "ｶｰﾋﾞ", "ィ"},
		"中国象棋大师":                                    {"象棋", "象", "国象", "大师"},
		"태권도 게임":                                    {"태권도", "권", "게임", "\u1110\u1162"},
		"เกมดีดลูกแก้ว":                             {"ดีด", "ลูก", "แก้ว"},
		"शतरंज":                                     {"शतरंज", "तरं"},
		"لُعْبَة":                                   {"لعبة", "عب"},
		"מִשְׂחָק":                                  {"משחק", "שח"},
		"🚀 👩‍🚒 ❤️ race":                             {"🚀", "👩‍🚒", "👩", "❤"},
		"C++ 5€":                                    {"c++", "++", "€"},
		"ＷＩＤＥ　１２３":                                  {"wide", "123", "１２"},
		"Z\u0351\u036b\u0343\u036aa\u0334\u0321lgo": {"zalgo", "alg"},
		"it's \"100%\" a_b\\c*":                     {"100", "it"},
	}
	found := func(title, text string) bool {
		words := searchWords(text)
		return len(words) > 0 && hasAll(folded(title, "kim-2nd", "role-playing rätsel"), words)
	}
	for title, texts := range titles {
		for _, text := range texts {
			for other := range titles {
				expect.Equal(t, fmt.Sprintf("%q by %q", other, text), found(other, text), other == title)
			}
		}
		for _, text := range []string{"kim", "2ND", "ratsel play"} {
			expect.Equal(t, fmt.Sprintf("%q by %q", title, text), found(title, text), true)
		}
		for _, text := range []string{"%", "_", "\\", "'", `"`, "*", "\x00", "\xff", "\ufffd", " ", "\u0301", "\u200b", "", "%%", "towerkim", "its", "mik", "kim kem"} {
			expect.Equal(t, fmt.Sprintf("%q by %q", title, text), found(title, text), false)
		}
	}
}

// TestTextsStayInTheirBounds: the newest have the room.
func TestTextsStayInTheirBounds(t *testing.T) {
	t.Parallel()
	x := &texts{most: 100 * (textBytes + 10)}
	for i := range int64(1000) {
		x.put([]Named{{Number: 2 * i, Listed: true, Title: "a cat"}, {Number: 7, Listed: true, Title: "far back"}})
		x.put([]Named{{Number: 2*i - 10}, {Number: 2*i - 4, Listed: true, Title: "a dog"}, {Number: 5}})
	}
	bytes := 0
	for _, text := range x.list {
		bytes += len(text.folded) + textBytes
	}
	expect.Equal(t, "bytes", x.bytes, bytes)
	if x.bytes > x.most || x.bytes < x.most-100 {
		t.Errorf("there are %d of %d bytes", x.bytes, x.most)
	}
	expect.Same(t, "cats", x.matching([]string{"cat"}, math.MaxInt64, 9), []int64{1998, 1996})
	expect.Same(t, "dogs below a number", x.matching([]string{"o", "dog"}, 1994, 2), []int64{1992, 1990})
	expect.Equal(t, "those far back", len(x.matching([]string{"far"}, math.MaxInt64, 9)), 0)
}

// BenchmarkScan looks through a million texts for a word that none has.
func BenchmarkScan(b *testing.B) {
	x := &texts{most: math.MaxInt}
	for i := range int64(1_000_000) {
		x.put([]Named{{Number: i, Listed: true, Title: fmt.Sprint("A seeded game ", i%977, " dragon ", i), Handle: fmt.Sprint("heroic-eclipse-", i%5000)}})
	}
	for b.Loop() {
		if x.matching([]string{"dragonfly"}, math.MaxInt64, 25) != nil {
			b.Fatal("something is found")
		}
	}
	b.ReportMetric(float64(x.bytes)/float64(len(x.list)), "bytes/project")
}
