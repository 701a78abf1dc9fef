package inspect

import (
	"fmt"
	"regexp"
	"strings"

	"sandlot/internal/format/names"
)

// cutKey also finds a key or an upload_token without its end, since its last six characters follow from the others; and
// any text joined to a key, such as another key.
var cutKey = regexp.MustCompile(`sl[aptu]_[0-9A-Za-z_]{8,}`)

// wholeToken finds an upload_token.
var wholeToken = regexp.MustCompile(names.UploadPrefix + `[0-9A-Za-z]{36}`)

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
	// Hardly any log text has an underscore or two hyphens.
	if strings.IndexByte(s, '_') >= 0 && (strings.Contains(s, "sla_") || strings.Contains(s, "slp_") || strings.Contains(s, names.TicketPrefix) || strings.Contains(s, names.UploadPrefix)) {
		s = cutKey.ReplaceAllString(s, "<key>")
	}
	if strings.Contains(s, "--") && (strings.Contains(s, "--v") || strings.Contains(s, "--V")) {
		s = versionSecret.ReplaceAllString(s, "${1}<secret>")
	}
	return s
}

// HoldsKey reports whether a text holds anything in the form of a key or an upload_token, even percent-encoded, any
// number of times.
func HoldsKey(text string) bool {
	plain := unescaped(text)
	return holdsKeyForm(plain) || strings.Contains(plain, names.UploadPrefix) && wholeToken.MatchString(plain)
}

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
			high, ok := hexDigit(out[n-2])
			low, too := hexDigit(out[n-1])
			if !ok || !too {
				break
			}
			out = append(out[:n-3], high<<4|low)
		}
	}
	return string(out)
}

func hexDigit(c byte) (value byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
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
