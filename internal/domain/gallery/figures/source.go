package figures

import (
	"net/netip"
	"strings"

	"sandlot"
)

const (
	// Direct is the host of plays to which no other site led: there was no referrer, or it was the service itself.
	Direct = "direct"
	// Others is the host of plays from hosts beyond the limit of their day.
	Others = "other"
	// MostSources is the limit of hosts stored for each day of a project. A page of links has fewer; made-up hosts stop
	// at it.
	MostSources = 50

	longestReferrer = 2048
	longestHost     = 253
)

// Source returns the host of the site that led to a project, from a referrer, which is an http or https URL: in lower
// case, without its port and without a leading "www.". Nothing else of the referrer is kept. It returns "" if the
// referrer is absent or invalid, or is an address of the service itself.
func Source(places sandlot.Places, referrer string) string {
	host := hostOf(referrer)
	if host == "" || host == places.Base.Hostname() {
		return ""
	}
	if own := nameOf(places.Content); own != "" && (host == own || strings.HasSuffix(host, "."+own)) {
		return ""
	}
	host = strings.TrimPrefix(host, "www.")
	if host == Direct || host == Others {
		return ""
	}
	return host
}

// hostOf returns the host of a referrer, "" if it is invalid.
func hostOf(referrer string) string {
	if len(referrer) > longestReferrer {
		return ""
	}
	scheme, rest, _ := strings.Cut(referrer, "://")
	if !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return ""
	}
	if end := strings.IndexAny(rest, `/\?#`); end >= 0 {
		rest = rest[:end]
	}
	if strings.Contains(rest, "@") { // browsers leave out user names
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(nameOf(rest), "."))
	if len(host) > longestHost || !isHost(host) {
		return ""
	}
	return host
}

// nameOf returns a host without its port. An IPv6 address loses its brackets.
func nameOf(host string) string {
	if inside, ok := strings.CutPrefix(host, "["); ok {
		inside, _, _ = strings.Cut(inside, "]")
		return inside
	}
	name, _, _ := strings.Cut(host, ":")
	return name
}

// isHost reports whether a host has the form that browsers send: letters, digits and hyphens between dots, or an IPv6
// address.
func isHost(host string) bool {
	if strings.Contains(host, ":") {
		_, err := netip.ParseAddr(host)
		return err == nil && !strings.Contains(host, "%")
	}
	for label := range strings.SplitSeq(host, ".") {
		if len(label) == 0 || len(label) > 63 {
			return false
		}
		for _, c := range []byte(label) {
			if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
				return false
			}
		}
	}
	return true
}
