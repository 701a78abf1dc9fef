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

	"sandlot/internal/admission"
	"sandlot/internal/gallery"
)

// Visitors tells the visitors of a day apart without knowing who they are. A visitor is a hash of the client's network
// and User-Agent, or of the token that its browser has, under a random salt, which is renewed at midnight UTC: after that nobody can tell which addresses
// yesterday's hashes were made of, or that a visitor came back. No address is kept. It may be used concurrently.
type Visitors struct {
	keep   func(day int64, fresh [32]byte) [32]byte
	mu     sync.Mutex // held to renew it
	latest atomic.Pointer[salt]
}

// A salt is that of one day.
type salt struct {
	day   int64 // since 1970
	bytes [32]byte
}

// NewVisitors makes a Visitors whose salts are in memory alone. Hashes of two of them cannot be compared.
func NewVisitors() *Visitors {
	return KeepVisitors(func(_ int64, fresh [32]byte) [32]byte { return fresh })
}

// KeepVisitors makes a Visitors whose salts are kept: keep returns that of a day, counted from 1970, which is fresh
// where it has none of that day, and forgets all others.
func KeepVisitors(keep func(day int64, fresh [32]byte) [32]byte) *Visitors {
	v := &Visitors{keep: keep}
	v.latest.Store(&salt{day: -1})
	return v
}

// maxAgent bounds what is hashed of a User-Agent: real ones have less than 300 bytes.
const maxAgent = 512

// ID returns the hash, 32 hexadecimal digits, of whoever sent the request, whose RemoteAddr must be the client's: of the
// token that their browser has, or where that is empty of their network and User-Agent.
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

// appendNetwork writes the network of the address in a RemoteAddr in the one form that it has: all of IPv4, the /64 of IPv6.
func appendNetwork(b []byte, remote string) []byte {
	if strings.Count(remote, ":") == 1 { // IPv4, which is written in one way only
		return append(b, remote[:strings.IndexByte(remote, ':')]...)
	}
	if at := admission.Peer(remote); at.IsValid() {
		return admission.Group(at).AppendTo(b)
	}
	return append(b, remote...)
}

// Renew has the salt of a day that is over forgotten, as ID has, for when nobody comes.
func (v *Visitors) Renew(now time.Time) { v.today(now) }

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
	s := &salt{day: day}
	_, _ = rand.Read(s.bytes[:]) // never fails: crypto/rand ends the process instead
	s.bytes = v.keep(day, s.bytes)
	v.latest.Store(s)
	return s
}
