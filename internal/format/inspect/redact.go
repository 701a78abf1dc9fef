package inspect

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// cutKey also finds a key or a token without its end, since its last six characters follow from the others; and
// any text joined to a key, such as another key.
var cutKey = regexp.MustCompile(`sl[aptuecordf]_[0-9A-Za-z_]{8,}`)

// wholeKey finds a key, a ticket, a token or a one-time code, whatever its checksum.
var wholeKey = regexp.MustCompile(`sl[aptuecordf]_[0-9A-Za-z]{36}`)

// versionSecret finds the random part of the address of a version, which only its owner may see.
var versionSecret = regexp.MustCompile(`(?i)(--v[0-9]+-)[0-9a-z]{10}\b`)

// Redact removes keys, also cut ones, and the secret parts of the addresses of versions from a text before it is logged
// or shown in an error. If any of these is percent-encoded, any number of times, the text comes back decoded.
func Redact(s string) string {
	s = redact(s)
	if plain := unescaped(s); plain != s {
		if clean := redact(plain); clean != plain {
			return clean
		}
	}
	return s
}

func redact(s string) string {
	s = cutKey.ReplaceAllString(s, "<key>")
	if strings.Contains(s, "--") { // hardly any log text has that
		s = versionSecret.ReplaceAllString(s, "${1}<secret>")
	}
	return s
}

// HoldsKey reports whether a text holds anything in the form of a key, a token or a one-time code, even percent-encoded, any
// number of times.
func HoldsKey(text string) bool { return wholeKey.MatchString(unescaped(text)) }

// unescaped decodes percent-encoding until there is none left. It passes over the text once: whenever the end of the
// decoded text is an escape, the byte takes its place, and may end another one.
func unescaped(s string) string {
	first := strings.IndexByte(s, '%')
	if first < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:first]...)
	for i := first; i < len(s); i++ {
		out = append(out, s[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			c, err := strconv.ParseUint(string(out[n-2:]), 16, 8)
			if err != nil {
				break
			}
			out = append(out[:n-3], byte(c))
		}
	}
	return string(out)
}

// Quoted quotes a short text from a client, at most 60 characters of it, without keys and without characters that could
// act in a terminal or a page.
func Quoted(s string) string {
	s = Redact(strings.ToValidUTF8(s, "?"))
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "..."
	}
	return fmt.Sprintf("%q", s)
}
