package inspect

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/format/names"
	"sandlot/internal/testkit/expect"
)

// keyPattern is the form of keys, as the contract has it.
var keyPattern = regexp.MustCompile(`sl[aptecordf]_[0-9A-Za-z]{36}`)

// testKey is a fresh key with this prefix.
func testKey(t testing.TB, prefix string) string {
	t.Helper()
	key := []byte(prefix)
	for range names.KeyRandom {
		key = append(key, names.Base62[rand.IntN(len(names.Base62))])
	}
	return string(key) + names.KeyChecksum(string(key))
}

// flip replaces the character at i by another of the alphabet.
func flip(s string, i int) string {
	c := byte('0')
	if s[i] == c {
		c = '1'
	}
	return s[:i] + string(c) + s[i+1:]
}

func TestKeyOfAnotherLengthIsNone(t *testing.T) {
	k := testKey(t, names.AccountPrefix)
	for _, s := range []string{"", k[:39], k + "0", " " + k, k + "\n", "sla_", strings.ToUpper(k), "slx_" + k[4:]} {
		if LooksLikeKey(s) {
			t.Errorf("%q passes", s)
		}
	}
}

func TestRedact(t *testing.T) {
	a, p := testKey(t, names.AccountPrefix), testKey(t, names.ProjectPrefix)
	for _, s := range []string{a, "<" + a + ">", a + p, a + p + a, a[:39], a[:20] + p, "key=" + p + "&x", "sla_" + a, a + "_" + p} {
		if got := Redact(s); containsPart(got, a) || containsPart(got, p) || !strings.Contains(got, "<key>") {
			t.Errorf("%s became %s", s, got)
		}
	}
	for s, want := range map[string]string{
		"space-cats-0a1b2c--v12-0123456789.localhost:8080":             "space-cats-0a1b2c--v12-<secret>.localhost:8080",
		"see http://A-0A1B2C--V1-ABCDEFGHJK.example.com/x, " + a + ".": "see http://A-0A1B2C--V1-<secret>.example.com/x, <key>.",
	} {
		expect.Equal(t, s+" became", Redact(s), want)
	}
	for _, s := range []string{"", "slow", "sla_", "slp_ and more", "https://example.com/p/space-cats-0a1b2c", "game--v2-final.js", "--verbose"} {
		expect.Equal(t, s+" became", Redact(s), s)
	}
}

func TestShownNeverShowsAKey(t *testing.T) {
	key := testKey(t, names.AccountPrefix)
	for _, s := range []string{key, "http://localhost/p/x?api_key=" + key, "0123456789012345678901234567890123456789" + key, key + key} {
		if got := Quoted(s); len(got) > 100 || containsPart(got, key) {
			t.Errorf("shown as %s", got)
		}
	}
	if got := Quoted("a\x1b[2J\u202eb\xff"); got != `"a\x1b[2J\u202eb?"` {
		t.Errorf("what acts in a terminal is shown as %s", got)
	}
}

// containsPart reports whether s shows eight characters of the key in a row.
func containsPart(s, key string) bool {
	for i := 4; i+8 <= len(key); i++ {
		for j := 0; j+8 <= len(s); j++ {
			if s[j:j+8] == key[i:i+8] {
				return true
			}
		}
	}
	return false
}
