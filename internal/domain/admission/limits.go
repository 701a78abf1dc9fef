package admission

import (
	"net/netip"
	"sync"
	"time"
)

// Config holds the limits. A zero is no limit. "Each address" means each client: see Group. Its larger IPv6 networks
// have four and sixteen times as much.
type Config struct {
	Accounts   Rate             // accounts made without a key: each address
	Writes     Rate             // requests with a body: each address, each account; half of it each key
	Bytes      Rate             // the cost of these: likewise
	Mails      Rate             // messages requested: each address, each account
	WrongKeys  Rate             // each address
	Heartbeats Rate             // each address
	Reports    Rate             // each address
	Likes      Rate             // each address, also likes taken back
	Searches   Rate             // each address
	Downloads  Rate             // of archives: each address, each account
	Work       Rate             // units of 0.1 ms of a processor, the cost of operations: each address
	Bodies     int              // received at once: each address
	Archives   int              // sent at once: each account
	MaxBodies  int              // received at once in all, those of exempt clients included
	Remembered int              // addresses in memory, and as many accounts and keys, at some 300 bytes each; 0: 65,536
	Public     bool             // whether strangers may come: then only this machine is exempt, otherwise private networks, too
	Now        func() time.Time // nil: time.Now
	Keys       Keys             // looks up the keys of Identify
}

const (
	// maxEntries bounds the addresses, and the accounts and keys, in memory: 20 MB a table, and more clients than a
	// single machine serves in the hour that most limits are for.
	maxEntries = 65_536
	// goodKeysPart is the part of that number that bounds the hashes of keys that were right before, at some 50 bytes
	// each.
	goodKeysPart = 4
	// bodyWait is the wait before the next try while bodies are being received: most take less.
	bodyWait = 2 * time.Second
	// archiveWait is the wait before the next try while one archive is being sent: those of most accounts take less.
	archiveWait = 10 * time.Second
)

// Limits applies a Config to callers. Clients that are Exempt have no limit but MaxBodies. The methods may be called
// concurrently. Admit, Guess, Sender and Exempt may be called on nil, which means no limits.
type Limits struct {
	Config
	mu        sync.Mutex
	addresses *table[netip.Prefix, *entry]
	owners    *table[owner, *entry]
	goodKeys  *table[[32]byte, struct{}]
	bodies    map[*Grant]struct{} // bodies being received, without those that were cut
	leaving   int                 // bodies that were cut and have not ended yet
	held      held                // bodies, by network
	together  *together           // nil: this node limits on its own
}

// owner is an account, or one key of it.
type owner struct{ account, key int64 }

// New returns unused Limits.
func New(cfg Config) *Limits {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Remembered <= 0 {
		cfg.Remembered = maxEntries
	}
	return &Limits{
		Config: cfg, addresses: newTable[netip.Prefix, *entry](cfg.Remembered), owners: newTable[owner, *entry](cfg.Remembered), goodKeys: newTable[[32]byte, struct{}](cfg.Remembered / goodKeysPart),
		bodies: map[*Grant]struct{}{}, held: held{cfg.Bodies, cfg.MaxBodies, map[netip.Prefix]int{}},
	}
}

// Standing is the rest of one limit.
type Standing struct {
	Limit string        // the limit's name, as in Denied
	Rate  Rate          // the limit
	Left  int64         // the amount that is left now
	Full  time.Duration // the time until all of it is left again
}

// share is the part of a limit that one address, account or key has.
type share struct {
	e    *entry
	kind kind
	rate Rate
	with *together
}

// Exempt reports whether clients at a have no limits.
func (l *Limits) Exempt(a netip.Addr) bool { return Exempt(a, l != nil && l.Public) }

// address returns the entries of an address, one for each of its networks. It is nil for an exempt address.
func (l *Limits) address(a netip.Addr) []*entry {
	if Exempt(a, l.Public) {
		return nil
	}
	of := networks(a)
	list := make([]*entry, len(of))
	for i, p := range of {
		list[i] = find(l.addresses, p)
	}
	return list
}

// find returns the entry of a key, a new one if there is none.
func find[K comparable](t *table[K, *entry], k K) *entry {
	e, ok := t.get(k)
	if !ok {
		e = &entry{of: k}
		t.put(k, e)
	}
	return e
}

// shares returns the shares of an origin in limits of these kinds: those of its networks, its account and its key.
func (l *Limits) shares(at []*entry, o Origin, of ...kind) []share {
	var list []share
	add := func(e *entry, k kind, r Rate) {
		if r.Count > 0 {
			list = append(list, share{e, k, r, l.together})
		}
	}
	for _, k := range of {
		for i, e := range at {
			add(e, k, l.rate(k).times(levels[i].factor))
		}
		if o.Account == 0 || k != writes && k != volume && k != mails && k != downloads {
			continue
		}
		add(find(l.owners, owner{account: o.Account}), k, l.rate(k))
		if o.Key != 0 && k != mails {
			add(find(l.owners, owner{o.Account, o.Key}), k, l.rate(k).half())
		}
	}
	return list
}

// rate returns the limit of a kind for one client.
func (l *Limits) rate(k kind) Rate {
	return [kinds]Rate{l.Accounts, l.Writes, l.Bytes, l.Mails, l.WrongKeys, l.Heartbeats, l.Reports, l.Likes, l.Searches, l.Downloads, l.Work}[k]
}

// left returns the rest of a share, below 0 if it is owed. Accounts that requests under way may yet make count as made.
func (s share) left(now time.Time) float64 {
	n := s.e.bucket(s.kind, s.rate).TokensAt(now)
	if s.kind == accounts {
		n -= float64(s.e.making)
	}
	return n
}

// lacks denies a call that needs n. It may be tried again when the share has as much, or all that it can have.
func (s share) lacks(n int64, now time.Time) *Denied {
	missing := float64(min(n, s.rate.Burst)) - s.left(now)
	return &Denied{Limit: names[s.kind], After: max(s.rate.until(missing), time.Second)}
}

// spend takes n from a share, but not more than it can ever have. The share may owe it then.
func (s share) spend(n int64, now time.Time) {
	n = min(n, s.rate.Burst)
	s.e.bucket(s.kind, s.rate).ReserveN(now, int(n))
	s.with.note(s, n)
}

// spend takes 1 from each share, and the cost of an operation from a share of work.
func spend(list []share, cost int64, now time.Time) {
	for _, s := range list {
		if s.kind == work {
			s.spend(cost, now)
		} else {
			s.spend(1, now)
		}
	}
}

// short denies a request if a share has less than 1, by the share with the longest wait.
func short(list []share, now time.Time) *Denied {
	var worst *Denied
	for _, s := range list {
		if n := s.left(now); n < 1 {
			after := max(s.rate.until(1-n), time.Second)
			if worst == nil || after > worst.After {
				worst = &Denied{Limit: names[s.kind], After: after}
			}
		}
	}
	return worst
}

// standing returns, for each kind, the standing of the share that has the least left.
func standing(list []share, now time.Time) []Standing {
	var out []Standing
	for _, s := range list {
		left := max(s.left(now), 0)
		next := Standing{Limit: names[s.kind], Rate: s.rate, Left: int64(left), Full: s.rate.until(float64(s.rate.Burst) - left)}
		switch n := len(out) - 1; {
		case n >= 0 && out[n].Limit == next.Limit && out[n].Left <= next.Left:
		case n >= 0 && out[n].Limit == next.Limit:
			out[n] = next
		default:
			out = append(out, next)
		}
	}
	return out
}
