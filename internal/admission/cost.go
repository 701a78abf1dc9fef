package admission

import "sandlot/internal/publish"

// Charge begins to count bytes of one kind that the request makes: what is decoded, or what
// is unpacked. The request costs what the largest of these has come to, or the bytes that
// were received, whichever is more. What it returns is for one goroutine at a time; its error
// is a *Denied where the limit has no room for the bytes: what there was is used up, and
// nothing may come of the request.
func (g *Grant) Charge() publish.Charge {
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

// Received says that so many bytes of the body came. The error is as that of Charge.
func (g *Grant) Received(n int) error {
	if g == nil {
		return nil
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	g.received += int64(n)
	return refused(g.charge(g.received))
}

// Whole says that nothing more of the body is received, so that it makes way for
// nobody any more. It is denied if it did already: then nothing may come of the request.
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

// charge takes from all volumes what the request costs now beyond what was charged
// before.
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
