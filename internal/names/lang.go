package names

import (
	"errors"
	"strings"

	"golang.org/x/text/language"
)

const maxLang = 35 // characters: the length RFC 5646, section 4.4.1, asks every implementation to hold

// Lang brings the name of a language into the canonical form of BCP 47, at most 35 characters: "en_us" is "en-US", "iw" is
// "he". Parts of it that are unknown are dropped ("en-EN" is "en"). ok is false, and the tag empty, where no known
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
	parsed, err := language.Parse(strings.TrimSpace(s))
	var unknown language.ValueError
	if errors.As(err, &unknown) {
		parsed, err = language.Parse(parsed.String()) // what is left was not yet made canonical
	}
	_, confidence := parsed.Base()
	if tag := parsed.String(); err == nil && confidence == language.Exact && len(tag) <= maxLang {
		return tag
	}
	return ""
}
