package names

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestFilenameRefused(t *testing.T) {
	long := strings.Repeat("a", 256)
	tests := []struct {
		row   string
		names []string
	}{
		{"39/traversal, absolute, empty and dot parts", []string{"../x", "a/../../x", "/etc/passwd", "./x", "a//b", "a/", "", ".", "..", "a/..", "a/./b", "/", "//"}},
		{"40/backslashes, drives, shares and addresses", []string{`..\x`, `C:\x`, "C:x", `\\srv\s`, "file:///x", `a\b`}},
		{"41/percent signs are not decoded", []string{"%2e%2e%2fx", "..%5c", "%00", "100%"}},
		{"42/control and invisible characters", []string{"a\x00", "a\nb", "a\rb", "a\tb", "a\x7fb", "a\u0085b", "a\u009fb", "a\u202eb", "a\u200bb", "a\u200cb", "a\u200db", "a\u200eb", "a\u200fb", "\ufeffa", "a\u2060b", "a\u2064b", "a\u2066b", "a\u00adb", "a\U000e0041b", "a\U000e0100b", "a\u2028b", "a\u3164b", "a\ufffeb"}},
		{"42/a variation selector that changes nothing seen", []string{"index\ufe0f.html", "a\ufe0e", "\ufe0fa", "é\ufe0f", "1\ufe0f", "1\ufe0f\u20e3", "❤\ufe0f\ufe0f"}},
		{"43/spellings of .git", []string{".git/config", ".GIT/x", "a/.git/x", ".git.", ".git ", "GIT~1", "git~2/x", ".gi\u200ct", ".g\u200dit/x", ".git::$INDEX_ALLOCATION", ".git", "a/.Git"}},
		{"44/Windows devices", []string{"CON", "nul.txt", "aux.html", "COM1", "LPT9.js", "COM¹", "lpt³.txt", "prn", "CONIN$", "conout$.txt", "a/con/b", "con .txt", "Com0", "nul.tar.gz"}},
		{"44/trailing dot or blank", []string{"a./b", "a /b", "a.", "a ", "a\u00a0", "a\u3000", "...", " "}},
		{"44/characters Windows refuses", []string{"a:b", "a*", "a?", `a"`, "a<b", "a>b", "a|b"}},
		{"45/a part of 256 bytes", []string{long, "a/" + long, strings.Repeat("é", 128)}},
		{"45/over 512 bytes", []string{strings.Repeat("abcdefg/", 64) + "a", strings.Repeat("a", 1<<20)}},
		{"45/over 16 parts", []string{strings.Repeat("a/", 16) + "a"}},
		{"49/index.html with a slash", []string{"index.html/"}},
		{"50/the service's own folders", []string{".well-known/acme-challenge/x", ".well-known/acme-challenge", ".Well-Known/ACME-challenge/x", ".sandlot/x", ".SANDLOT/a/b", ".sandlot"}},
		{"invalid UTF-8", []string{"a\xff", "\xc3", "a\xed\xa0\x80b"}},
		{"more marks than normalization keeps together", []string{"a" + strings.Repeat("\u0301\u0316", 20)}},
	}
	for _, tt := range tests {
		t.Run("row "+tt.row, func(t *testing.T) {
			for _, name := range tt.names {
				got, err := Filename(name)
				var refused *FilenameError
				if !errors.As(err, &refused) {
					t.Errorf("Filename(%.60q) = %q, %v; want a *FilenameError", name, got, err)
					continue
				}
				checkRefusal(t, refused)
			}
		})
	}
}

// checkRefusal fails unless an error keeps what FilenameError promises.
func checkRefusal(t *testing.T, refused *FilenameError) {
	t.Helper()
	if got, err := Filename(refused.Suggestion); err != nil || got != refused.Suggestion {
		t.Errorf("suggestion %q gives %q, %v", refused.Suggestion, got, err)
	}
	if !strings.HasSuffix(refused.Reason, ".") || len(refused.Reason) > 1000 || strings.ContainsFunc(refused.Reason, func(r rune) bool { return r < ' ' || invisible(r) }) {
		t.Errorf("reason %q is not one short printable sentence", refused.Reason)
	}
}

func TestFilenameAccepted(t *testing.T) {
	tests := []struct {
		row   string
		names []string
	}{
		{"45/exactly at the limits", []string{strings.Repeat("a", 255), strings.Repeat("a/", 15) + "a", strings.Repeat(strings.Repeat("a", 31)+"/", 16)[:511] + "b", strings.Repeat("é", 127)}},
		{"49/index.html in any case", []string{"index.html", "INDEX.HTML"}},
		{"50/names that mean something elsewhere", []string{"manifest.json", "robots.txt", "sw.js", ".nojekyll", ".well-known/x", ".well-known", ".htaccess", "a/.sandlot/x", ".gitignore", ".github/x", "git", "a/.well-known/acme-challenge/x"}},
		{"near misses of devices", []string{"console.js", "con-1.txt", "COM10", "LPT", "com", "x.con", ".con", "null", "aux1", "auxiliary.js"}},
		{"near misses of .git", []string{"git~", "git~a", ".gits", "..git", "legit~1"}},
		{"scripts, emoji and blanks", []string{"ゲーム/画像.png", "игра.html", "🎮.html", "❤\ufe0f.png", "my game (1).html", "a b/c d.txt", " a", "~a", "#1.js", "a+b=c&d;e,f@g!h'i$j", "a\ufffdb"}},
	}
	for _, tt := range tests {
		t.Run("row "+tt.row, func(t *testing.T) {
			for _, name := range tt.names {
				if got, err := Filename(name); err != nil || got != name {
					t.Errorf("Filename(%q) = %q, %v; want it unchanged", name, got, err)
				}
			}
		})
	}
}

