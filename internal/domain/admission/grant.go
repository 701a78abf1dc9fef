package admission

import (
	"fmt"
	"slices"
	"time"

	"sandlot/internal/domain/publish"
)

// Body describes a request's body before any of it is read.
type Body struct {
	Length int64 // in bytes; below 0 if unknown
	// Stop ends the receiving of the body at once, if it has to make way for another. It must not call the Grant. If it
	// is nil, the body never has to make way.
	Stop func()
}

// Grant is the permission for one request, which Done ends. The methods may be called concurrently, and on nil, which
// means no limits.
type Grant struct {
	l       *Limits
	from    Origin
	archive *entry // of the account to which an archive is sent
	done    bool

	// The fields below are for operations with a body.
	body     bool
	of       []publish.Network // nil for a client without limits
	stop     func()
	began    time.Time
	received int64
	length   int64 // as the request declared it; below 1 without a declaration
	charged  int64 // bytes taken from the volumes
	whole    bool  // whether the body was received to its end
	cut      bool  // whether the body had to make way
	volumes  []share
	accounts []share // set while the request may make an account
	standing []Standing
}

// Admit requests an operation, before any byte of the request's body is read. It counts the operation against all its
// limits, or, if it is denied, against none.
//
// An operation with a body counts as a write at once; its bytes count as they come. If all slots for bodies are taken,
// the slowest body of the network that has the most of them makes way for one of a network that has fewer. The error is
// a *Denied, or a fault for the zero Operation and unknown ones: so a route without an operation answers nothing. On a
// nil Limits everything is admitted.
func (l *Limits) Admit(from Origin, op Operation, in Body) (*Grant, error) {
	if !op.Known() {
		return nil, fmt.Errorf("admit: there is no %v", op)
	}
	if l == nil {
		return nil, nil
	}
	g := &Grant{l: l, from: from}
	if op.Free() && l.unpriced(from) {
		return g, nil // without the lock, which all requests share
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.Refuse(l.admit(g, termsOf[op], in)); err != nil {
		return nil, err
	}
	return g, nil
}

// Also requests a further operation that only the content of the request reveals, such as the message that a publish
// causes. The operation must be one without a body and without an archive. The error is like that of Admit.
func (g *Grant) Also(op Operation) error {
	if !op.Known() || termsOf[op].body || termsOf[op].archive {
		return fmt.Errorf("admit: %v does not come with another operation", op)
	}
	if g == nil {
		return nil
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	return g.l.Refuse(g.l.admit(g, termsOf[op], Body{}))
}

// Work adds n units of work, 0.1 ms of a processor each, that only the answer reveals, such as for a list of many
// files. It refuses nothing: work beyond the limit is owed, and the next request is refused until it is paid.
func (g *Grant) Work(n int) {
	if g == nil || n <= 0 || g.l.unpriced(g.from) {
		return
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	spend(g.l.shares(g.l.address(g.from.Addr), g.from, work), int64(n), g.l.Now())
}

// unpriced reports whether an origin has no limit of work.
func (l *Limits) unpriced(from Origin) bool { return l.Work.Count == 0 || l.Exempt(from.Addr) }

// Files adds the work of a list of n files.
func (g *Grant) Files(n int) { g.Work(n / filesPerWork) }

// Archive adds the work of an archive of n files: to read, hash and pack a file takes four times as long as to list it.
func (g *Grant) Archive(n int) { g.Files(4 * n) }

// filesPerWork is the number of files of a list that one unit of work reads and writes: 10,000 took 65 to 100 ms.
const filesPerWork = 10

// Standing returns the rest of each limit on the body when the request was admitted. It is empty for operations without
// a body.
func (g *Grant) Standing() []Standing {
	if g == nil {
		return nil
	}
	return g.standing
}

// Made reports that the request has made an account, which counts against the limit of accounts.
func (g *Grant) Made() {
	if g == nil {
		return
	}
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	spend(g.accounts, 0, g.l.Now())
}

// Done ends the request and frees its slot. Further calls have no effect.
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

// admit counts an operation against its limits, or against none.
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
	list, now := l.shares(at, g.from, append([]kind{work}, of.counts...)...), l.Now()
	if d := short(list, now); d != nil {
		return d
	}
	spend(list, of.cost, now)
	if account != nil {
		account.archives++
		g.archive = account
	}
	return nil
}

// enter gives a body a slot, for which another may have to make way.
func (l *Limits) enter(g *Grant, at []place, of terms, in Body) *Denied {
	g.stop, g.began, g.length = in.Stop, l.Now(), in.Length
	if at != nil {
		g.of = publish.Networks(g.from.Addr)
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

// count checks the limits of a body's caller. It checks all of them before it takes from any.
func (l *Limits) count(g *Grant, at []place, of terms, in Body) *Denied {
	now := l.Now()
	if l.held.full(g.of) {
		return &Denied{Limit: "bodies", After: bodyWait}
	}
	kinds := []kind{writes, volume, work}
	if of.accounts && g.from.Account == 0 {
		kinds = append(kinds, accounts)
	}
	list := l.shares(at, g.from, kinds...)
	if d := short(list, now); d != nil {
		return d
	}
	lacks := func(s share) bool { return s.kind == volume && s.left(now) < float64(in.Length) }
	if i := slices.IndexFunc(list, lacks); i >= 0 {
		return list[i].lacks(in.Length, now)
	}
	for _, s := range list {
		switch s.kind {
		case writes:
			s.spend(1, now)
		case work:
			s.spend(of.cost, now)
		case volume:
			g.volumes = append(g.volumes, s)
		case accounts:
			g.accounts = append(g.accounts, s)
			s.e.making++
		}
	}
	g.standing = standing(slices.DeleteFunc(list, func(s share) bool { return s.kind == work }), now)
	return nil
}

// release frees the slot of a body. A body that had to make way has given it to another.
func (g *Grant) release() {
	if g.cut {
		g.l.leaving--
		return
	}
	delete(g.l.bodies, g)
	g.l.held.add(g.of, -1)
}
