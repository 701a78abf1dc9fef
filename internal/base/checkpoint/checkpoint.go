// Package checkpoint computes a SHA-256 in such a way that each MiB of the hashed bytes can be checked later without
// the rest, and without hashing anything twice.
//
// SHA-256 is a chain: each block of 64 bytes turns a state of 32 bytes into the next one. The checkpoints of some bytes
// are the states at the end of each MiB but the last. A MiB is checked by running the chain from the checkpoint before
// it to the one after it; the last leads to the SHA-256 of the whole. So it is as strong as SHA-256 itself: to pass off
// other bytes one has to find, from a given state, a second input that ends in the same state, and damage by chance is
// missed once in 2^256. Checkpoints can be trusted as far as the SHA-256 that they are kept with.
package checkpoint

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"fmt"
	"hash"
)

// Step is the number of bytes between two checkpoints.
const Step = 1 << 20

const (
	size  = sha256.Size // of a checkpoint: the eight words of the state, the most significant byte first
	magic = "sha\x03"   // begins the saved form of crypto/sha256: then come the state, a block that is not full, and the length
)

// A Hash computes the SHA-256 and the checkpoints of the bytes written to it, in one pass. It keeps 32 bytes of each
// MiB. It is for one goroutine.
type Hash struct {
	sha    hash.Hash
	size   int64
	points []byte
}

// New returns a Hash of no bytes yet.
func New() *Hash { return &Hash{sha: sha256.New()} }

// Write adds bytes to the hash. It never fails.
func (h *Hash) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if h.size > 0 && h.size%Step == 0 {
			h.points = append(h.points, h.state()...)
		}
		part := p[:min(int64(len(p)), Step-h.size%Step)]
		h.sha.Write(part)
		h.size += int64(len(part))
		p = p[len(part):]
	}
	return n, nil
}

// Size returns the number of bytes written.
func (h *Hash) Size() int64 { return h.size }

// Sum returns the SHA-256 of all bytes written.
func (h *Hash) Sum() (sum [sha256.Size]byte) {
	h.sha.Sum(sum[:0])
	return sum
}

// Points returns the checkpoints of the bytes written, 32 bytes each: none up to 1 MiB, one up to 2 MiB, and so on.
func (h *Hash) Points() string { return string(h.points) }

// Complete reports whether points has as many checkpoints as bytes of this size have, and at least one.
func Complete(points string, bytes int64) bool {
	return bytes > Step && int64(len(points)) == (bytes-1)/Step*size
}

// A Piece checks one MiB, whose bytes are written to it, by the checkpoints around it.
type Piece struct {
	Hash
	end   string // the checkpoint after it, or empty for the last MiB
	ended int64  // the number of bytes before that checkpoint
}

// NewPiece returns a Piece for the MiB with this number, counted from 0, of bytes whose
// checkpoints are complete.
func NewPiece(points string, n int64) (*Piece, error) {
	end := points[n*size : min((n+1)*size, int64(len(points)))]
	p := &Piece{Hash: *New(), end: end, ended: (n + 1) * Step}
	if n > 0 {
		if err := p.resume(points[(n-1)*size:n*size], n*Step); err != nil {
			return nil, fmt.Errorf("resume SHA-256: %w", err)
		}
	}
	return p, nil
}

// OK reports whether the bytes written are the MiB that was hashed originally; whole is the SHA-256 of all bytes.
func (p *Piece) OK(whole [sha256.Size]byte) bool {
	if p.end == "" {
		return p.Sum() == whole
	}
	return p.size == p.ended && string(p.state()) == p.end
}

// state returns the state of the chain between two MiBs.
func (h *Hash) state() []byte {
	saved, _ := h.sha.(encoding.BinaryAppender).AppendBinary(nil) // never fails
	return saved[len(magic):][:size]
}

// resume sets the chain to its state after so many bytes.
func (h *Hash) resume(state string, after int64) error {
	saved := append([]byte(magic+state), make([]byte, sha256.BlockSize)...)
	saved = binary.BigEndian.AppendUint64(saved, uint64(after))
	h.size = after
	return h.sha.(encoding.BinaryUnmarshaler).UnmarshalBinary(saved)
}
