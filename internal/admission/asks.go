package admission

import "time"

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
