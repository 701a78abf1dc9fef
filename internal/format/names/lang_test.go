package names

import (
	"strings"
	"testing"
)

func TestLang(t *testing.T) {
	tests := []struct {
		row, in, want string
		changed, ok   bool
	}{
		{"79/x", "x", "", true, false},
		{"79/en-US", "en-US", "en-US", false, true},
		{"79/200 characters", strings.Repeat("en-", 67), "", true, false},
		{"79/../", "../", "", true, false},
		{"two letters", "ja", "ja", false, true},
		{"case", "PT-br", "pt-BR", true, true},
		{"underscore", "zh_hant_tw", "zh-Hant-TW", true, true},
		{"blanks around it", " de ", "de", true, true},
		{"replaced language", "iw", "he", true, true},
		{"replaced region", "en-UK", "en-GB", true, true},
		{"an unknown region is dropped", "en-EN", "en", true, true},
		{"an unknown region of a replaced language", "iw-IW", "he", true, true},
		{"an unknown language", "zz", "", true, false},
		{"the name of a language", "English", "", true, false},
		{"undetermined", "und", "", true, false},
		{"private use", "x-klingon", "", true, false},
		{"exactly 35 characters", "en-x-" + "aaaaaaaa-bbbbbbbb-cccccccc-ddd", "en-x-" + "aaaaaaaa-bbbbbbbb-cccccccc-ddd", false, true},
		{"36 characters", "en-x-" + "aaaaaaaa-bbbbbbbb-cccccccc-dddd", "", true, false},
		{"an extension twice", "AA-u-00-00-u-00-00", "", true, false},
		{"markup", `"><script>`, "", true, false},
		{"empty", "", "", false, false},
	}
	for _, tt := range tests {
		t.Run("row "+tt.row, func(t *testing.T) {
			got, changed, ok := Lang(tt.in)
			if got != tt.want || changed != tt.changed || ok != tt.ok {
				t.Errorf("Lang(%q) = %q, changed %v, ok %v; want %q, %v, %v", tt.in, got, changed, ok, tt.want, tt.changed, tt.ok)
			}
		})
	}
}
