package brake

import "time"

// Pass is the permission to send one body. Leave must be called when the request
// is over.
type Pass struct {
	l       *Limits
	at      *entry // nil for a local client
	volumes []share
	account *share // set while the request may make an account
	// Standing is what is left after this request, one for each limit that holds for it.
	Standing []Standing
}

// Enter asks to send a body, which makes an account if newAccount is set. It
// counts as a write at once.
func (l *Limits) Enter(who Who, newAccount bool) (*Pass, *Denied) {
	if l == nil {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.MaxBodies > 0 && l.bodies >= l.MaxBodies {
		return nil, &Denied{Limit: "bodies", All: true, After: bodyWait}
	}
	p := &Pass{l: l, at: l.address(who.Addr)}
	if p.at != nil {
		if d := l.enter(p, who, newAccount); d != nil {
			return nil, d
		}
		p.at.bodies++
	}
	l.bodies++
	return p, nil
}

// enter holds a caller to its limits: all are looked at before any is used.
func (l *Limits) enter(p *Pass, who Who, newAccount bool) *Denied {
	now := l.Now()
	if l.Bodies > 0 && p.at.bodies >= l.Bodies {
		return &Denied{Limit: "bodies", After: bodyWait}
	}
	of := []kind{writes, volume}
	if newAccount {
		of = append(of, accounts)
	}
	list := l.shares(p.at, who, of...)
	if d := short(list, now); d != nil {
		return d
	}
	for _, s := range list {
		switch s.kind {
		case writes:
			s.spend(1, now)
		case volume:
			p.volumes = append(p.volumes, s)
		case accounts:
			p.account = &s
			s.e.making++
		}
	}
	p.Standing = standing(list, now)
	return nil
}

// Made says that the request has made an account.
func (p *Pass) Made() {
	if p == nil || p.account == nil {
		return
	}
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	p.account.spend(1, p.l.Now())
}

// Leave ends the request, whose body had so many bytes.
func (p *Pass) Leave(bytes int64) {
	if p == nil {
		return
	}
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	p.l.bodies--
	if p.at != nil {
		p.at.bodies--
	}
	if p.account != nil {
		p.account.e.making--
	}
	for _, s := range p.volumes {
		s.spend(bytes, p.l.Now())
	}
}

// Mail asks to have a message sent.
func (l *Limits) Mail(who Who) *Denied { return l.ask(who, mails) }

// Heartbeat asks to count a player.
func (l *Limits) Heartbeat(who Who) *Denied { return l.ask(who, heartbeats) }

// Like asks to count a like, or to take one back.
func (l *Limits) Like(who Who) *Denied { return l.ask(who, likes) }

// Search asks to look for projects.
func (l *Limits) Search(who Who) *Denied { return l.ask(who, searches) }

// An Archive is the permission to have one archive sent. Done must be called when
// it was, or was given up.
type Archive struct {
	l  *Limits
	of *entry // the account's; nil for a local client
}

// Download asks for an archive of an account.
func (l *Limits) Download(who Who) (*Archive, *Denied) {
	if l == nil {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.address(who.Addr)
	if at == nil {
		return nil, nil
	}
	of := find(l.owners, owner{account: who.Account})
	if l.Archives > 0 && of.archives >= l.Archives {
		return nil, &Denied{Limit: "archives", After: archiveWait}
	}
	if d := take(l.shares(at, who, downloads), l.Now()); d != nil {
		return nil, d
	}
	of.archives++
	return &Archive{l, of}, nil
}

// Done ends what Download began.
func (a *Archive) Done() {
	if a == nil {
		return
	}
	a.l.mu.Lock()
	defer a.l.mu.Unlock()
	a.of.archives--
}

// ask takes one of a limit of addresses, or of accounts as well.
func (l *Limits) ask(who Who, k kind) *Denied {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.address(who.Addr)
	if at == nil {
		return nil
	}
	return take(l.shares(at, who, k), l.Now())
}

// Report asks to record a report.
func (l *Limits) Report(who Who) *Denied { return l.ask(who, reports) }

func take(list []share, now time.Time) *Denied {
	if d := short(list, now); d != nil {
		return d
	}
	for _, s := range list {
		s.spend(1, now)
	}
	return nil
}

// TryKey asks to look up a key of this hash. An address from which too many
// wrong keys came is refused, but for keys that were right before: so the people
// behind one address do not suffer for one of them.
func (l *Limits) TryKey(who Who, hash [32]byte) *Denied {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.address(who.Addr)
	if at == nil {
		return nil
	}
	if _, good := l.goodKeys.get(hash); good {
		return nil
	}
	return short(l.shares(at, Who{}, wrongKeys), l.Now())
}

// TriedKey tells whether the key was right.
func (l *Limits) TriedKey(who Who, hash [32]byte, right bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.address(who.Addr)
	switch {
	case at == nil:
	case right:
		if _, good := l.goodKeys.get(hash); !good {
			l.goodKeys.put(hash, struct{}{})
		}
	default:
		for _, s := range l.shares(at, Who{}, wrongKeys) {
			s.spend(1, l.Now())
		}
	}
}
