package admission

import "sandlot"

// Charge begins to count one kind of bytes of the request, such as decoded ones, and returns the function that adds
// some, for one goroutine at a time. The cost of a request is the largest of these counts and of the bytes received. If
// a limit has no room, the error is a *Denied: the rest of the limit is used up, and the request must have no effect.
func (g *Grant) Charge() sandlot.Charge {
	var made int64
	return func(n int) error {
		if g == nil {
			return nil
		}
		g.l.mu.Lock()
		defer g.l.mu.Unlock()
		made += int64(n)
		return g.l.Refuse(g.charge(made))
	}
}

// Received counts n received bytes of the body. Its error is like that of Charge's function.
func (g *Grant) Received(n int) error {
	if g == nil {
		return nil
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	g.received += int64(n)
	return g.l.Refuse(g.charge(g.received))
}

// Whole marks the body as received, so that it no longer has to make way. If it had to already, the error is a *Denied,
// and the request must have no effect.
func (g *Grant) Whole() error {
	if g == nil {
		return nil
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	g.whole = true
	if g.cut {
		return g.l.Refuse(&Denied{Limit: "bodies", All: true, After: bodyWait})
	}
	return nil
}

// charge takes the cost of the request from all volumes, as far as it was not charged before.
func (g *Grant) charge(cost int64) *Denied {
	more := cost - g.charged
	if more <= 0 || g.done {
		return nil
	}
	g.charged = cost
	now := g.l.Now()
	var worst *Denied
	for _, s := range g.volumes {
		left := s.left(now)
		s.spend(min(more, max(int64(left), 0)), now)
		if left >= float64(more) {
			continue
		}
		// The rest of the cost is unknown. Twice as much the next time ends after a few tries.
		if d := s.lacks(max(g.length, 2*cost), now); worst == nil || d.After > worst.After {
			worst = d
		}
	}
	return worst
}
