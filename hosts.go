package sandlot

import "strings"

// An Owner is the part of an installation to which a host belongs.
type Owner int

// The owners of hosts. A name that is none of the installation's has no owner.
const (
	NoOwner     Owner = iota
	Website           // the base URL's host, with the login
	OwnOrigin         // a project's or a version's
	ContentApex       // the content host itself, where nothing is published
)

// Hosts returns the owner of a host. It is the only place that decides it: the router, the fast path of reads, the
// redirects to an encrypted connection and its certificates all use it. It does not change, and may be used
// concurrently.
type Hosts struct {
	base    string
	content string // empty if there is none
	suffix  string // "." and the content host
}

// Hosts returns the hosts of the installation.
func (p Places) Hosts() Hosts {
	h := Hosts{content: hostname(p.Content)}
	if p.Base != nil {
		h.base = hostname(p.Base.Host)
	}
	if h.content != "" {
		h.suffix = "." + h.content
	}
	return h
}

// Of returns the owner of a host, and for a project's origin the label before the content host, in lower case. Ports are
// not compared: a request that came through a tunnel must not reach the website either.
func (h Hosts) Of(host string) (owner Owner, label string) {
	name := hostname(host)
	if name == h.base {
		return Website, ""
	}
	if h.content == "" {
		return NoOwner, ""
	}
	if label, under := strings.CutSuffix(name, h.suffix); under {
		return OwnOrigin, label
	}
	if name == h.content {
		return ContentApex, ""
	}
	return NoOwner, ""
}

// Base returns the name of the website's host, without a port.
func (h Hosts) Base() string { return h.base }

// Content returns the name of the content host, without a port; empty if projects have no names.
func (h Hosts) Content() string { return h.content }

// hostname returns the name of a host in lower case, without a port and a last dot.
func hostname(host string) string {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
