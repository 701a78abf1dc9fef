package admission

import (
	"fmt"
	"net/netip"
	"time"
)

// Body is what is known of a request's body before any of it is read.
type Body struct {
	Length int64  // its bytes; below 0 where nobody knows
	Stop   func() // ends the receiving at once, for a body that has to make way; nil: it never has to. It must not call the Grant
}

// Grant is the permission for one request. Done must be called when it is over. Its
// methods may be called concurrently, and on nil, which has no limits.
type Grant struct {
	l       *Limits
	from    Origin
	archive *entry // of the account to which an archive is sent
	done    bool

	// What follows is for operations with a body.
	body     bool
	of       []netip.Prefix // nil for a client without limits
	stop     func()
	began    time.Time
	received int64
	length   int64 // as it was told; below 1 where it was not
	charged  int64 // of the volumes
	whole    bool  // nothing more is received
	cut      bool
	volumes  []share
	accounts []share // set while the request may make an account
	standing []Standing
}

// Admit asks for an operation, before anything of the request's body is read. What the
// operation counts against is taken from all limits or from none. An operation with a body is
// a write at once, and its bytes count as they come; where all slots are taken, the slowest
// body of the network with the most of them makes way for one of a network with fewer. in is
// not looked at for other operations.
//
// The error is a *Denied, or a fault for an operation that there is not: a route
// without one answers nothing.
func (l *Limits) Admit(from Origin, op Operation, in Body) (*Grant, error) {
	if !op.Known() {
		return nil, fmt.Errorf("admit: there is no %v", op)
	}
	if l == nil {
		return nil, nil
	}
	g := &Grant{l: l, from: from}
	if op.Free() {
		return g, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := refused(l.admit(g, termsOf[op], in)); err != nil {
		return nil, err
	}
	return g, nil
}

// Also asks for an operation that only the contents of the request reveal, such as the
// message that comes with a publish. It must be one without a body and without an archive.
// The error is as that of Admit.
func (g *Grant) Also(op Operation) error {
	if !op.Known() || termsOf[op].body || termsOf[op].archive {
		return fmt.Errorf("admit: %v does not come with another operation", op)
	}
	if g == nil {
		return nil
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	return refused(g.l.admit(g, termsOf[op], Body{}))
}

// Standing is what is left after this request, one for each limit that holds for its body.
func (g *Grant) Standing() []Standing {
	if g == nil {
		return nil
	}
	return g.standing
}

// Made says that the request has made an account.
func (g *Grant) Made() {
	if g == nil {
		return
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	spend(g.accounts, g.l.Now())
}

// Done ends the request. Further calls have no effect.
func (g *Grant) Done() {
	if g == nil {
		return
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	if g.done {
		return
	}
	g.done = true
	if g.archive != nil {
		g.archive.archives--
	}
	if g.body {
		g.release()
	}
	for _, s := range g.accounts {
		s.e.making--
	}
}

// admit takes what an operation counts against, or nothing.
func (l *Limits) admit(g *Grant, of terms, in Body) *Denied {
	at := l.address(g.from.Addr)
	if of.body {
		return l.enter(g, at, of, in)
	}
	if at == nil {
		return nil
	}
	var account *entry
	if of.archive {
		account = find(l.owners, owner{account: g.from.Account})
		if l.Archives > 0 && account.archives >= l.Archives {
			return &Denied{Limit: "archives", After: archiveWait}
		}
	}
	list, now := l.shares(at, g.from, of.counts...), l.Now()
	if d := short(list, now); d != nil {
		return d
	}
	spend(list, now)
	if account != nil {
		account.archives++
		g.archive = account
	}
	return nil
}

// enter gives a body a slot.
func (l *Limits) enter(g *Grant, at []*entry, of terms, in Body) *Denied {
	g.stop, g.began, g.length = in.Stop, l.Now(), in.Length
	if at != nil {
		g.of = networks(g.from.Addr)
	}
	var victim *Grant
	if l.MaxBodies > 0 && len(l.bodies) >= l.MaxBodies {
		if victim = l.makesWay(g); victim == nil {
			return &Denied{Limit: "bodies", All: true, After: bodyWait}
		}
	}
	if at != nil {
		if d := l.count(g, at, of, in); d != nil {
			return d
		}
	}
	if victim != nil {
		l.cut(victim)
	}
	g.body = true
	l.bodies[g] = struct{}{}
	l.held.add(g.of, 1)
	return nil
}

// count holds a body to its caller's limits: all are looked at before any is used.
func (l *Limits) count(g *Grant, at []*entry, of terms, in Body) *Denied {
	now := l.Now()
	if l.held.full(g.of) {
		return &Denied{Limit: "bodies", After: bodyWait}
	}
	kinds := []kind{writes, volume}
	if of.accounts && g.from.Account == 0 {
		kinds = append(kinds, accounts)
	}
	list := l.shares(at, g.from, kinds...)
	if d := short(list, now); d != nil {
		return d
	}
	for _, s := range list {
		if s.kind == volume && s.left(now) < float64(in.Length) {
			return s.lacks(in.Length, now)
		}
	}
	for _, s := range list {
		switch s.kind {
		case writes:
			s.spend(1, now)
		case volume:
			g.volumes = append(g.volumes, s)
		case accounts:
			g.accounts = append(g.accounts, s)
			s.e.making++
		}
	}
	g.standing = standing(list, now)
	return nil
}

// release gives the slot back. A body that was cut gave it to another.
func (g *Grant) release() {
	if g.cut {
		g.l.leaving--
		return
	}
	delete(g.l.bodies, g)
	g.l.held.add(g.of, -1)
}
