package redis

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// Hash makes names for texts that must not be readable on the server. It may be used concurrently.
type Hash struct{ key []byte }

// Hash returns the hash for one purpose, under the secret of the installation.
func (c *Client) Hash(purpose string) Hash {
	m := hmac.New(sha256.New, c.secret)
	m.Write([]byte("sandlot redis " + purpose))
	return Hash{m.Sum(nil)}
}

// Sum returns a hash of 32 bytes of the parts; different lists of parts have different hashes.
func (h Hash) Sum(parts ...string) []byte {
	m := hmac.New(sha256.New, h.key)
	for _, p := range parts {
		m.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		m.Write([]byte(p))
	}
	return m.Sum(nil)
}
