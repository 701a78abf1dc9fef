package lure

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// unescape decodes the escapes of a string or a name of a script.
func unescape(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	var b strings.Builder
	for ; at >= 0 && at+1 < len(s); at = strings.IndexByte(s, '\\') {
		b.WriteString(s[:at])
		r, n := escaped(s[at+1:])
		if r >= 0 {
			b.WriteRune(r)
		}
		s = s[at+1+n:]
	}
	b.WriteString(s)
	return b.String()
}

// escaped returns the character that s means behind a backslash, and how many bytes of s that takes. The character is
// negative for a line that goes on.
func escaped(s string) (rune, int) {
	switch {
	case s[0] == 'x' && len(s) >= 3:
		return hexRune(s[1:3], 3)
	case s[0] == 'u' && strings.HasPrefix(s, "u{"):
		if n := strings.IndexByte(s[:min(len(s), 12)], '}'); n > 0 {
			return hexRune(s[2:n], n+1)
		}
	case s[0] == 'u' && len(s) >= 5:
		return hexRune(s[1:5], 5)
	case s[0] >= '0' && s[0] <= '7':
		return octal(s)
	case strings.HasPrefix(s, "\r\n"):
		return -1, 2
	case s[0] == '\n':
		return -1, 1
	case s[0] == 'n' || s[0] == 'r' || s[0] == 't':
		return ' ', 1
	}
	return utf8.DecodeRuneInString(s)
}

func hexRune(digits string, n int) (rune, int) {
	r, err := strconv.ParseUint(digits, 16, 21)
	if err != nil {
		return 'u', 1
	}
	return rune(r), n
}

func octal(s string) (rune, int) {
	r, n := rune(0), 0
	for n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '7' && r*8+rune(s[n]-'0') <= 255 {
		r, n = r*8+rune(s[n]-'0'), n+1
	}
	return r, n
}

// reveal undoes one encoding of a text. ok is false if it has none.
func reveal(s string) (plain string, ok bool) {
	if media, data, is := dataURL(s); is {
		return data, !media
	}
	for _, decode := range []func(string) (string, bool){percent, fromHex, fromBase64, entities, escapes} {
		if plain, ok = decode(s); ok {
			return plain, true
		}
	}
	return "", false
}

// dataURL returns the content of a data: URL. media is true where it is no text.
func dataURL(s string) (media bool, data string, ok bool) {
	s = strings.TrimSpace(s[:min(len(s), 64)]) + s[min(len(s), 64):]
	if len(s) < 5 || !strings.EqualFold(s[:5], "data:") {
		return false, "", false
	}
	head, data, ok := strings.Cut(s[5:], ",")
	head = strings.ToLower(head)
	for _, kind := range []string{"image/", "audio/", "video/", "font/", "application/octet-stream", "application/wasm", "application/font"} {
		media = media || strings.HasPrefix(head, kind) && !strings.Contains(head, "svg")
	}
	if media || !ok {
		return true, "", true
	}
	if plain, is := percent(data); is {
		data = plain
	}
	if strings.Contains(head, "base64") {
		data, _ = fromBase64(data)
	}
	return false, data, true
}

// percent decodes %41 and %u0041.
func percent(s string) (string, bool) {
	at := strings.IndexByte(s, '%')
	if at < 0 {
		return "", false
	}
	var b strings.Builder
	found := false
	for ; at >= 0; at = strings.IndexByte(s, '%') {
		b.WriteString(s[:at])
		n, size := uint64(0), 0
		for _, form := range []struct{ from, to int }{{1, 3}, {2, 6}} {
			if at+form.to <= len(s) && size == 0 && (form.from == 1 || s[at+1] == 'u') {
				if v, err := strconv.ParseUint(s[at+form.from:at+form.to], 16, 16); err == nil {
					n, size = v, form.to
				}
			}
		}
		switch {
		case size == 0:
			b.WriteByte('%')
			size = 1
		case size == 3:
			b.WriteByte(byte(n))
		default:
			b.WriteRune(rune(n))
		}
		found = found || size > 1
		s = s[at+size:]
	}
	b.WriteString(s)
	return b.String(), found
}

// fromHex decodes digits of hexadecimal that are text.
func fromHex(s string) (string, bool) {
	if len(s) < 8 || len(s)%2 > 0 || s[0] < '2' || s[0] > '7' || strings.IndexFunc(s[:8], notHex) >= 0 {
		return "", false
	}
	plain, err := hex.DecodeString(s)
	return string(plain), err == nil && readable(string(plain))
}

func notHex(r rune) bool { return !unicode.Is(unicode.ASCII_Hex_Digit, r) }

// fromBase64 decodes base64 that is text, of either alphabet, or with the letters of both cases exchanged, as obfuscators write it.
func fromBase64(s string) (string, bool) {
	if len(s) < 6 || strings.IndexFunc(s[:min(len(s), 32)], notBase64) >= 0 {
		return "", false
	}
	s = strings.NewReplacer("-", "+", "_", "/", "\n", "", " ", "", "\t", "").Replace(strings.TrimRight(s, "= \n"))
	s = s[:len(s)-len(s)%4+[]int{0, 0, 2, 3}[len(s)%4]]
	for _, text := range []string{s, exchanged(s)} {
		if !startsReadable(text) {
			continue
		}
		if plain, err := base64.RawStdEncoding.DecodeString(text); err == nil && readable(string(plain)) {
			return string(plain), true
		}
	}
	return "", false
}

func notBase64(r rune) bool {
	return r >= utf8.RuneSelf || !inWord(byte(r)) && !strings.ContainsRune("+/-_= \n\t", r) || r == '$'
}

// startsReadable reports whether the first characters of base64 are text: most other strings end here.
func startsReadable(s string) bool {
	start, err := base64.RawStdEncoding.DecodeString(s[:min(len(s), 16)])
	for len(start) > 0 && !utf8.Valid(start) && len(s) > 16 {
		start = start[:len(start)-1]
	}
	return err == nil && len(start) > 3 && readable(string(start))
}

// exchanged exchanges small and capital letters.
func exchanged(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b[i] = c ^ 0x20
		}
	}
	return string(b)
}

// readable reports whether s is text without control characters.
func readable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0
	}) < 0
}

// entities decodes a text that hides its tags. One with tags of its own shows the others as text.
func entities(s string) (string, bool) {
	if strings.Contains(s, "<") || !strings.Contains(s, "&#") && !strings.Contains(s, "&lt;") {
		return "", false
	}
	plain := html.UnescapeString(s)
	return plain, plain != s
}

func escapes(s string) (string, bool) {
	if !strings.Contains(s, `\x`) && !strings.Contains(s, `\u`) {
		return "", false
	}
	plain := unescape(s)
	return plain, plain != s
}

// reversed returns the characters of s from the last to the first.
func reversed(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		_, n := utf8.DecodeLastRuneInString(s)
		b.WriteString(s[len(s)-n:])
		s = s[:len(s)-n]
	}
	return b.String()
}
