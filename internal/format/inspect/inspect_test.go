package inspect

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"sandlot/internal/format/names"
	"sandlot/internal/testkit/expect"
)

// seen holds all results of an inspector.
type seen struct {
	Size   int64
	SHA256 [32]byte
	Text   bool
	Findings
}

// inspected returns the results of an inspector for data that comes in the given pieces.
func inspected(pieces ...[]byte) seen {
	in := New()
	for _, p := range pieces {
		in.Write(p)
	}
	return seen{in.Size(), in.Sum(), in.Text(), in.Findings()}
}

// plainly returns the expected results, from data as a whole.
func plainly(data []byte) seen {
	c := seen{Findings: Findings{KeyAt: -1, Head: data[:min(len(data), HeadSize)]}}
	c.Size, c.SHA256, c.Text = int64(len(data)), sha256.Sum256(data), utf8.Valid(data)
	c.Gzip = bytes.HasPrefix(data, []byte("\x1f\x8b"))
	c.Within = plainBase64(data)
	c.Base64 = bytes.HasPrefix(c.Within, []byte("<")) || bytes.HasPrefix(c.Within, []byte("\x1f\x8b"))
	for at := 0; c.Text && c.KeyAt < 0 && at+40 <= len(data); at++ {
		if LooksLikeKey(string(data[at : at+40])) {
			c.KeyAt = int64(at)
		}
	}
	if c.Text {
		c.Damage = DamageOf(c.Head, data[max(len(data)-TailSize, 0):])
	}
	return c
}

// plainBase64 decodes with the standard library, after the alphabets and the
// padding were made one.
func plainBase64(data []byte) []byte {
	text := strings.NewReplacer("\n", "", "\r", "", "-", "+", "_", "/").Replace(string(data))
	pad := len(text) - len(strings.TrimRight(text, "="))
	if pad > 2 || pad > 0 && len(text)%4 != 0 {
		return nil
	}
	out, err := base64.RawStdEncoding.DecodeString(text[:len(text)-pad])
	if err != nil {
		return nil
	}
	return out[:min(len(out), firstChars/4*3)]
}

// compare leaves out the position of a key in bytes that are no text: nobody needs it.
func compare(t testing.TB, got, want seen) {
	t.Helper()
	if !got.Text {
		got.KeyAt = -1
	}
	got.Head, want.Head = append([]byte{}, got.Head...), append([]byte{}, want.Head...)
	got.Within, want.Within = append([]byte{}, got.Within...), append([]byte{}, want.Within...)
	expect.Same(t, "what the inspector found", got, want)
}

func TestInspectorSeesTheSameHoweverTheBytesAreCut(t *testing.T) {
	a, p := testKey(t, names.AccountPrefix), testKey(t, names.ProjectPrefix)
	html := "<!doctype html><title>x</title>"
	samples := map[string]string{
		"empty":                                   "",
		"one byte":                                "a",
		"text of one to four bytes a character":   "aé€🎮" + strings.Repeat("🎮€é", 5),
		"a character cut off at the end":          "abc\xe2\x82",
		"a lone continuation byte":                "abc\x82def",
		"a surrogate":                             "abc\xed\xa0\x80def",
		"an overlong slash":                       "abc\xc0\xafdef",
		"a wrong third byte":                      "\xe2\x82(",
		"the replacement character itself":        "a\ufffdb",
		"above the last code point":               "\xf4\x90\x80\x80",
		"a key":                                   "const key = '" + a + "'",
		"a key and nothing else":                  p,
		"two keys":                                "x " + a + p,
		"a key behind one that was cut":           a[:37] + p,
		"a key behind beginnings of keys":         "sla_sla_slp_" + a,
		"a key with one wrong character":          flip(a, 20),
		"a key behind bytes that are no text":     "\xff" + a,
		"a key before bytes that are no text":     a + "\xff",
		"base64 of HTML":                          base64.StdEncoding.EncodeToString([]byte(html)),
		"base64url of HTML":                       base64.RawURLEncoding.EncodeToString([]byte(html + "??>>")),
		"base64 of gzip":                          base64.StdEncoding.EncodeToString([]byte("\x1f\x8b\x08\x00")),
		"base64 of other bytes":                   base64.StdEncoding.EncodeToString([]byte("GIF89a")),
		"base64 in lines":                         "PGh0\r\nbWw+\n",
		"base64 of one byte":                      "PA==",
		"base64 of one byte without padding":      "PA",
		"base64 of two bytes of gzip":             "H4s=",
		"padding in the middle":                   "PA==PGh0",
		"too much padding":                        "PGh0====",
		"padding that does not fit":               "PGh0=",
		"base64 with one character too many":      "PGh0b",
		"HTML":                                    html,
		"gzip":                                    "\x1f\x8b\x08\x00",
		"one byte of gzip":                        "\x1f",
		"a blank in base64":                       "PGh0 bWw+",
		"a byte order mark before base64 of HTML": "\ufeffPGh0bWw+",
	}
	for name, text := range samples {
		t.Run(name, func(t *testing.T) {
			data := []byte(text)
			want := plainly(data)
			compare(t, inspected(data), want)
			for at := range data {
				compare(t, inspected(data[:at], data[at:]), want)
			}
			single := make([][]byte, len(data))
			for i := range data {
				single[i] = data[i : i+1]
			}
			compare(t, inspected(single...), want)
		})
	}
}

func TestInspectorKeepsOnlyTheHead(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 3000)
	c := inspected(data[:10_000], data[10_000:20_000], data[20_000:])
	if !bytes.Equal(c.Head, data[:HeadSize]) {
		t.Errorf("the head has %d bytes, want the first %d", len(c.Head), HeadSize)
	}
	if c.Size != int64(len(data)) || c.SHA256 != sha256.Sum256(data) {
		t.Errorf("size %d or hash is wrong", c.Size)
	}
}

func FuzzInspector(f *testing.F) {
	const key = "sla_0123456789ABCDEFGHIJKLMNOPQRST"
	f.Add([]byte("aé€🎮\xe2"), 3)
	f.Add([]byte("x"+key+names.KeyChecksum(key)), 9)
	f.Add([]byte("PGh0bWw+"), 5)
	f.Add([]byte("```"), 9)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		at := min(max(cut, 0), len(data))
		compare(t, inspected(data[:at], data[at:]), plainly(data))
	})
}
