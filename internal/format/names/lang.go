package names

import (
	"errors"
	"strings"

	"golang.org/x/text/language"
)

const maxLang = 35 // characters: the length that RFC 5646, section 4.4.1, requires every implementation to hold

// Lang converts the name of a language to the canonical form of BCP 47, at most 35 characters: "en_us" is "en-US", "iw"
// is "he", and the locale "de_DE.UTF-8@euro" is "de-DE". Unknown parts of it are dropped ("en-EN" is "en"). ok is
// false, and the tag empty, if there is no known language; changed reports that the tag differs from s.
func Lang(s string) (tag string, changed, ok bool) {
	tag = canonicalLang(s)
	return tag, tag != s, tag != ""
}

// canonicalLang is Lang with "" for a dropped name. A name longer than any tag that is kept is not parsed.
func canonicalLang(s string) string {
	if len(s) > 2*maxLang {
		return ""
	}
	if end := strings.IndexAny(s, ".@"); end >= 0 { // the encoding in the name of a locale
		s = s[:end]
	}
	parsed, err := language.Parse(strings.TrimSpace(s))
	var unknown language.ValueError
	if errors.As(err, &unknown) {
		parsed, err = language.Parse(parsed.String()) // the remaining tag is not canonical yet
	}
	_, confidence := parsed.Base()
	tag := parsed.String()
	if err != nil || confidence != language.Exact || len(tag) > maxLang {
		return ""
	}
	if again, _ := language.Parse(tag); again.String() != tag {
		return "" // it has an extension twice, which no tag has (RFC 5646, 2.2.6)
	}
	return tag
}
