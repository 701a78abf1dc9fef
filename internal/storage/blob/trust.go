package blob

import (
	"io/fs"
	"os"
	"sync"

	"sandlot"
	"sandlot/internal/base/checkpoint"
	"sandlot/internal/base/recent"
)

// A scope is the part of a blob that is verified: the whole, or some of its MiBs.
type scope struct{ first, last int64 }

var whole = scope{0, -1}

func (s scope) whole() bool { return s.last < s.first }

// scopeOf returns the scope to verify before the n bytes of b from off are read: all of it, if b comes without its
// checkpoints or all bytes are read, and if none is. A caller who reads no byte wants to know whether there is damage.
func scopeOf(b sandlot.Blob, off, n int64) scope {
	if n == 0 || n == b.Size || !checkpoint.Complete(b.Checkpoints, b.Size) {
		return whole
	}
	return scope{off / checkpoint.Step, (off + n - 1) / checkpoint.Step}
}

// scopes are the verified parts of one blob.
type scopes struct {
	whole bool
	mebis []uint64 // a bit for each MiB
}

func (s *scopes) has(of scope) bool {
	if s.whole || of.whole() {
		return s.whole
	}
	for i := of.first; i <= of.last; i++ {
		if i/64 >= int64(len(s.mebis)) || s.mebis[i/64]&(1<<(i%64)) == 0 {
			return false
		}
	}
	return true
}

func (s *scopes) add(of scope) {
	if of.whole() {
		s.whole, s.mebis = true, nil
	}
	if s.whole {
		return
	}
	if more := of.last/64 + 1 - int64(len(s.mebis)); more > 0 {
		s.mebis = append(s.mebis, make([]uint64, more)...)
	}
	for i := of.first; i <= of.last; i++ {
		s.mebis[i/64] |= 1 << (i % 64)
	}
}

// proof holds the file's attributes at the time when its bytes had this SHA-256.
type proof struct {
	file   fs.FileInfo
	sha256 sandlot.Digest
}

func (p proof) same(as proof) bool {
	return p.sha256 == as.sha256 && os.SameFile(p.file, as.file) && p.file.Size() == as.file.Size() &&
		p.file.ModTime().Equal(as.file.ModTime())
}

// trust remembers the verified parts of files, for the most recently opened ones.
type trust struct {
	mu    sync.Mutex
	known *recent.Map[sandlot.BlobRef, trusted]
}

type trusted struct {
	proof
	seen scopes
}

func newTrust(most int64) *trust {
	return &trust{known: recent.New[sandlot.BlobRef, trusted](most)}
}

func (t *trust) has(ref sandlot.BlobRef, p proof, s scope) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, known := t.known.Get(ref)
	return known && v.same(p) && v.seen.has(s)
}

func (t *trust) add(ref sandlot.BlobRef, p proof, s scope) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, known := t.known.Get(ref)
	if !known || !v.same(p) {
		v = trusted{proof: p}
	}
	v.seen.add(s)
	t.known.Put(ref, v, 1)
}
