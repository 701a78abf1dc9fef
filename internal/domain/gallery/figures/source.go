package figures

import (
	"net/netip"
	"strings"

	"sandlot"
)

const (
	// Direct is what is told of plays to which no other site led: there was no referrer, or it was the service itself.
	Direct = "direct"
	// Others is what is told of the hosts of a day that were too many to be kept.
	Others = "other"
	// MostSources is how many hosts are kept of each day of a project. A page of links has fewer; whoever makes hosts up gets no further.
	MostSources = 50

	longestReferrer = 2048
	longestHost     = 253
)

// Source returns the host of the site that led to a project: of a referrer, which is an http or https URL, in lower case, without a port and
// without "www." before it. Nothing else of the referrer is kept. It is empty where there is no referrer or it cannot be read, and where it
// is an address of the service itself.
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

// hostOf is the host of a referrer, empty if it cannot be one.
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
	if strings.Contains(rest, "@") { // no browser says who its user is
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(nameOf(rest), "."))
	if len(host) > longestHost || !isHost(host) {
		return ""
	}
	return host
}

// nameOf is a host without its port. An IPv6 address loses its brackets.
func nameOf(host string) string {
	if inside, ok := strings.CutPrefix(host, "["); ok {
		inside, _, _ = strings.Cut(inside, "]")
		return inside
	}
	name, _, _ := strings.Cut(host, ":")
	return name
}

// isHost reports whether browsers would write a host so: letters, digits and hyphens between dots, or an IPv6 address.
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
