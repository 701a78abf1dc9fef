package admission

import (
	"net/netip"
	"sync"
)

// Slots bounds the things, such as connections, that are held at once: in all, and by each network. All methods may be
// called concurrently.
type Slots struct {
	exempt func(netip.Addr) bool
	mu     sync.Mutex
	n      int
	held   held
}

// NewSlots returns Slots of which none is held: all in number, and each for one client; 0 is no limit. Larger networks
// may hold four and sixteen times as many, but no more than a quarter of all. Exempt addresses are bounded by all
// alone.
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
		of := networks(a)
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
		s.held.add(networks(a), -1)
	}
}

// Held returns the number of held slots.
func (s *Slots) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}
