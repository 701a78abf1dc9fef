package admission

import (
	"sandlot"
)

// Charge begins to count one kind of bytes that come of the request, such as those that are
// decoded or unpacked. The cost of a request is the largest of these counts and of the bytes
// received. The function that Charge returns adds n bytes. It is for one goroutine at a time.
// If a limit has no room for them, its error is a *Denied: what was left of the limit is
// used up, and the request must have no effect.
func (g *Grant) Charge() sandlot.Charge {
	var made int64
	return func(n int) error {
		if g == nil {
			return nil
		}
		g.l.mu.Lock()
		defer g.l.mu.Unlock()
		made += int64(n)
		return refused(g.charge(made))
	}
}

// Received counts n bytes of the body that were received. Its error is like that of Charge's
// function.
func (g *Grant) Received(n int) error {
	if g == nil {
		return nil
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	g.received += int64(n)
	return refused(g.charge(g.received))
}

// Whole tells that the body has been received, so that it does not have to make way any more.
// If it had to already, the error is a *Denied, and the request must have no effect.
func (g *Grant) Whole() error {
	if g == nil {
		return nil
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	g.whole = true
	if g.cut {
		return &Denied{Limit: "bodies", All: true, After: bodyWait}
	}
	return nil
}

// charge takes from all volumes what the request costs in addition to what was charged before.
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
		// Nobody knows how much more it would have cost. Twice as much the next time ends after a few tries.
		if d := s.lacks(max(g.length, 2*cost), now); worst == nil || d.After > worst.After {
			worst = d
		}
	}
	return worst
}
