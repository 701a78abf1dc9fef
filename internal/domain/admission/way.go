package admission

import (
	"cmp"
	"net/netip"
	"time"
)

const (
	// settling is the time before the pace of a body is judged: connections begin slowly.
	settling = time.Second
	// slowPace, in bytes a second, is below any line on which a person would send a project. A slower body makes way
	// also for one of a network that holds as many.
	slowPace = 16 << 10
	// leavingPart is the part of all bodies that may have been cut and not have ended: each still has its buffers.
	leavingPart = 8
)

// makesWay returns the body that has to make way for another: the slowest body of the network that has the most. It is
// nil if no network has more than the other's would have, and no body is slow.
func (l *Limits) makesWay(other *Grant) *Grant {
	if l.leaving >= max(1, l.MaxBodies/leavingPart) {
		return nil
	}
	now, own := l.Now(), l.holds(other)
	var first *Grant
	for p := range l.bodies {
		if p.of == nil || p.whole || p.stop == nil {
			continue
		}
		n := l.holds(p)
		slow := now.Sub(p.began) >= settling && p.pace(now) < slowPace && (n > own || p.widest() == other.widest())
		if (slow || n > own+1) && (first == nil || l.before(p, first, now)) {
			first = p
		}
	}
	return first
}

// before reports whether p has to make way rather than q.
func (l *Limits) before(p, q *Grant, now time.Time) bool {
	return cmp.Or(cmp.Compare(l.holds(q), l.holds(p)), cmp.Compare(p.pace(now), q.pace(now)), p.began.Compare(q.began)) < 0
}

// holds returns the number of bodies from the widest network of a body's client; 0 for a client without limits.
func (l *Limits) holds(p *Grant) int { return l.held.by[p.widest()] }

// widest returns the widest network of the body's client; the zero Prefix for a client without limits.
func (p *Grant) widest() netip.Prefix {
	if p.of == nil {
		return netip.Prefix{}
	}
	return p.of[len(p.of)-1].Prefix
}

// pace returns the bytes of the body that came each second, on average.
func (p *Grant) pace(now time.Time) float64 {
	return float64(p.received) / max(now.Sub(p.began), settling).Seconds()
}

// cut ends the receiving of a body. Its slot is free at once.
func (l *Limits) cut(p *Grant) {
	p.release()
	p.cut = true
	l.leaving++
	p.stop()
}
