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
var names = [kinds]string{
	"accounts", "writes", "bytes", "mails", "wrong-keys", "heartbeats", "reports", "likes", "searches", "downloads", "work",
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
