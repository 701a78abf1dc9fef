package admission

import (
	"net/netip"
	"sync"
	"time"
)

// Config says what may be done. A zero is no limit. What an address may do, its
// larger networks may do a few times.
type Config struct {
	Accounts   Rate // accounts made without a key: each address
	Writes     Rate // requests with a body: each address, each account; half of it each key
	Bytes      Rate // that they cost: likewise
	Mails      Rate // messages asked for: each address, each account
	WrongKeys  Rate // each address
	Heartbeats Rate // each address
	Reports    Rate // each address
	Likes      Rate // each address, also those that are taken back
	Searches   Rate // each address
	Downloads  Rate // of archives: each address, each account
	Bodies     int  // received at once: each address
	Archives   int  // sent at once: each account
	MaxBodies  int  // received at once in all, also of clients that have no other limit
	Remembered int  // addresses, and likewise accounts and keys, that are remembered: at some 300 bytes each; 0: 65,536
	Public     bool // whether everybody may come: then only this machine is exempt, else its private networks, too
	Now        func() time.Time
	Keys       Keys // whom Identify asks
}

const (
	// maxEntries bounds the addresses, and the accounts and keys, that are remembered: 20 MB a table, and more clients
	// than a single machine serves in the hour that most limits are for.
	maxEntries = 65_536
	// goodKeysPart is the part of that number that bounds the hashes of keys that were right before, at some 50 bytes each.
	goodKeysPart = 4
	// bodyWait is when to try again while bodies are being received: most take less.
	bodyWait = 2 * time.Second
	// archiveWait is when to try again while one archive is being sent: those of most accounts take less.
	archiveWait = 10 * time.Second
)

// Limits holds callers to a Config. Its methods may be called concurrently, and
// on nil, which has no limits. Clients that are Exempt have none but MaxBodies.
type Limits struct {
	Config
	mu        sync.Mutex
	addresses *table[netip.Prefix, *entry]
	owners    *table[owner, *entry]
	goodKeys  *table[[32]byte, struct{}]
	bodies    map[*Grant]struct{} // those that are received, but for those that were cut
	leaving   int                 // bodies that were cut and have not ended yet
	held      held                // bodies, by network
}

// owner is an account, or one key of it.
type owner struct{ account, key int64 }

// New returns Limits under which nobody has done anything yet.
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

// Standing is what is left of one limit, for the RateLimit headers.
type Standing struct {
	Limit string
	Rate  Rate
	Left  int64
	Full  time.Duration // until all of it is there again
}

// share is one subject of a limit.
type share struct {
	e    *entry
	kind kind
	rate Rate
}

// Exempt reports whether clients at a have no limits.
func (l *Limits) Exempt(a netip.Addr) bool { return Exempt(a, l != nil && l.Public) }

// address finds the entries of an address, one for each of its networks; nil for
// one that has no limits.
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

func find[K comparable](t *table[K, *entry], k K) *entry {
	e, ok := t.get(k)
	if !ok {
		e = &entry{}
		t.put(k, e)
	}
	return e
}

// shares are all subjects whose limits of some kinds hold for o.
func (l *Limits) shares(at []*entry, o Origin, of ...kind) []share {
	var list []share
	add := func(e *entry, k kind, r Rate) {
		if r.Count > 0 {
			list = append(list, share{e, k, r})
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

func (l *Limits) rate(k kind) Rate {
	return [kinds]Rate{l.Accounts, l.Writes, l.Bytes, l.Mails, l.WrongKeys, l.Heartbeats, l.Reports, l.Likes, l.Searches, l.Downloads}[k]
}

// left is what a share still has, less than 0 for one that owes. What is being
// done counts as done.
func (s share) left(now time.Time) float64 {
	n := s.e.bucket(s.kind, s.rate).TokensAt(now)
	if s.kind == accounts {
		n -= float64(s.e.making)
	}
	return n
}

// lacks says when a call that needs so many can be made again: at the latest when
// the bucket is full.
func (s share) lacks(n int64, now time.Time) *Denied {
	missing := float64(min(n, s.rate.Burst)) - s.left(now)
	return &Denied{Limit: names[s.kind], After: max(s.rate.until(missing), time.Second)}
}

// spend takes n, into debt if need be, but never more than a full bucket.
func (s share) spend(n int64, now time.Time) {
	s.e.bucket(s.kind, s.rate).ReserveN(now, int(min(n, s.rate.Burst)))
}

// spend takes 1 of each share.
func spend(list []share, now time.Time) {
	for _, s := range list {
		s.spend(1, now)
	}
}

// short finds the share that has less than 1 for the longest.
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

// standing tells the least that is left of each kind.
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
