package admission

import (
	"net/netip"
	"sync"
)

// Slots bound what is held at once, such as connections: in all, and by each
// network. Its methods may be called concurrently.
type Slots struct {
	exempt func(netip.Addr) bool
	mu     sync.Mutex
	n      int
	held   held
}

// NewSlots has all slots free. One client may hold each of them, its larger
// networks more, but none more than a quarter of all; 0 is no limit. Whoever is
// exempt may hold all.
func NewSlots(each, all int, exempt func(netip.Addr) bool) *Slots {
	return &Slots{exempt: exempt, held: held{each, all, map[netip.Prefix]int{}}}
}

// Take takes a slot for an address, or says which limit is reached: that of all,
// or that of its network. Give must be called for each that was taken.
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

// Give gives back what an address took.
func (s *Slots) Give(a netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n--; !s.exempt(a) {
		s.held.add(networks(a), -1)
	}
}

// Held is how many are held.
func (s *Slots) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}
