package names

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// maxLink is the most bytes of an address that people see: browsers accept more, and nobody reads it.
const maxLink = 300

// A linkError is one sentence, safe to show and to log: the address is not in it.
type linkError string

func (e linkError) Error() string { return string(e) }

// Link returns an address of the web as a page may link to it: http or https, a host in lower case and in its ASCII
// form, no name or password before it, and a port only if it is not the scheme's. Without a scheme it is https. The
// empty address stays. All else is an error, a sentence for people. Link(Link(s)) is Link(s).
func Link(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", nil
	}
	if strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Z, unicode.Bidi_Control) || r == '\\' || r == unicode.ReplacementChar
	}) {
		return "", linkError("It has a blank, a backslash or a control character in it.")
	}
	if !strings.Contains(s, "://") && !schemed(s) {
		s = "https://" + s
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Opaque != "":
		return "", linkError("It is not an address of the web.")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", linkError("It begins neither with http:// nor with https://.")
	case u.User != nil:
		return "", linkError("It has a name or a password in it.")
	}
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil || !strings.Contains(host, ".") || strings.Contains(host, "..") || strings.HasPrefix(host, ".") {
		return "", linkError("Its host is none of the web.")
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return "", linkError("Its port is none: ports go from 1 to 65535.")
		}
		if n != map[string]uint64{"http": 80, "https": 443}[u.Scheme] {
			host += ":" + strconv.FormatUint(n, 10)
		}
	}
	u.Host = host
	link := u.String()
	if len(link) > maxLink {
		return "", linkError("It is too long.")
	}
	return link, nil
}

// schemed reports whether an address without slashes begins with a scheme, such as mailto: or javascript:, and not with
// a host and a port.
func schemed(s string) bool {
	before, after, found := strings.Cut(s, ":")
	return found && !strings.ContainsAny(before, "/.?#") && !strings.HasPrefix(after, "/")
}
