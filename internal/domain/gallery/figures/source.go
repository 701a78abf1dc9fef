package figures

import (
	"net"
	"net/url"
	"regexp"
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

// hostForm is the form of the hosts that browsers send: letters, digits and hyphens between dots.
var hostForm = regexp.MustCompile(`^([a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$`)

// Source returns the host of the site that led to a project, from a referrer, which is an http or https URL: in lower
// case, without its port and without a leading "www.". Nothing else of the referrer is kept. It returns "" if the
// referrer is absent or invalid, or is an address of the service itself.
func Source(places sandlot.Places, referrer string) string {
	if len(referrer) > longestReferrer {
		return ""
	}
	u, err := url.Parse(referrer)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil { // browsers leave out user names
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if len(host) > longestHost || !hostForm.MatchString(host) && net.ParseIP(host) == nil {
		return ""
	}
	own, _, _ := strings.Cut(places.Content, ":")
	if host == places.Base.Hostname() || own != "" && (host == own || strings.HasSuffix(host, "."+own)) {
		return ""
	}
	host = strings.TrimPrefix(host, "www.")
	if host == Direct || host == Others {
		return ""
	}
	return host
}
