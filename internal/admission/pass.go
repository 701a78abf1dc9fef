package admission

import (
	"net/netip"
	"time"
)

// Body is what is known of a body before any of it is read.
type Body struct {
	MakesAccount bool   // whether the request may make one
	Length       int64  // its bytes; below 0 where nobody knows
	Stop         func() // ends the receiving at once, for a body that has to make way; it must not call the Pass
}

// Pass is the permission to send one body. Leave must be called when the request
// is over. Its methods may be called concurrently, and on nil.
type Pass struct {
	l        *Limits
	of       []netip.Prefix // nil for a client without limits
	stop     func()
	began    time.Time
	received int64
	length   int64 // as it was told; below 1 where it was not
	charged  int64 // of the volumes
	whole    bool  // nothing more is received
	cut      bool
	left     bool
	volumes  []share
	accounts []share // set while the request may make an account
	// Standing is what is left after this request, one for each limit that holds for it.
	Standing []Standing
}

// Enter asks to send a body. It counts as a write at once, and its bytes as they come.
// Where all slots are
// taken, the slowest body of the network with the most of them makes way for one of a
// network with fewer.
func (l *Limits) Enter(who Who, b Body) (*Pass, *Denied) {
	if l == nil {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &Pass{l: l, stop: b.Stop, began: l.Now(), length: b.Length}
	at := l.address(who.Addr)
	if at != nil {
		p.of = networks(who.Addr)
	}
	var victim *Pass
	if l.MaxBodies > 0 && len(l.passes) >= l.MaxBodies {
		if victim = l.makesWay(p); victim == nil {
			return nil, &Denied{Limit: "bodies", All: true, After: bodyWait}
		}
	}
	if at != nil {
		if d := l.enter(p, at, who, b); d != nil {
			return nil, d
		}
	}
	if victim != nil {
		l.cut(victim)
	}
	l.passes[p] = struct{}{}
	l.held.add(p.of, 1)
	return p, nil
}

// enter holds a caller to its limits: all are looked at before any is used.
func (l *Limits) enter(p *Pass, at []*entry, who Who, b Body) *Denied {
	now := l.Now()
	if l.held.full(p.of) {
		return &Denied{Limit: "bodies", After: bodyWait}
	}
	of := []kind{writes, volume}
	if b.MakesAccount {
		of = append(of, accounts)
	}
	list := l.shares(at, who, of...)
	if d := short(list, now); d != nil {
		return d
	}
	for _, s := range list {
		if s.kind == volume && s.left(now) < float64(b.Length) {
			return s.lacks(b.Length, now)
		}
	}
	for _, s := range list {
		switch s.kind {
		case writes:
			s.spend(1, now)
		case volume:
			p.volumes = append(p.volumes, s)
		case accounts:
			p.accounts = append(p.accounts, s)
			s.e.making++
		}
	}
	p.Standing = standing(list, now)
	return nil
}

// Made says that the request has made an account.
func (p *Pass) Made() {
	if p == nil {
		return
	}
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	for _, s := range p.accounts {
		s.spend(1, p.l.Now())
	}
}

// Leave ends the request.
func (p *Pass) Leave() {
	if p == nil {
		return
	}
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	if p.left {
		return
	}
	p.left = true
	p.release()
	for _, s := range p.accounts {
		s.e.making--
	}
}

// release gives the slot back. A body that was cut gave it to another.
func (p *Pass) release() {
	if p.cut {
		p.l.leaving--
		return
	}
	delete(p.l.passes, p)
	p.l.held.add(p.of, -1)
}
