package publish

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
)

// testKey is a fresh key in clear.
func testKey(t testing.TB, kind KeyKind) string {
	t.Helper()
	s, err := MintSecret(kind, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return s.Reveal()
}

// flip replaces the character at i by another of the alphabet.
func flip(s string, i int) string {
	c := byte('0')
	if s[i] == c {
		c = '1'
	}
	return s[:i] + string(c) + s[i+1:]
}

func TestKeyForm(t *testing.T) {
	for kind, prefix := range map[KeyKind]string{AccountKey: "sla_", ProjectKey: "slp_"} {
		form := regexp.MustCompile(`^` + prefix + `[0-9A-Za-z]{36}$`)
		for range 200 {
			if k := testKey(t, kind); !form.MatchString(k) || !LooksLikeKey(k) || KeyPattern.FindString("<"+k+">") != k {
				t.Fatalf("%s is not a %s key", k, kind)
			}
		}
	}
}

func TestKeyWithOneFlippedCharacterNeverPasses(t *testing.T) {
	const alphabet = base62 + "_- ="
	for _, kind := range []KeyKind{AccountKey, ProjectKey} {
		k := testKey(t, kind)
		for i := range k {
			for _, c := range []byte(alphabet) {
				if c != k[i] && LooksLikeKey(k[:i]+string(c)+k[i+1:]) {
					t.Fatalf("%s passes with %q at %d", k, c, i)
				}
			}
		}
	}
}

func TestKeyOfAnotherLengthIsNone(t *testing.T) {
	k := testKey(t, AccountKey)
	for _, s := range []string{"", k[:39], k + "0", " " + k, k + "\n", "sla_", strings.ToUpper(k), "slx_" + k[4:]} {
		if LooksLikeKey(s) {
			t.Errorf("%q passes", s)
		}
	}
}

func TestKeyDraw(t *testing.T) {
	t.Run("a source of randomness that fails is an error and no key", func(t *testing.T) {
		broken := errors.New("broken")
		if s, err := MintSecret(AccountKey, iotest.ErrReader(broken)); !errors.Is(err, broken) || s != "" {
			t.Errorf("got %q, %v", s.Reveal(), err)
		}
	})
	t.Run("bytes that would favour a character are drawn again", func(t *testing.T) {
		got, err := randomText(bytes.NewReader(append(bytes.Repeat([]byte{255, 248}, 32), make([]byte, 64)...)), base62, 4)
		if err != nil || got != "0000" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestFindKey(t *testing.T) {
	a, p := testKey(t, AccountKey), testKey(t, ProjectKey)
	tests := []struct {
		name, text string
		want       int
	}{
		{"nothing", "", -1},
		{"no key", "slow slap sla_ slp_", -1},
		{"at the beginning", a + " and more", 0},
		{"at the end", "key: " + p, 5},
		{"the first of two", a + p, 0},
		{"behind one that is mistyped", flip(a, 9) + p, 40},
		{"behind one that was cut", a[:37] + p, 37},
		{"behind one that was cut inside its prefix", "sl" + a, 2},
		{"inside a longer word", "xx" + a + "yy", 2},
		{"cut", a[:39], -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := FindKey([]byte(tt.text)); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestSecretIsNeitherPrintedNorLogged(t *testing.T) {
	key := testKey(t, AccountKey)
	s := Secret(key)
	held := []any{s, &s, []Secret{s}, map[string]Secret{"k": s}, Minted{Account: s}, &Minted{Project: s}, Caller{kind: callerKey, key: Key{Account: 7}, secret: &s}, &Caller{secret: &s}, partCall{by: Caller{secret: &s}}}
	hidden := func(t *testing.T, out string) {
		t.Helper()
		if strings.Contains(out, key[4:12]) || strings.Contains(out, fmt.Sprintf("%x", key[4:12])) {
			t.Errorf("the key is shown: %s", out)
		}
	}
	for _, v := range held {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
			t.Run(fmt.Sprintf("%T by %s", v, verb), func(t *testing.T) { hidden(t, fmt.Sprintf(verb, v)) })
		}
		for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
			"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
			"JSON": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		} {
			t.Run(fmt.Sprintf("%T logged as %s", v, name), func(t *testing.T) {
				var b bytes.Buffer
				slog.New(handler(&b)).Info("asked", "by", v)
				hidden(t, b.String())
			})
		}
		t.Run(fmt.Sprintf("%T as JSON", v), func(t *testing.T) {
			out, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			hidden(t, string(out))
		})
	}
	t.Run("Reveal shows it", func(t *testing.T) {
		if s.Reveal() != key || Secret("").String() != "" {
			t.Error("a key cannot be given to its owner, or an empty one looks like one")
		}
	})
}

func TestRedact(t *testing.T) {
	a, p := testKey(t, AccountKey), testKey(t, ProjectKey)
	for _, s := range []string{a, "<" + a + ">", a + p, a + p + a, a[:39], a[:20] + p, "key=" + p + "&x", "sla_" + a, a + "_" + p} {
		if got := Redact(s); containsPart(got, a) || containsPart(got, p) || !strings.Contains(got, "<key>") {
			t.Errorf("%s became %s", s, got)
		}
	}
	for s, want := range map[string]string{
		"space-cats-0a1b2c--v12-0123456789.localhost:8080":             "space-cats-0a1b2c--v12-<secret>.localhost:8080",
		"see http://A-0A1B2C--V1-ABCDEFGHJK.example.com/x, " + a + ".": "see http://A-0A1B2C--V1-<secret>.example.com/x, <key>.",
	} {
		if got := Redact(s); got != want {
			t.Errorf("%s became %s", s, got)
		}
	}
	for _, s := range []string{"", "slow", "sla_", "slp_ and more", "https://example.com/p/space-cats-0a1b2c", "game--v2-final.js", "--verbose"} {
		if got := Redact(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}
