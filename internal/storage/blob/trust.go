package blob

import (
	"container/list"
	"sync"

	"sandlot"
	"sandlot/internal/base/checkpoint"
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

// trust remembers the verified parts of files, for the most recently opened ones.
type trust struct {
	max int

	mu    sync.Mutex
	order *list.List // of *trustEntry, the most recently used first
	known map[sandlot.BlobRef]*list.Element
}

type trustEntry struct {
	ref sandlot.BlobRef
	proof
	seen scopes
}

func newTrust(max int) *trust {
	return &trust{max: max, order: list.New(), known: make(map[sandlot.BlobRef]*list.Element)}
}

func (t *trust) has(ref sandlot.BlobRef, p proof, s scope) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.known[ref]
	if !ok || e.Value.(*trustEntry).proof != p || !e.Value.(*trustEntry).seen.has(s) {
		return false
	}
	t.order.MoveToFront(e)
	return true
}

func (t *trust) add(ref sandlot.BlobRef, p proof, s scope) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.known[ref]; ok && e.Value.(*trustEntry).proof == p {
		e.Value.(*trustEntry).seen.add(s)
		t.order.MoveToFront(e)
		return
	}
	t.remove(ref)
	entry := &trustEntry{ref: ref, proof: p}
	entry.seen.add(s)
	t.known[ref] = t.order.PushFront(entry)
	if t.order.Len() > t.max {
		t.remove(t.order.Back().Value.(*trustEntry).ref)
	}
}

func (t *trust) drop(ref sandlot.BlobRef) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(ref)
}

func (t *trust) remove(ref sandlot.BlobRef) {
	if e, ok := t.known[ref]; ok {
		t.order.Remove(e)
		delete(t.known, ref)
	}
}
