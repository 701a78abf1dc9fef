package publish

import "net/netip"

// A Network is one of those that an address belongs to. Its Share says how many
// times as much as the narrowest it may use.
type Network struct {
	Prefix netip.Prefix
	Share  int
}

// widerShares are those of a /56 and a /48.
var widerShares = [2]int{4, 16}

// Networks returns those that count, narrowest first: an IPv4 address, or the /64
// of an IPv6 address, and the /56 and /48, of which one customer may have all.
func Networks(a netip.Addr) []Network {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return []Network{{netip.PrefixFrom(a, a.BitLen()), 1}}
	}
	list := []Network{{Share: 1}, {Share: widerShares[0]}, {Share: widerShares[1]}}
	for i, bits := range [...]int{64, 56, 48} {
		list[i].Prefix = netip.PrefixFrom(a, bits).Masked()
	}
	return list
}
