package inspect

import (
	"fmt"
	"strings"
	"testing"

	"sandlot/internal/format/names"
)

// encoded is s with each byte for which all is true percent-encoded, so many times.
func encoded(s string, times int, all func(i int) bool) string {
	for range times {
		var out strings.Builder
		for i := range len(s) {
			if s[i] == '%' || all(i) {
				fmt.Fprintf(&out, "%%%02X", s[i])
			} else {
				out.WriteByte(s[i])
			}
		}
		s = out.String()
	}
	return s
}

func TestRegression12WhatIsEncodedIsRedacted(t *testing.T) {
	account := testKey(t, names.AccountPrefix)
	secrets := map[string]string{"an account key": account, "a project key": testKey(t, names.ProjectPrefix), "an upload_token": "slu_" + account[4:], "a version": "game--v1-0123456789"}
	for name, secret := range secrets {
		hidden := secret[len(secret)-10:]
		for times := range 6 {
			for pattern, all := range map[string]func(int) bool{
				"all of it": func(int) bool { return true }, "its first byte": func(i int) bool { return i == 0 },
				"its underscore": func(i int) bool { return i == 3 }, "every third": func(i int) bool { return i%3 == 2 },
			} {
				text := "/p/" + encoded(secret, times, all) + "/x"
				if got := unescaped(Redact(text)); strings.Contains(got, hidden) {
					t.Errorf("%s, %s encoded %d times, became %s", name, pattern, times, got)
				}
				if name != "a version" && !HoldsKey(text) {
					t.Errorf("%s, %s encoded %d times, is not recognised", name, pattern, times)
				}
			}
		}
	}
	t.Run("what an escape makes may be part of another one", func(t *testing.T) {
		for text, want := range map[string]string{
			"%2541": "A", "%%341": "A", "%25%34%31": "A", "%3%34": "4", "%%%": "%%%", "%4": "%4", "%zz%41": "%zzA", "a%00b": "a\x00b",
		} {
			if got := unescaped(text); got != want {
				t.Errorf("%q became %q, want %q", text, got, want)
			}
		}
	})
	t.Run("what holds no secret stays as it is", func(t *testing.T) {
		for _, text := range []string{"/100%25", "/a%2Fb/my%20logo.png", "%25%25", "/levels/1.json"} {
			if got := Redact(text); got != text || HoldsKey(text) {
				t.Errorf("%q became %q", text, got)
			}
		}
	})
	t.Run("its cost grows with the length alone", func(t *testing.T) {
		// Pass after pass this would be half a million passes over a megabyte.
		if got := unescaped("%" + strings.Repeat("25", 1<<19)); got != "%" {
			t.Errorf("%d bytes are left", len(got))
		}
	})
}
