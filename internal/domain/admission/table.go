package admission

import "golang.org/x/time/rate"

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
	work // units of 0.1 ms of a processor
	kinds
)

// names are the names of the limits in answers to clients.
var names = [kinds]string{"accounts", "writes", "bytes", "mails", "wrong-keys", "heartbeats", "reports", "likes", "searches", "downloads", "work"}

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

// table keeps the entries that were used last: at most about as many as its bound, and at least half as many. A
// forgotten entry begins anew. Only an attacker with tens of thousands of addresses can cause that, and gains nothing
// by it.
type table[K comparable, V any] struct {
	recent, older map[K]V
	most          int
}

func newTable[K comparable, V any](most int) *table[K, V] {
	return &table[K, V]{recent: map[K]V{}, older: map[K]V{}, most: most}
}

func (t *table[K, V]) get(k K) (V, bool) {
	v, ok := t.recent[k]
	if !ok {
		if v, ok = t.older[k]; ok {
			delete(t.older, k)
			t.put(k, v)
		}
	}
	return v, ok
}

func (t *table[K, V]) put(k K, v V) {
	if len(t.recent) >= t.most/2 {
		t.older, t.recent = t.recent, map[K]V{}
	}
	t.recent[k] = v
}

func (t *table[K, V]) len() int { return len(t.recent) + len(t.older) }
