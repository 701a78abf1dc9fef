package admission

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// Proxies are the networks whose peers are trusted to report a client's address.
type Proxies []netip.Prefix

// ParseProxies reads a list of addresses and CIDR ranges, separated by commas or blanks. An empty text means no proxies.
// A range of a great part of the internet is refused: with it anybody could claim any address.
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
		if p = p.Masked(); p.Bits() < leastBits4 || p.Addr().Is6() && p.Bits() < leastBits6 && !Local(p.Addr()) {
			return nil, fmt.Errorf("%q trusts a great part of the internet, so that anyone could claim any address: "+
				"name only your own proxies, such as 127.0.0.1,::1", text)
		}
		list = append(list, p)
	}
	return list, nil
}

// The least bits of a range of proxies. A /6 of IPv4 is 64 million addresses, more than any network of proxies has, and
// a /12 of IPv6 is the share of a registry for a continent.
const (
	leastBits4 = 7
	leastBits6 = 13
)

// Trust reports whether a is one of the proxies.
func (p Proxies) Trust(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(r netip.Prefix) bool { return r.Contains(a) })
}

// Client returns the address that a request comes from. If the peer is not trusted, that is the peer's. Otherwise it is
// the right-most address in the proxies' X-Forwarded-For, whose values are given in order, that is not itself trusted,
// because anything left of that may be forged. If all are trusted, it is the left-most. Client returns false if a
// trusted proxy reports an invalid address before such an address is found: then the client is unknown, and must not be
// taken for the proxy.
func (p Proxies) Client(peer netip.Addr, forwarded []string) (netip.Addr, bool) {
	if !p.Trust(peer) || len(forwarded) == 0 {
		return peer, true
	}
	for _, hop := range slices.Backward(strings.Split(strings.Join(forwarded, ","), ",")) {
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

// parseHop reads an address with or without a port: ip, ip:port, [v6] or [v6]:port.
func parseHop(hop string) (netip.Addr, bool) {
	hop = strings.TrimSpace(hop)
	if p, err := netip.ParseAddrPort(hop); err == nil {
		return plain(p.Addr()), true
	}
	if inside, ok := strings.CutPrefix(hop, "["); ok && strings.HasSuffix(inside, "]") {
		hop = strings.TrimSuffix(inside, "]")
	}
	a, err := netip.ParseAddr(hop)
	return plain(a), err == nil
}

// Peer returns the address in a text of the form host:port. For any other text the address is invalid.
func Peer(hostport string) netip.Addr {
	a, _ := parseHop(hostport)
	return a
}

// plain normalizes an address: without a zone, and IPv4 not as IPv6.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// Local reports whether a is on this machine or in a private network (RFC 1918, RFC 4193) or link-local.
func Local(a netip.Addr) bool {
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}

// Exempt reports whether clients at an address have no limits but the one that protects the memory. On a public
// instance these are only clients on this machine: behind a private address may be a proxy or the gateway of a
// container, and so the whole internet.
func Exempt(a netip.Addr, public bool) bool {
	return a.IsLoopback() || !public && Local(a)
}

// Group returns the address that stands for all addresses of one client: an IPv4 address itself, or the first address
// of the /64 of an IPv6 address. An invalid address is a group of its own.
func Group(a netip.Addr) netip.Addr { return publish.Networks(a)[0].Prefix.Addr() }

// Origin is the address and the caller of a request, as far as they are known.
type Origin struct {
	Addr    netip.Addr // the client's address, as Proxies.Client finds it; the zero Addr if unknown
	Account int64      // of the caller; 0 for nobody
	Key     int64      // of the caller; 0 for nobody, and for a session
}

// From returns the origin of a caller at an address in the form host:port.
func From(hostport string, by sandlot.Caller) Origin {
	return Origin{Addr: Peer(hostport), Account: int64(by.Account()), Key: by.Key().ID}
}

// Sender returns the origin as the domain sees it, to distinguish callers without a key. It is Shared if anybody at all
// may come from that network: if the address is unknown, and, on a public instance, if it is a private address other
// than this machine's, behind which may be a proxy or the gateway of a container.
func (l *Limits) Sender(o Origin) sandlot.Sender {
	public := l != nil && l.Public
	crowd := public && Local(o.Addr) && !o.Addr.IsLoopback()
	return sandlot.Sender{
		Network: Group(o.Addr).String(), Shared: crowd || !o.Addr.IsValid(), Free: Exempt(o.Addr, public),
	}
}
