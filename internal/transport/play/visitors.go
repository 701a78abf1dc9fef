package play

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
)

// Visitors distinguishes the visitors of a day without identifying them. A visitor is a hash of the client's network
// and User-Agent, or of the browser's token, made with a random salt. The salt is replaced at midnight UTC, after which
// nobody can find the addresses behind the hashes. All methods may be called concurrently.
type Visitors struct {
	keep   func(day int64, fresh [32]byte) (salt [32]byte, kept bool)
	mu     sync.Mutex // held to renew it
	latest atomic.Pointer[salt]
}

// A salt is the salt of one day.
type salt struct {
	day   int64 // since 1970
	bytes [32]byte
	kept  bool
}

// NewVisitors returns Visitors whose salts are in memory only: after a restart everybody is another visitor.
func NewVisitors() *Visitors {
	return KeepVisitors(func(_ int64, fresh [32]byte) ([32]byte, bool) { return fresh, true })
}

// KeepVisitors returns Visitors whose salts outlive a restart, or are those of all nodes. keep returns the salt of a
// day, counted from 1970; if there is none, it stores fresh and returns that. It must forget the salts of all earlier
// days. If it cannot store one, fresh is used until Renew tries again. It is not called concurrently.
func KeepVisitors(keep func(day int64, fresh [32]byte) (salt [32]byte, kept bool)) *Visitors {
	v := &Visitors{keep: keep}
	v.latest.Store(&salt{day: -1})
	return v
}

// maxAgent is the part of a User-Agent that is hashed, in bytes. Real ones have fewer than 300.
const maxAgent = 512

// ID returns the hash of the visitor that sent the request at a time, as 32 hexadecimal digits: of token unless it is
// empty, else of the client's network and User-Agent. RemoteAddr must be the client's, not a proxy's.
func (v *Visitors) ID(r *http.Request, token string, now time.Time) gallery.PlayerID {
	var room [32 + 64 + maxAgent]byte
	b := append(room[:0], v.today(now).bytes[:]...)
	if token != "" {
		b = append(append(b, "token\x00"...), token...)
	} else {
		b = append(appendNetwork(b, r.RemoteAddr), 0)
		agent := first(r.Header["User-Agent"])
		b = append(b, agent[:min(len(agent), maxAgent)]...)
	}
	sum := sha256.Sum256(b)
	var text [32]byte
	hex.Encode(text[:], sum[:16])
	return gallery.PlayerID(text[:])
}

// appendNetwork appends the network of a RemoteAddr: an IPv4 address, a /64 of IPv6, or an unreadable text as it is.
func appendNetwork(b []byte, remote string) []byte {
	if strings.Count(remote, ":") == 1 { // IPv4, which is written in one way only
		return append(b, remote[:strings.IndexByte(remote, ':')]...)
	}
	if at := admission.Peer(remote); at.IsValid() {
		return admission.Group(at).AppendTo(b)
	}
	return append(b, remote...)
}

// Renew replaces the salt if its day is over, on days without requests, and stores one that could not be stored.
func (v *Visitors) Renew(now time.Time) {
	if s := v.today(now); !s.kept {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.draw(s.day, s.bytes)
	}
}

// today returns the salt of the day.
func (v *Visitors) today(now time.Time) *salt {
	day := now.Unix() / int64(24*time.Hour/time.Second)
	if s := v.latest.Load(); s.day == day {
		return s
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.latest.Load(); s.day == day {
		return s
	}
	var fresh [32]byte
	_, _ = rand.Read(fresh[:]) // never fails: crypto/rand ends the process instead
	return v.draw(day, fresh)
}

// draw lets keep store a salt, and uses the result.
func (v *Visitors) draw(day int64, fresh [32]byte) *salt {
	s := &salt{day: day}
	s.bytes, s.kept = v.keep(day, fresh)
	v.latest.Store(s)
	return s
}
