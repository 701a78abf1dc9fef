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

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
	"sandlot/internal/testkit/expect"
)

// testKey is a fresh key in clear.
func testKey(t testing.TB, kind sandlot.KeyKind) string {
	t.Helper()
	s, err := sandlot.MintSecret(kind, rand.Reader)
	expect.OK(t, err)
	return s.Reveal()
}

func TestKeyForm(t *testing.T) {
	t.Parallel()
	for kind, prefix := range map[sandlot.KeyKind]string{sandlot.AccountKey: "sla_", sandlot.ProjectKey: "slp_"} {
		form := regexp.MustCompile(`^` + prefix + `[0-9A-Za-z]{36}$`)
		for range 200 {
			if k := testKey(t, kind); !form.MatchString(k) || !inspect.LooksLikeKey(k) || sandlot.KeyPattern.FindString("<"+k+">") != k {
				t.Fatalf("%s is not a %s key", k, kind)
			}
		}
	}
}

func TestKeyDraw(t *testing.T) {
	t.Parallel()
	t.Run("a source of randomness that fails is an error and no key", func(t *testing.T) {
		broken := errors.New("broken")
		if s, err := sandlot.MintSecret(sandlot.AccountKey, iotest.ErrReader(broken)); !errors.Is(err, broken) || s != "" {
			t.Errorf("got %q, %v", s.Reveal(), err)
		}
	})
	t.Run("bytes that would favour a character are drawn again", func(t *testing.T) {
		got, err := sandlot.RandomText(bytes.NewReader(append(bytes.Repeat([]byte{255, 248}, 32), make([]byte, 64)...)), names.Base62, 4)
		if err != nil || got != "0000" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestSecretIsNeitherPrintedNorLogged(t *testing.T) {
	t.Parallel()
	key := testKey(t, sandlot.AccountKey)
	s := sandlot.Secret(key)
	by := sandlot.Identified(sandlot.Sender{}, sandlot.Credential{Secret: s, Key: &sandlot.Key{Account: 7}})
	held := []any{s, &s, []sandlot.Secret{s}, map[string]sandlot.Secret{"k": s}, Minted{Account: s}, &Minted{Project: s}, by, &by, partCall{by: by}, &sandlot.Credential{Secret: s}}
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
			expect.OK(t, err)
			hidden(t, string(out))
		})
	}
	t.Run("Reveal shows it", func(t *testing.T) {
		if s.Reveal() != key || sandlot.Secret("").String() != "" {
			t.Error("a key cannot be given to its owner, or an empty one looks like one")
		}
	})
}
