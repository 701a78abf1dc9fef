package names

import (
	"cmp"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// The limits of an address in mail: 254 bytes (RFC 5321 with erratum 1690), 64 before the @, and 63 for each part of
// a domain (RFC 1035).
const (
	maxEmail = 254
	maxLocal = 64
	maxLabel = 63
)

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// atext are the characters that may stand before the @ without quotes, in addition to dots (RFC 5322, section 3.2.3).
const atext = letters + digits + "!#$%&'*+-/=?^_`{|}~"

// Email returns s as an address to send mail to: the part before the @ as it is, the domain in lower case and in its
// ASCII form (IDNA 2008). It accepts one plain address of at most 254 bytes, whose domain has at least two parts, and
// refuses all else with a sentence that is safe to show and to log, since the address is not in it: names, comments,
// lists, quotes, address literals, blanks, control characters
// and encoded words. So its result can stand in a header or an SMTP command as it is. Email(Email(s)) is Email(s).
func Email(s string) (string, error) {
	local, domain, _ := strings.Cut(s, "@")
	reason := cmp.Or(refusedEmail(s), refusedLocal(local))
	if reason == "" {
		domain, reason = asciiDomain(domain)
	}
	if s = local + "@" + domain; reason == "" && len(s) > maxEmail {
		reason = tooLong
	}
	if reason != "" {
		return "", errors.New(reason)
	}
	return s, nil
}

// EmailKey returns the part that two spellings of one mailbox nearly always share: lower case, without the "+tag"
// before the @, and at Gmail, which also has the name googlemail.com, without dots. It is for counting mails to a
// mailbox; mail goes to the address itself. Any string has a key.
func EmailKey(s string) string {
	s = strings.ToLower(s)
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return s
	}
	local, _, _ := strings.Cut(s[:at], "+")
	if domain := s[at:]; domain != "@gmail.com" && domain != "@googlemail.com" {
		return local + domain
	}
	return strings.ReplaceAll(local, ".", "") + "@gmail.com"
}

const (
	tooLong  = "The e-mail address is longer than 254 bytes."
	notPlain = "The e-mail address must be one plain address like name@example.com, " +
		"without a name, blanks, quotes, brackets, comments or a list."
)

// refusedEmail returns the fault of an address as a whole.
func refusedEmail(s string) string {
	switch {
	case s == "":
		return "The e-mail address is empty."
	case len(s) > maxEmail:
		return tooLong
	case !utf8.ValidString(s), strings.Contains(s, "=?"), strings.ContainsAny(s, `<>()[]",:;\`),
		strings.ContainsFunc(s, unseen):
		return notPlain
	case strings.Count(s, "@") != 1:
		return "The e-mail address must have exactly one @."
	}
	return ""
}

// unseen reports whether a reader does not see a character, or not for certain.
func unseen(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || invisible(r) }

// refusedLocal returns the fault of the part before the @.
func refusedLocal(local string) string {
	switch {
	case local == "":
		return "The e-mail address has nothing before the @."
	case len(local) > maxLocal:
		return "The e-mail address has more than 64 bytes before the @."
	case !onlyOf(local, atext+"."):
		return "The e-mail address has an unsupported character before the @; use ASCII letters, digits and . _ + -."
	case strings.HasPrefix(local, "."), strings.HasSuffix(local, "."), strings.Contains(local, ".."):
		return "The e-mail address has a dot in a wrong place before the @."
	}
	return ""
}

// asciiDomain returns a domain in lower case and ASCII, or the reason why it is none.
func asciiDomain(domain string) (ascii, reason string) {
	const noDomain = "The e-mail address has no valid domain after the @; it looks like example.com."
	domain = strings.ToLower(domain)
	// The profile also refuses hyphens that plain domains do have ("r3---sn"), so those do not go through it.
	if !isASCII(domain) || strings.HasPrefix(domain, "xn--") || strings.Contains(domain, ".xn--") {
		var err error
		if domain, err = idna.Lookup.ToASCII(domain); err != nil {
			return "", noDomain
		}
	}
	labels := strings.Split(domain, ".")
	for _, label := range labels {
		if !validLabel(label) {
			return "", noDomain
		}
	}
	switch {
	case len(labels) < 2:
		return "", "The e-mail address has a domain without a dot."
	case onlyOf(labels[len(labels)-1], digits):
		return "", "The e-mail address has an IP address after the @; use a domain."
	}
	return domain, ""
}

// validLabel reports whether label can stand between the dots of a domain.
func validLabel(label string) bool {
	return label != "" && len(label) <= maxLabel && onlyOf(label, slugAlphabet) && label[0] != '-' && label[len(label)-1] != '-'
}
