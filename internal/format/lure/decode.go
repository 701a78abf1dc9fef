package lure

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// The codes that stand for characters in scripts, and the beginnings of pages and of data: URLs.
var (
	escapeCodes = regexp.MustCompile(`(?s)\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,8}\}|[0-3][0-7]{0,2}|[4-7][0-7]?|\r\n|.)`)
	pageStart   = regexp.MustCompile(`(?i)^<(?:!--.|!doctype|html|head|body|div|form|center|table|meta|link|style|script|title|section|main|h[1-6]|p|svg)\b`)
	dataHead    = regexp.MustCompile(`(?i)^\s*data:[^,]*,`)
)

// unescape decodes the escapes of a string or a name of a script.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return escapeCodes.ReplaceAllStringFunc(s, func(code string) string {
		switch c := code[1]; {
		case c >= '0' && c <= '7':
			return char(code[1:], 8)
		case c == '\r' || c == '\n':
			return ""
		case len(code) > 3 && (c == 'x' || c == 'u'):
			return char(strings.Trim(code[2:], "{}"), 16)
		case c == 'n' || c == 'r' || c == 't':
			return " "
		}
		return code[1:]
	})
}

// char returns the character of a code.
func char(digits string, base int) string {
	n, _ := strconv.ParseUint(digits, base, 32)
	return string(rune(n))
}

// percent decodes %41 and %u0041.
func percent(s string) (string, bool) {
	plain, coded, found := strings.Cut(s, "%")
	if !found {
		return "", false
	}
	var b strings.Builder
	b.WriteString(plain)
	for part := range strings.SplitSeq(coded, "%") {
		if n, err := strconv.ParseUint(part[:min(len(part), 2)], 16, 8); err == nil && len(part) > 1 {
			b.WriteByte(byte(n))
			b.WriteString(part[2:])
		} else if n, err := strconv.ParseUint(strings.TrimPrefix(part[:min(len(part), 5)], "u"), 16, 16); err == nil && len(part) > 4 && part[0] == 'u' {
			b.WriteRune(rune(n))
			b.WriteString(part[5:])
		} else {
			b.WriteString("%" + part)
		}
	}
	return b.String(), b.Len() != len(s)
}

// reveal undoes one encoding of a text. ok is false if it has none.
func reveal(s string) (plain string, ok bool) {
	if head := dataHead.FindString(s[:min(len(s), 256)]); head != "" {
		data := s[len(head):]
		if plain, ok := percent(data); ok {
			data = plain
		}
		if strings.Contains(strings.ToLower(head), "base64") {
			return fromBase64(data)
		}
		return data, true
	}
	for _, decode := range []func(string) (string, bool){percent, fromHex, fromBase64, entities, escapes} {
		if plain, ok = decode(s); ok {
			return plain, true
		}
	}
	return "", false
}

// fromHex decodes digits of hexadecimal that are text.
func fromHex(s string) (string, bool) {
	if len(s) > 12 && s[0] == s[3] && s[0] == s[6] && s[0] != s[1] && s[0] != s[2] && strings.IndexByte("0123456789abcdefABCDEF", s[0]) < 0 {
		return percent(strings.ReplaceAll(s, s[:1], "%")) // a sign before each
	}
	if len(s) < 8 || len(s)%2 > 0 || s[0] < '2' || s[0] > '7' {
		return "", false
	}
	if start, err := hex.DecodeString(s[:8]); err != nil || !readable(string(start)) {
		return "", false
	}
	plain, err := hex.DecodeString(s)
	return string(plain), err == nil && readable(string(plain))
}

// others are the letters of other alphabets of base64, and its spaces.
var others = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "", "\t", "")

// fromBase64 decodes base64 that is text, of either alphabet, or with the letters of both cases exchanged, as obfuscators write it.
func fromBase64(s string) (string, bool) {
	if len(s) < 6 || strings.IndexFunc(s[:min(len(s), 32)], notBase64) >= 0 {
		return "", false
	}
	s = others.Replace(strings.TrimRight(s, "= \n"))
	s = s[:len(s)-len(s)%4+[]int{0, 0, 2, 3}[len(s)%4]]
	for _, text := range []string{s, exchanged(s)} {
		if start, err := base64.RawStdEncoding.DecodeString(text[:min(len(text), 16)]); err != nil || !readable(string(start)) {
			continue // most other strings end here
		}
		if plain, err := base64.RawStdEncoding.DecodeString(text); err == nil && readable(string(plain)) {
			return string(plain), true
		}
	}
	return "", false
}

func notBase64(r rune) bool {
	return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+/-_= \r\n\t", r)
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

// readable reports whether s is text without control characters, also in Latin-1 or with its last character cut off.
func readable(s string) bool {
	odd := 0
	for _, r := range s {
		switch {
		case r == utf8.RuneError:
			odd++
		case r < ' ' && r != '\n' && r != '\r' && r != '\t', r >= 0x7f && r < 0xa0:
			return false
		}
	}
	return len(s) > 3 && odd*4 <= len(s)
}

// moved decodes markup of which each character was moved, or mixed, by the same number.
func moved(s string) (string, bool) {
	first, _ := utf8.DecodeRuneInString(s)
	if len(s) < 64 || first == '<' {
		return "", false
	}
	for _, back := range []func(rune) rune{
		func(r rune) rune { return r - first + '<' }, func(r rune) rune { return r ^ first ^ '<' },
	} {
		if start := strings.Map(back, s[:64]); pageStart.MatchString(start) {
			return strings.Map(back, s), true
		}
	}
	return "", false
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
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}
