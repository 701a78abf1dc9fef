package admission

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the networks whose peers are trusted to report a client's address.
type Proxies []netip.Prefix

// ParseProxies reads a list of addresses and CIDR ranges, separated by commas or blanks. An
// empty text means no proxies. A list that trusts 1/64 of the IPv4 addresses or 1/4096 of
// the IPv6 addresses is refused: with it anybody could claim any address.
func ParseProxies(text string) (Proxies, error) {
	var list Proxies
	for _, one := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		p, err := netip.ParsePrefix(one)
		if a, single := netip.ParseAddr(one); single == nil && a.Zone() == "" {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil || p.Addr().Is4In6() {
			return nil, fmt.Errorf("%q is neither an IP address nor a range such as 10.0.0.0/8", one)
		}
		list = append(list, p.Masked())
	}
	if list.vast() {
		return nil, fmt.Errorf("%q trusts a great part of the internet, so that anyone could claim any address: name only your own proxies, such as 127.0.0.1,::1", text)
	}
	return list, nil
}

// A list is vast if it has this share of all addresses: a /6 of IPv4, which is 64 million addresses and more than any
// network of proxies has, or a /12 of IPv6, which is the share of a registry for a continent.
const (
	vastBits4 = 6
	vastBits6 = 12
)

// vast reports whether the ranges together are a great part of all addresses. Each address is counted once; those of
// this machine and of private networks are not counted.
func (p Proxies) vast() bool {
	var share4, share6 float64
	for i, r := range p {
		within := func(other netip.Prefix) bool { return other.Bits() <= r.Bits() && other.Contains(r.Addr()) }
		if slices.ContainsFunc(localRanges, within) || slices.ContainsFunc(p[:i], within) ||
			slices.ContainsFunc(p[i+1:], func(other netip.Prefix) bool { return other != r && within(other) }) {
			continue // ranges never overlap in part
		}
		if share := math.Ldexp(1, -r.Bits()); r.Addr().Is4() {
			share4 += share
		} else {
			share6 += share
		}
	}
	return share4 >= math.Ldexp(1, -vastBits4) || share6 >= math.Ldexp(1, -vastBits6)
}

// localRanges are the ranges whose addresses are Local. They never change.
var localRanges = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fc00::/7"), netip.MustParsePrefix("fe80::/10"),
}

// Trust reports whether a is one of the proxies.
func (p Proxies) Trust(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(r netip.Prefix) bool { return r.Contains(a) })
}

// Client returns the address that a request comes from. If the peer is not trusted, that is the peer's. Otherwise it is
// the right-most address in the proxies' headers that is not itself trusted, because anything left of that may be
// forged. If all are trusted, it is the left-most. Client returns false if a trusted proxy reports an invalid address
// before such an address is found: then the client is unknown, and must not be taken for the proxy.
//
// for_ are the values of X-Forwarded-For, in order. forwarded are those of Forwarded (RFC
// 7239), which count only if there is no X-Forwarded-For.
func (p Proxies) Client(peer netip.Addr, for_, forwarded []string) (netip.Addr, bool) {
	if !p.Trust(peer) || len(for_) == 0 && len(forwarded) == 0 {
		return peer, true
	}
	hops := strings.Split(strings.Join(for_, ","), ",")
	if len(for_) == 0 {
		hops = forwardedFor(strings.Join(forwarded, ","))
	}
	for _, hop := range slices.Backward(hops) {
		a, ok := parseHop(hop)
		if !ok {
			return netip.Addr{}, false
		}
		if peer = a; !p.Trust(a) {
			break
		}
	}
	return peer, true
}

// forwardedFor returns the for= of each element. An element without one is kept as a hop with an invalid address.
func forwardedFor(value string) []string {
	hops := strings.Split(value, ",") // no address holds a comma
	for i, element := range hops {
		hops[i] = ""
		for pair := range strings.SplitSeq(element, ";") {
			if name, text, _ := strings.Cut(strings.TrimSpace(pair), "="); strings.EqualFold(name, "for") {
				hops[i] = strings.Trim(text, `"`)
			}
		}
	}
	return hops
}

// parseHop reads an address with or without a port: ip, ip:port, [v6] or [v6]:port. The port is ignored and may be an
// obfuscated one (RFC 7239, 6.3).
func parseHop(hop string) (netip.Addr, bool) {
	host, port, ok := strings.TrimSpace(hop), "", true
	if rest, v6 := strings.CutPrefix(host, "["); v6 {
		if host, port, ok = strings.Cut(rest, "]"); port != "" {
			ok = port[0] == ':'
			port = port[1:]
		}
	} else if strings.Count(host, ":") == 1 {
		host, port, _ = strings.Cut(host, ":")
	}
	a, err := netip.ParseAddr(host)
	return plain(a), ok && err == nil && !strings.ContainsFunc(port, outsidePort)
}

// outsidePort reports whether a character cannot be in a port, obfuscated ones included.
func outsidePort(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !letter && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
}

// Peer returns the address in a text of the form host:port. For any other text the address is invalid.
func Peer(hostport string) netip.Addr {
	a, _ := parseHop(hostport)
	return a
}

// plain normalizes an address: without a zone, and IPv4 not as IPv6.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// Local reports whether a is on this machine or in a private network: loopback,
// private (RFC 1918, RFC 4193) or link-local.
func Local(a netip.Addr) bool {
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}

// Exempt reports whether clients at an address have no limits but the one that protects the memory. On a public
// instance these are only clients on this machine: behind a private address may be a proxy or the gateway of a
// container, and so the whole internet.
func Exempt(a netip.Addr, public bool) bool {
	return a.IsLoopback() || !public && Local(a)
}

// ownBits is the size of the IPv6 network of one client: providers give a household or a host
// at least a /64.
const ownBits = 64

// Group returns the address that stands for all addresses of one client: an IPv4 address itself, or the first address
// of the /64 of an IPv6 address. An invalid address is a group of its own.
func Group(a netip.Addr) netip.Addr {
	if a.Is4() {
		return a
	}
	p, err := a.Prefix(ownBits)
	if err != nil {
		return a // an invalid address is a group of its own
	}
	return p.Addr()
}
