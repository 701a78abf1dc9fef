// Package admission decides, before the domain, whether a caller may do an operation now. It knows the address of a
// request, the limits that each operation counts against, and the rest of each address, account and key. Every
// transport stands above it: it names the operation of each of its routes and calls it in one place.
//
// For a request a transport calls [Proxies.Client] for the client's address behind proxies, [Limits.Identify] for the
// caller of a key, [Limits.Admit] for a [Grant] before a byte of the body is read, [Grant.Received] and [Grant.Charge]
// as its bytes come, and [Grant.Done] at the end.
//
// An IPv4 address, or the /64 of an IPv6 address, is one client. All clients of an IPv6 /56 together have four times
// the limits of one, all of a /48 sixteen times. On several nodes [Limits.Share] has each refuse requests beyond the
// limits of all nodes together, a second later at most; the limits of one node on its own never depend on it.
//
// The package does not know the network's protocols. All its records are in memory, within fixed bounds, and forgotten
// at a restart.
package admission

import (
	"cmp"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"sandlot/internal/base/meter"
	"sandlot/internal/base/recent"
	"sandlot/internal/domain/publish"
)

// Config holds the limits. A zero is no limit. "Each address" means each client: see Group. Its larger IPv6 networks
// have four and sixteen times as much.
type Config struct {
	Accounts   Rate // accounts made without a key: each address
	Writes     Rate // requests with a body: each address, each account; half of it each key
	Bytes      Rate // the cost of these: likewise
	Mails      Rate // messages requested: each address, each account
	WrongKeys  Rate // each address
	Heartbeats Rate // each address
	Reports    Rate // each address
	Likes      Rate // each address, also likes taken back
	Searches   Rate // each address
	Downloads  Rate // of archives: each address, each account
	// Calls of players' pages to their projects: each address.
	PlayerReads, PlayerWrites, PlayerReports Rate
	Work                                     Rate             // units of 0.1 ms of a processor, the cost of operations: each address
	Bodies                                   int              // received at once: each address
	Archives                                 int              // sent at once: each account
	MaxBodies                                int              // received at once in all, those of exempt clients included
	Remembered                               int              // addresses in memory, and as many accounts and keys, at some 300 bytes each; 0: 65,536
	Public                                   bool             // whether strangers may come: then only this machine is exempt, otherwise private networks, too
	Now                                      func() time.Time // nil: time.Now
	Keys                                     Keys             // looks up the keys of Identify
}

const (
	// maxEntries bounds the addresses, and the accounts and keys, in memory: 22 MB for each of the two, and more clients
	// than a single machine serves in the hour that most limits are for.
	maxEntries = 65_536
	// goodKeysPart is the part of that number that bounds the hashes of keys that were right before.
	goodKeysPart = 4
	// bodyWait and archiveWait are the waits before the next try while bodies or an archive are sent: most take less.
	bodyWait, archiveWait = 2 * time.Second, 10 * time.Second
)

// Limits applies a Config to callers. Clients that are Exempt have no limit but MaxBodies. The methods may be called
// concurrently. Admit, Guess, Sender and Exempt may be called on nil, which means no limits.
type Limits struct {
	Config
	mu        sync.Mutex
	addresses *recent.Map[netip.Prefix, *entry] // a forgotten one begins anew: only an attacker with thousands causes that
	owners    *recent.Map[owner, *entry]
	goodKeys  *recent.Map[[32]byte, struct{}]
	bodies    map[*Grant]struct{} // bodies being received, without those that were cut
	leaving   int                 // bodies that were cut and have not ended yet
	held      held                // bodies, by network
	spent     map[mark]*pending   // to be reported to other nodes; nil: this node limits on its own
	refusals  *meter.Counts[string]
	wrong     atomic.Int64 // wrong keys
}

// owner is an account, or one key of it.
type owner struct{ account, key int64 }

// New returns unused Limits.
func New(cfg Config) *Limits {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	most := int64(cmp.Or(cfg.Remembered, maxEntries))
	return &Limits{
		Config: cfg, addresses: recent.New[netip.Prefix, *entry](most), owners: recent.New[owner, *entry](most),
		goodKeys: recent.New[[32]byte, struct{}](most / goodKeysPart),
		bodies:   map[*Grant]struct{}{}, held: held{cfg.Bodies, cfg.MaxBodies, map[netip.Prefix]int{}},
		refusals: newRefusals(),
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
	l    *Limits
}

// Exempt reports whether clients at a have no limits.
func (l *Limits) Exempt(a netip.Addr) bool { return Exempt(a, l != nil && l.Public) }

// place is the entry of one network of an address, with its share in the limits.
type place struct {
	*entry
	share int
}

// address returns the places of an address, one for each of its networks. It is nil for an exempt address.
func (l *Limits) address(a netip.Addr) (list []place) {
	if !Exempt(a, l.Public) {
		for _, n := range publish.Networks(a) {
			list = append(list, place{find(l.addresses, n.Prefix), n.Share})
		}
	}
	return list
}

// find returns the entry of a key, a new one if there is none.
func find[K comparable](t *recent.Map[K, *entry], k K) *entry {
	e, ok := t.Get(k)
	if !ok {
		e = &entry{of: k}
		t.Put(k, e, 1)
	}
	return e
}

// shares returns the shares of an origin in limits of these kinds: those of its networks, its account and its key.
func (l *Limits) shares(at []place, o Origin, of ...kind) []share {
	var list []share
	add := func(e *entry, k kind, r Rate) {
		if r.Count > 0 {
			list = append(list, share{e, k, r, l})
		}
	}
	for _, k := range of {
		for _, p := range at {
			add(p.entry, k, l.rate(k).times(p.share))
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
	return [kinds]Rate{
		l.Accounts, l.Writes, l.Bytes, l.Mails, l.WrongKeys, l.Heartbeats, l.Reports, l.Likes, l.Searches, l.Downloads,
		l.PlayerReads, l.PlayerWrites, l.PlayerReports, l.Work,
	}[k]
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
	s.l.note(s, n)
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
		next := Standing{names[s.kind], s.rate, int64(left), s.rate.until(float64(s.rate.Burst) - left)}
		if n := len(out) - 1; n < 0 || out[n].Limit != next.Limit {
			out = append(out, next)
		} else if next.Left < out[n].Left {
			out[n] = next
		}
	}
	return out
}

// kind is one of the limits that have a rate.
type kind int

const (
	accounts kind = iota // new accounts without a key
	writes
	volume // bytes of bodies
	mails
	wrongKeys
	heartbeats
	reports
	likes
	searches
	downloads
	playerReads
	playerWrites
	playerReports
	work // units of 0.1 ms of a processor
	kinds
)

// names are the names of the limits in answers to clients.
var names = [kinds]string{
	"accounts", "writes", "bytes", "mails", "wrong-keys", "heartbeats", "reports", "likes", "searches", "downloads",
	"player-reads", "player-writes", "player-reports", "work",
}

// entry holds the recent use of one address, account or key. Its buckets are made when they are first needed.
type entry struct {
	of       any // the netip.Prefix or the owner
	buckets  [kinds]*rate.Limiter
	making   int // accounts that the bodies being received may yet make
	archives int // being sent
}

// bucket returns the bucket of a kind, a full one if there is none yet.
func (e *entry) bucket(k kind, r Rate) *rate.Limiter {
	if e.buckets[k] == nil {
		e.buckets[k] = r.limiter()
	}
	return e.buckets[k]
}
