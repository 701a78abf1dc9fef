package admission

import (
	"net/netip"
	"sync"

	"sandlot/internal/domain/publish"
)

// partOfAll bounds the slots of a larger network to one in partOfAll. So it takes several to leave none to others.
const partOfAll = 4

// held counts the slots that are held at once, by network.
type held struct {
	each, all int                  // the slots of one client, and of all together; 0: no limit
	by        map[netip.Prefix]int // the slots that each network holds
}

// full reports whether one of the networks holds as many as it may.
func (h *held) full(of []publish.Network) bool {
	for _, n := range of {
		most := h.each * n.Share
		if h.all > 0 {
			most = min(most, h.all/partOfAll)
		}
		if h.each > 0 && h.by[n.Prefix] >= max(most, h.each) {
			return true
		}
	}
	return false
}

// add counts n more in all of the networks.
func (h *held) add(of []publish.Network, n int) {
	for _, one := range of {
		if h.by[one.Prefix] += n; h.by[one.Prefix] <= 0 {
			delete(h.by, one.Prefix)
		}
	}
}

// Slots bounds the things, such as connections, that are held at once: in all, and by each network. All methods may be
// called concurrently.
type Slots struct {
	exempt func(netip.Addr) bool
	mu     sync.Mutex
	n      int
	held   held
}

// NewSlots returns Slots, all of them free: all in number, and each for one client; 0 is no limit. Larger networks may
// hold four and sixteen times as many, but no more than a quarter of all. Exempt addresses are bounded by all alone.
func NewSlots(each, all int, exempt func(netip.Addr) bool) *Slots {
	return &Slots{exempt: exempt, held: held{each, all, map[netip.Prefix]int{}}}
}

// Take takes a slot for an address, and reports whether it did. If not, all reports whether all slots are taken;
// otherwise the address's network holds as many as it may. Give must be called once for each slot that was taken.
func (s *Slots) Take(a netip.Addr) (taken, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held.all > 0 && s.n >= s.held.all {
		return false, true
	}
	if !s.exempt(a) {
		of := publish.Networks(a)
		if s.held.full(of) {
			return false, false
		}
		s.held.add(of, 1)
	}
	s.n++
	return true, false
}

// Give gives back a slot that was taken for an address.
func (s *Slots) Give(a netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n--; !s.exempt(a) {
		s.held.add(publish.Networks(a), -1)
	}
}

// Held returns the number of held slots.
func (s *Slots) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}
