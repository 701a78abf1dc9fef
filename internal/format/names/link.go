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

// A LinkError says why a text is no address that a page may link to.
type LinkError struct {
	Reason string // one sentence, safe to show and to log: the address is not in it
}

func (e *LinkError) Error() string { return e.Reason }

// Link returns an address of the web as a page may link to it: http or https, a host in lower case and in its ASCII
// form, no name or password before it, and a port only if it is not the scheme's. Without a scheme it is https. The
// empty address stays. All else is a *LinkError. Link(Link(s)) is Link(s).
func Link(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", nil
	}
	if strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\\' || r == unicode.ReplacementChar
	}) {
		return "", &LinkError{"It has a blank, a backslash or a control character in it."}
	}
	if !strings.Contains(s, "://") && !schemed(s) {
		s = "https://" + s
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Opaque != "":
		return "", &LinkError{"It is not an address of the web."}
	case u.Scheme != "http" && u.Scheme != "https":
		return "", &LinkError{"It begins neither with http:// nor with https://."}
	case u.User != nil:
		return "", &LinkError{"It has a name or a password in it."}
	}
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil || !strings.Contains(host, ".") || strings.Contains(host, "..") || strings.HasPrefix(host, ".") {
		return "", &LinkError{"Its host is none of the web."}
	}
	if u.Host, err = withPort(host, u.Port(), map[string]uint64{"http": 80, "https": 443}[u.Scheme]); err != nil {
		return "", &LinkError{"Its port is none: ports go from 1 to 65535."}
	}
	link := u.String()
	if len(link) > maxLink {
		return "", &LinkError{"It is too long."}
	}
	return link, nil
}

// withPort returns a host with its port, if that is not the usual one.
func withPort(host, port string, usual uint64) (string, error) {
	if port == "" {
		return host, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil || n == 0:
		return "", strconv.ErrRange
	case n == usual:
		return host, nil
	}
	return host + ":" + strconv.FormatUint(n, 10), nil
}

// schemed reports whether an address without slashes begins with a scheme, such as mailto: or javascript:, and not with
// a host and a port.
func schemed(s string) bool {
	before, after, found := strings.Cut(s, ":")
	return found && !strings.ContainsAny(before, "/.?#") && !strings.HasPrefix(after, "/")
}
