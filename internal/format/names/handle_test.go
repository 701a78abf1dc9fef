package names

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var handleForm = regexp.MustCompile(`^[a-z0-9_-]{1,40}$`)

func TestHandle(t *testing.T) {
	tests := []struct{ row, want, handle string }{
		{"76/admin", "admin", ""},
		{"76/www", "www", ""},
		{"76/api", "api", ""},
		{"76/account", "account", ""},
		{"76/postmaster", "postmaster", ""},
		{"76/_dmarc", "_dmarc", ""},
		{"76/xn--abc", "xn--abc", ""},
		{"76/xn-- made by folding", "Xn- -abc", ""},
		{"76/a--b", "a--b", "a--b"},
		{"76/-a", "-a", "a"},
		{"76/a-", "a-", "a"},
		{"76/2 characters", "ab", "ab"},
		{"76/33 characters", strings.Repeat("a", 33), strings.Repeat("a", 33)},
		{"76/Admin", "Admin", ""},
		{"76/admin in wide letters", "ＡＤＭＩＮ", ""},
		{"76/admin with an invisible character", "ad\u200bmin", ""},
		{"76/no-reply", "No_Reply", ""},
		{"76/Cyrillic a", "аpple", "pple"},
		{"76/Cyrillic", "привет", ""},
		{"76/emoji", "🎮🎮", ""},
		{"76/emoji inside", "pixel 🎮🎮 cat", "pixel-cat"},
		{"76/a.b", "a.b", "a-b"},
		{"marks are dropped", "Zoë Ünal", "zoe-unal"},
		{"marks written apart", "Zoe\u0308", "zoe"},
		{"full folding", "Großmann", "grossmann"},
		{"compatibility forms", "ﬁve²", "five2"},
		{"one hyphen for a run, typed or not", "a - b", "a-b"},
		{"underscore", "pixel_cat", "pixel_cat"},
		{"cut at 40", strings.Repeat("ab", 30), strings.Repeat("ab", 20)},
		{"cut before a hyphen", strings.Repeat("a", 39) + "-b", strings.Repeat("a", 39)},
		{"a long one that ends like a suffix", strings.Repeat("a", 38) + "-2", strings.Repeat("a", 38) + "-2"},
		{"marks piled up", "z" + strings.Repeat("\u0301", 400) + "e", "ze"},
		{"nothing", "", ""},
		{"only hyphens", "---", ""},
		{"only underscores", "-_-", ""},
		{"invalid UTF-8", "a\xffb", "ab"},
		{"a megabyte", strings.Repeat("é", 1<<19), strings.Repeat("e", 40)},
	}
	for _, tt := range tests {
		t.Run("row "+tt.row, func(t *testing.T) {
			if got := Handle(tt.want); got != tt.handle {
				t.Errorf("Handle(%.60q) = %q, want %q", tt.want, got, tt.handle)
			}
			checkChoices(t, tt.want)
		})
	}
}

// checkChoices fails unless HandleChoices keeps its promises for a wish.
func checkChoices(t rapid.TB, want string) {
	t.Helper()
	for _, r := range []Rand{smallest, largest, seeded(7)} {
		choices := HandleChoices(want, r)
		if len(choices) < 6 || len(choices) > 8 {
			t.Errorf("HandleChoices(%.60q): %d of them", want, len(choices))
		}
		if h := Handle(want); h != "" && choices[0] != h {
			t.Errorf("HandleChoices(%.60q) begins with %q, want %q", want, choices[0], h)
		}
		seen := map[string]bool{}
		for _, c := range choices {
			if seen[c] || !handleForm.MatchString(c) || Reserved(c) || Handle(c) != c {
				t.Errorf("HandleChoices(%.60q): %q is no handle, reserved or there twice", want, c)
			}
			seen[c] = true
		}
	}
}

func TestHandleChoices(t *testing.T) {
	forms := func(base string) []string {
		var want []string
		for _, n := range []int{2, 3, 4, 6, 9, 12} {
			want = append(want, base+"-1"+strings.Repeat("0", n-1))
		}
		return want
	}
	tests := []struct {
		name, handle string
		want         []string
	}{
		{"itself, then suffixes of growing length", "pixel", append([]string{"pixel", "pixel-2"}, forms("pixel")...)},
		{"a reserved one yields only suffixed forms", "admin", append([]string{"admin-2"}, forms("admin")...)},
		{"a reserved beginning is taken off", "_dmarc", append([]string{"dmarc-2"}, forms("dmarc")...)},
		{"so is that of punycode", "xn--abc", append([]string{"xn-abc-2"}, forms("xn-abc")...)},
		{"nothing yields generated ones", "", append([]string{adjectives[0] + "-" + nouns[0] + "-2"}, forms(adjectives[0]+"-"+nouns[0])...)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := HandleChoices(tt.handle, smallest); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	t.Run("row 77/the base is cut, never the suffix", func(t *testing.T) {
		base := strings.Repeat("a", 26) + "-" + strings.Repeat("b", 13)
		got := HandleChoices(base, largest)
		want := []string{base, base[:38] + "-2", base[:37] + "-99", base[:36] + "-999", base[:35] + "-9999", base[:33] + "-999999", base[:30] + "-999999999", base[:26] + "-999999999999"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
	t.Run("row 77/200 who want one handle all get another", func(t *testing.T) {
		taken := map[string]bool{}
		for i := range 200 {
			found := false
			for _, c := range HandleChoices("pixel", seeded(uint64(i))) {
				if !taken[c] {
					taken[c], found = true, true
					break
				}
			}
			if !found {
				t.Fatalf("no handle for number %d", i)
			}
		}
	})
}

func TestFriendlyHandle(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+-[a-z]+-[1-9][0-9]{1,3}$`)
	r := seeded(3)
	for range 1000 {
		if h := FriendlyHandle(r); !form.MatchString(h) || len(h) > 40 || Handle(h) != h {
			t.Errorf("%q is not <adjective>-<noun>-<number>", h)
		}
	}
}

func TestReserved(t *testing.T) {
	for _, h := range []string{"", "admin", "ADMIN", "api", "account", "www", "postmaster", "abuse", "support", "sandlot", "no-reply", "mailer-daemon", "xn--p1ai", "_dmarc", "_", "-", "root"} {
		if !Reserved(h) {
			t.Errorf("%q is not reserved", h)
		}
	}
	for _, h := range []string{"pixel", "admin-2", "api-fan", "a--b", "x", "wwwx"} {
		if Reserved(h) {
			t.Errorf("%q is reserved", h)
		}
	}
	for _, word := range reserved {
		if !onlyOf(word, "abcdefghijklmnopqrstuvwxyz") {
			t.Errorf("%q can never match, or forbids a suffixed form", word)
		}
	}
}

func FuzzHandle(f *testing.F) {
	for _, s := range []string{"admin", "_dmarc", "xn--abc", "a--b", "аpple", "🎮", "ﷺ", "a\u0301", "İ", "00000000000½00000000  00000000000000½"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkHandle(t, s) })
}

// checkHandle fails unless Handle keeps its promises for a wish.
func checkHandle(t rapid.TB, want string) {
	t.Helper()
	h := Handle(want)
	if h != "" && (!handleForm.MatchString(h) || Handle(h) != h || Reserved(h) || h[0] == '-' || h[len(h)-1] == '-') {
		t.Errorf("Handle(%q) = %q", want, h)
	}
	checkChoices(t, want)
}
