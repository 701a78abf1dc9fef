package blocks

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/netip"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// NetworksKept is how long the hash of a publisher's network is kept, and the key of a month after that month.
const NetworksKept = 30 * 24 * time.Hour

// MonthOf returns the name of the month of a time.
func MonthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// keyName returns the name of the secret under which networks of a month are hashed.
func keyName(month string) string { return "network " + month }

// endOf returns the end of the use of the key of the month of a time.
func endOf(t time.Time) time.Time {
	y, m, _ := t.UTC().Date()
	return time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC).Add(NetworksKept)
}

// Networks hashes the networks of callers under keys of a month each, which are deleted NetworksKept after their month:
// from then on nobody can find a network by its hash, not even by trying all of them. It may be used concurrently.
type Networks struct {
	Store KeyStore
	Now   func() time.Time

	mu   sync.Mutex
	keys map[string][]byte // by month
}

// Of returns the hashes of a caller's network under the key of this month; none if it is unknown, or anybody's, or the
// machine itself.
func (n *Networks) Of(ctx context.Context, from sandlot.Sender) (publish.Publisher, error) {
	network, wide, ok := networksOf(from)
	if !ok {
		return publish.Publisher{}, nil
	}
	key, err := n.key(ctx, MonthOf(n.Now()), true)
	if err != nil {
		return publish.Publisher{}, err
	}
	return publish.Publisher{Network: keyed(key, "network", network), Wide: keyed(key, "wide", wide)}, nil
}

// recent returns the hashes of a caller's network under the keys of this and the last month, as far as there are keys.
func (n *Networks) recent(ctx context.Context, from sandlot.Sender) (list []sandlot.Digest, err error) {
	network, _, ok := networksOf(from)
	if !ok {
		return nil, nil
	}
	y, m, _ := n.Now().UTC().Date()
	for _, month := range []time.Month{m, m - 1} {
		key, err := n.key(ctx, MonthOf(time.Date(y, month, 1, 0, 0, 0, 0, time.UTC)), false)
		switch {
		case err == nil:
			list = append(list, keyed(key, "network", network))
		case !errors.Is(err, sandlot.ErrNotFound):
			return nil, err
		}
	}
	return list, nil
}

// key returns the key of a month. One that is not there is made if it may be, and else sandlot.ErrNotFound.
func (n *Networks) key(ctx context.Context, month string, may bool) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if key := n.keys[month]; key != nil {
		return key, nil
	}
	key, err := n.Store.KnownSecret(ctx, keyName(month))
	if errors.Is(err, sandlot.ErrNotFound) && may {
		fresh := make([]byte, 32)
		rand.Read(fresh)
		key, err = n.Store.Secret(ctx, keyName(month), fresh)
	}
	if err != nil {
		return nil, err
	}
	if len(n.keys) > 1 || n.keys == nil {
		n.keys = map[string][]byte{} // of months before
	}
	n.keys[month] = key
	return key, nil
}

// networksOf returns the network of a caller, and the wider one around it.
func networksOf(from sandlot.Sender) (network, wide string, ok bool) {
	a, err := netip.ParseAddr(from.Network)
	if err != nil || from.Shared || from.Free {
		return "", "", false
	}
	narrow := publish.Networks(a)[0].Prefix
	bits := 24
	if narrow.Addr().Is6() {
		bits = 48
	}
	return narrow.String(), netip.PrefixFrom(narrow.Addr(), bits).Masked().String(), true
}

func keyed(key []byte, purpose, text string) (d sandlot.Digest) {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(purpose + "\x00" + text))
	mac.Sum(d[:0])
	return d
}
