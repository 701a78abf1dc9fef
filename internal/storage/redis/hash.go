package redis

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
)

// Hash makes names for texts that must not be readable on the server. It may be used concurrently.
type Hash struct{ states sync.Pool }

// Hash returns the hash for one purpose, under the secret of the installation.
func (c *Client) Hash(purpose string) *Hash {
	m := hmac.New(sha256.New, c.secret)
	m.Write([]byte("sandlot redis " + purpose))
	key := m.Sum(nil)
	return &Hash{sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
}

// Sum returns a hash of 32 bytes of the parts; different lists of parts have different hashes.
func (h *Hash) Sum(parts ...string) []byte {
	m := h.states.Get().(hash.Hash)
	defer h.states.Put(m)
	m.Reset()
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		m.Write(length[:])
		m.Write([]byte(p))
	}
	return m.Sum(make([]byte, 0, sha256.Size))
}
