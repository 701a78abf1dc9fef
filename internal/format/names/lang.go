package names

import (
	"errors"
	"strings"

	"golang.org/x/text/language"
)

const maxLang = 35 // characters: the length RFC 5646, section 4.4.1, asks every implementation to hold

// Lang brings the name of a language into the canonical form of BCP 47, at most 35 characters: "en_us" is "en-US", "iw" is
// "he", and the locale "de_DE.UTF-8@euro" is "de-DE". Parts of it that are unknown are dropped ("en-EN" is "en"). ok is false, and the tag empty, where no known
// language can be made out; changed tells that the tag is not s.
func Lang(s string) (tag string, changed, ok bool) {
	tag = canonicalLang(s)
	return tag, tag != s, tag != ""
}

// canonicalLang is Lang with "" for what is dropped. What is longer than any tag we keep is not parsed.
func canonicalLang(s string) string {
	if len(s) > 2*maxLang {
		return ""
	}
	parsed, err := language.Parse(withoutCharset(strings.TrimSpace(s)))
	var unknown language.ValueError
	if errors.As(err, &unknown) {
		parsed, err = language.Parse(parsed.String()) // what is left was not yet made canonical
	}
	_, confidence := parsed.Base()
	tag := parsed.String()
	if err != nil || confidence != language.Exact || len(tag) > maxLang {
		return ""
	}
	if again, _ := language.Parse(tag); again.String() != tag {
		return "" // an extension stands there twice, which no tag has (RFC 5646, 2.2.6)
	}
	return tag
}

// withoutCharset cuts from the name of a locale what says how text is written there, and not in which language.
func withoutCharset(s string) string {
	s, _, _ = strings.Cut(s, "@")
	name, charset, found := strings.Cut(s, ".")
	charset = strings.ToLower(charset)
	for _, begin := range []string{"utf", "iso", "koi", "cp", "gb", "big5", "euc", "sjis", "ascii", "ansi", "windows", "125"} {
		if found && strings.HasPrefix(charset, begin) {
			return name
		}
	}
	return s
}