func TestFilenameSuggestion(t *testing.T) {
	tests := map[string]string{
		"../x":                         "x",
		"a/../../x":                    "x",
		"/assets/logo.png":             "assets/logo.png",
		"file:///home/me/logo.png":     "logo.png",
		`assets\logo.png`:              "assets/logo.png",
		"my%20game.html":               "my game.html",
		"%2e%2e%2fx":                   "x",
		"100%.html":                    "100-.html",
		"what???.png":                  "what-.png",
		"a*?\"<>|":                     "a",
		"con.txt":                      "_con.txt",
		"a./b":                         "a/b",
		".git/config":                  "git/config",
		".gi\u200ct":                   "git",
		"GIT~1":                        "GIT-1",
		".sandlot/x.js":                "sandlot/x.js",
		".well-known/acme-challenge/x": "well-known/acme-challenge/x",
		"e\u200d\u0301.png":            "é.png",
		"":                             "file",
		"..":                           "file",
		"\xff":                         "file",
		strings.Repeat(strings.Repeat("d", 100)+"/", 6) + "x.js":  strings.Repeat(strings.Repeat("d", 100)+"/", 5) + "x.js",
		strings.Repeat("a", 200) + "." + strings.Repeat("b", 100): strings.Repeat("a", 200) + "." + strings.Repeat("b", 54),
		strings.Repeat("é", 150):                                  strings.Repeat("é", 127),
		"../" + strings.Repeat("%2e%2e/", 5000) + "x":             "x",
		strings.Repeat("d/", 20) + "x.js":                         strings.Repeat("d/", 15) + "x.js",
	}
	for name, want := range tests {
		_, err := Filename(name)
		var refused *FilenameError
		if !errors.As(err, &refused) || refused.Suggestion != want {
			t.Errorf("Filename(%q): %+v, want the suggestion %q", name, refused, want)
		}
	}
}

func TestFold(t *testing.T) {
	same := []struct {
		row  string
		a, b string
	}{
		{"46/composed and decomposed are one name", "caf\u00e9.png", "cafe\u0301.png"},
		{"47/case", "Logo.png", "logo.png"},
		{"47/case beyond ASCII", "ÉCRAN/ЖУК.PNG", "écran/жук.png"},
		{"47/full folding", "STRASSE", "straße"},
		{"47/final sigma", "ΣΑΣ", "σας"},
		{"47/Kelvin", "\u212a", "k"},
		{"49/the primary in capitals", "INDEX.HTML", "index.html"},
	}
	for _, tt := range same {
		t.Run("row "+tt.row, func(t *testing.T) {
			if a, b := Fold(tt.a), Fold(tt.b); a != b {
				t.Errorf("%q and %q", a, b)
			}
		})
	}
	t.Run("row 47/every letter that has another case", func(t *testing.T) {
		for r := rune(0); r <= unicode.MaxRune; r++ {
			if other := unicode.SimpleFold(r); other != r {
				if a, b := Fold(string(r)), Fold(string(other)); a != b || Fold(a) != a {
					t.Errorf("U+%04X and U+%04X fold to %q and %q", r, other, a, b)
				}
			}
		}
	})
	t.Run("other names stay apart", func(t *testing.T) {
		if Fold("a") == Fold("b") || Fold("é") == Fold("e") || Fold("İ") == Fold("i") || Fold("a/b") == Fold("a") {
			t.Error("two names were taken for one")
		}
	})
	t.Run("row 46/stored in NFC", func(t *testing.T) {
		if got, err := Filename("cafe\u0301.png"); err != nil || got != "caf\u00e9.png" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func FuzzFilename(f *testing.F) {
	for _, s := range []string{"index.html", "../x", "CON", ".git ", "e\u0301", "a\u202e", "❤\ufe0f", "%2e", "1\ufe0f\u20e3", "\xff", `C:\x`, "a://b", "ẞ/İ", "Ꮮ", strings.Repeat("é/", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, err := Filename(s)
		var refused *FilenameError
		if errors.As(err, &refused) {
			checkRefusal(t, refused)
			return
		}
		if again, err := Filename(name); err != nil || again != name {
			t.Errorf("%q is not kept: %q, %v", name, again, err)
		}
		if !utf8.ValidString(name) || !norm.NFC.IsNormalString(name) || len(name) > 512 {
			t.Errorf("%q is not NFC of at most 512 bytes", name)
		}
		for _, segment := range strings.Split(name, "/") {
			if slices.Contains([]string{"", ".", ".."}, segment) || len(segment) > 255 || strings.EqualFold(segment, ".git") {
				t.Errorf("%q has the part %q", name, segment)
			}
		}
		if folded := Fold(name); Fold(folded) != folded || Fold(strings.ToUpper(name)) != Fold(strings.ToUpper(folded)) {
			t.Errorf("the fold of %q is not stable: %q", name, folded)
		}
	})
}
