package admission

import "net/netip"

// levels are the networks in which an IPv6 address counts, the narrowest first, with the multiple of one client's
// limits that each has. Providers give a household at least a /64, mostly a /56, and a company a /48. So a client with
// many networks has the limits of a few clients, while 256 neighbours in a /48 still have the limits of sixteen.
var levels = [...]struct {
	bits   int
	factor int64
}{{ownBits, 1}, {56, 4}, {48, 16}}

// networks returns the networks in which an address counts, the narrowest first. An IPv4 address counts as itself
// alone, and so do all invalid addresses together.
func networks(a netip.Addr) []netip.Prefix {
	if !a.Is6() {
		p, _ := a.Prefix(a.BitLen()) // the zero Prefix stands for invalid addresses
		return []netip.Prefix{p}
	}
	list := make([]netip.Prefix, len(levels))
	for i, level := range levels {
		list[i], _ = a.Prefix(level.bits) // an IPv6 address has more bits
	}
	return list
}

// times returns the rate of factor clients.
func (r Rate) times(factor int64) Rate {
	return Rate{Count: r.Count * factor, Per: r.Per, Burst: r.Burst * factor}
}

// partOfAll bounds the slots of a larger network to one in partOfAll. So it takes several to leave none to others.
const partOfAll = 4

// held counts the slots that are held at once, by network.
type held struct {
	each, all int                  // the slots of one client, and of all together; 0: no limit
	by        map[netip.Prefix]int // the slots that each network holds
}

// most returns the slots that a network of a level may hold.
func (h *held) most(level int) int {
	n := h.each * int(levels[level].factor)
	if h.all > 0 {
		n = min(n, h.all/partOfAll)
	}
	return max(n, h.each)
}

// full reports whether one of the networks holds as many as it may.
func (h *held) full(of []netip.Prefix) bool {
	for i, p := range of {
		if h.each > 0 && h.by[p] >= h.most(i) {
			return true
		}
	}
	return false
}

// add counts n more in all of the networks.
func (h *held) add(of []netip.Prefix, n int) {
	for _, p := range of {
		if h.by[p] += n; h.by[p] <= 0 {
			delete(h.by, p)
		}
	}
}
