package names

import (
	"net/mail"
	"strings"
	"testing"
)

func TestEmailRefused(t *testing.T) {
	tests := []struct {
		row  string
		list []string
	}{
		{"72/no address", []string{"", "a", "a@", "@b", "@b.c", "@", "a@@b.c", "a@b@c.d"}},
		{"72/a domain without a dot", []string{"a@b", "root@localhost"}},
		{"72/a wrong domain", []string{"a@b..c", "a@.b.c", "a@b.c.", "a@-b.c", "a@b-.c", "a@b_c.d", "a@b.c/d", "a@xn--a.de", "a@b!c.d", "a@" + strings.Repeat("b", 64) + ".c"}},
		{"72/255 characters and more", []string{"a@" + strings.Repeat("bbb.", 63) + "c", "a@" + strings.Repeat("b.", 1<<19) + "c"}},
		{"72/an international domain too long in ASCII", []string{"a@" + strings.Repeat("ü.", 80) + "de"}},
		{"72/quoted", []string{`"a b"@c.d`, `"a"@c.d`}},
		{"72/address literals", []string{"a@[127.0.0.1]", "a@[IPv6:::1]", "a@127.0.0.1"}},
		{"72/a display name", []string{"A <a@b.c>", "<a@b.c>", "a@b.c (A)"}},
		{"72/lists", []string{"a@b.c,d@e.f", "a@b.c;d@e.f", "a@b.c d@e.f", "g:a@b.c;"}},
		{"72/before the @", []string{".a@b.c", "a.@b.c", "a..b@c.d", strings.Repeat("a", 65) + "@b.c", "ä@b.c", "a\xff@b.c", `a\b@c.d`}},
		{"73/header injection", []string{"a@b.c\r\nBcc: x@y.z", "a@b.c>\r\nDATA", "a\r\n@b.c", "a@b.c\n", "a@b.c\x00", "a@b\tc.d"}},
		{"73/encoded words", []string{"=?utf-8?q?a?=@b.c", "=?utf-8?b?YUBiLmM=?=", "a=?b@c.d"}},
		{"invisible characters", []string{"a@b\u200b.c", "a@b\u00ad.c", "a@\u202eb.c", "\ufeffa@b.c"}},
		{"blanks", []string{" a@b.c", "a@b.c ", "a@b\u00a0.c", "a b@c.d"}},
	}
	for _, tt := range tests {
		t.Run("row "+tt.row, func(t *testing.T) {
			for _, s := range tt.list {
				got, err := Email(s)
				if err == nil || got != "" {
					t.Errorf("Email(%.60q) = %q, %v; want an error", s, got, err)
				} else if r := err.Error(); !strings.HasPrefix(r, "The e-mail address ") || !strings.HasSuffix(r, ".") {
					t.Errorf("Email(%.60q): reason %q is not a sentence", s, r)
				}
			}
		})
	}
}

func TestEmailAccepted(t *testing.T) {
	local := strings.Repeat("a", 64)
	long := local + "@" + strings.Repeat("bbb.", 46) + "ccccc" // 254 bytes
	tests := map[string]string{
		"a@b.c":                    "a@b.c",
		"Me.Too+games@Example.COM": "Me.Too+games@example.com",
		"o'neil_x-1@a-b.example":   "o'neil_x-1@a-b.example",
		"me@r3---sn.example.com":   "me@r3---sn.example.com",
		"me@Bücher.example":        "me@xn--bcher-kva.example",
		"me@XN--BCHER-KVA.example": "me@xn--bcher-kva.example",
		"me@例え.jp":                 "me@xn--r8jz45g.jp",
		"1@2.com":                  "1@2.com",
		"!#$%&'*+-/?=^_`{|}~@b.c":  "!#$%&'*+-/?=^_`{|}~@b.c",
		long:                       long,
	}
	for in, want := range tests {
		if got, err := Email(in); err != nil || got != want {
			t.Errorf("Email(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	if len(long) != 254 {
		t.Errorf("the longest address has %d bytes", len(long))
	}
}

func TestEmailKey(t *testing.T) {
	for in, want := range map[string]string{
		"Me+Games@example.com": "me@example.com",
		"me+a+b@example.com":   "me@example.com",
		"me@example.com":       "me@example.com",
		"m.e@example.com":      "m.e@example.com",
		"K.i.m+x@gmail.com":    "kim@gmail.com",
		"k.im@GoogleMail.com":  "kim@gmail.com",
		"k.im@gmail.com.br":    "k.im@gmail.com.br",
		"no address":           "no address",
		"":                     "",
	} {
		if got := EmailKey(in); got != want {
			t.Errorf("EmailKey(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzEmail(f *testing.F) {
	for _, s := range []string{"a@b.c", "a@b..c", "A <a@b.c>", "a@b.c\r\nBcc: x@y.z", "me@Bücher.example", "a@日本。jp", "a@ß.de", "=?a@b.c", "a@١.com"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		address, err := Email(s)
		EmailKey(s)
		if err != nil {
			return
		}
		if again, err := Email(address); err != nil || again != address {
			t.Errorf("%q is not kept: %q, %v", address, again, err)
		}
		if !isASCII(address) || strings.ContainsAny(address, "\r\n\x00 <>,;:\"") || len(address) > 254 {
			t.Errorf("%q cannot stand in a header", address)
		}
		parsed, err := mail.ParseAddress(address)
		if err != nil || parsed.Address != address || parsed.Name != "" {
			t.Errorf("net/mail reads %q as %v, %v", address, parsed, err)
		}
	})
}
