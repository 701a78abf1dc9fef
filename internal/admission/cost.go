package admission

// A Meter counts bytes of one kind that a call makes: what is decoded, or what is
// unpacked. The call costs what the largest of its meters has counted, or the bytes
// that were received, whichever is more. It is for one goroutine at a time.
type Meter struct {
	p *Pass
	n int64
}

// Meter begins to count bytes of another kind.
func (p *Pass) Meter() *Meter { return &Meter{p: p} }

// Take counts n more. If it is denied, the limit has no room for them: what there
// was is used up, and nothing may come of the request.
func (m *Meter) Take(n int) *Denied {
	if m.p == nil {
		return nil
	}
	m.p.l.mu.Lock()
	defer m.p.l.mu.Unlock()
	m.n += int64(n)
	return m.p.charge(m.n)
}

// charge takes from all volumes what the call costs now beyond what was charged
// before.
func (p *Pass) charge(cost int64) *Denied {
	more := cost - p.charged
	if more <= 0 || p.left {
		return nil
	}
	p.charged = cost
	now := p.l.Now()
	var worst *Denied
	for _, s := range p.volumes {
		left := s.left(now)
		s.spend(min(more, max(int64(left), 0)), now)
		if left >= float64(more) {
			continue
		}
		// Nobody knows how much more it would have cost. Twice as much the next time ends after a few tries.
		if d := s.lacks(max(p.length, 2*cost), now); worst == nil || d.After > worst.After {
			worst = d
		}
	}
	return worst
}
