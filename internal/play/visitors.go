package play

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"sandlot/internal/publish"
)

// Visitors tells the visitors of a day apart without knowing who they are. A visitor is a hash of the client's address
// and User-Agent under a random salt, which is in memory only and renewed at midnight UTC: after that nobody can tell
// which addresses yesterday's hashes were made of, or that a visitor came back. No address is kept. It may be used
// concurrently.
type Visitors struct {
	mu   sync.Mutex
	day  int64 // since 1970, of salt
	salt [32]byte
}

// NewVisitors makes a Visitors. Hashes of two of them cannot be compared.
func NewVisitors() *Visitors { return &Visitors{day: -1} }

// maxAgent bounds what is hashed of a User-Agent: real ones have less than 300 bytes.
const maxAgent = 512

// ID returns the hash, 32 hexadecimal digits, of whoever sent the request, whose RemoteAddr must be the client's.
func (v *Visitors) ID(r *http.Request, now time.Time) publish.PlayerID {
	var room [32 + 64 + maxAgent]byte
	salt := v.today(now)
	b := append(room[:0], salt[:]...)
	if at, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		b = at.Addr().Unmap().AppendTo(b)
	} else {
		b = append(b, r.RemoteAddr...)
	}
	b = append(b, 0)
	agent := first(r.Header["User-Agent"])
	b = append(b, agent[:min(len(agent), maxAgent)]...)
	sum := sha256.Sum256(b)
	var text [32]byte
	hex.Encode(text[:], sum[:16])
	return publish.PlayerID(text[:])
}

// today returns the salt of the day.
func (v *Visitors) today(now time.Time) [32]byte {
	day := now.Unix() / int64(24*time.Hour/time.Second)
	v.mu.Lock()
	defer v.mu.Unlock()
	if day != v.day {
		v.day = day
		_, _ = rand.Read(v.salt[:]) // never fails: crypto/rand ends the process instead
	}
	return v.salt
}
