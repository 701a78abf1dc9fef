package cache

import (
	"container/list"
	"sync"

	"sandlot"
)

const (
	// block is the least room of a file on a disk, and the step by which it grows.
	block = 4 << 10
	// mostFiles bounds the files of a folder: each counts as at least this part of its bytes.
	mostFiles = 1_000_000
)

// recent orders the blobs of a folder by their last use.
type recent struct {
	most int64 // bytes

	mu    sync.Mutex
	order *list.List // of entry, the most recently used first
	index map[sandlot.BlobRef]*list.Element
	holds int64 // bytes
}

type entry struct {
	ref   sandlot.BlobRef
	takes int64 // bytes
}

func newRecent(most int64) *recent {
	return &recent{most: most, order: list.New(), index: map[sandlot.BlobRef]*list.Element{}}
}

// takes returns how many bytes a file of this size counts for.
func (r *recent) takes(size int64) int64 {
	return max((size+block-1)/block*block, r.most/mostFiles, block)
}

// add counts a blob, before or after the others. A known one moves to the front.
func (r *recent) add(ref sandlot.BlobRef, size int64, front bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, known := r.index[ref]
	if !known {
		e = r.order.PushBack(entry{ref, r.takes(size)})
		r.index[ref] = e
		r.holds += r.takes(size)
	}
	if front {
		r.order.MoveToFront(e)
	}
}

// drop forgets a blob.
func (r *recent) drop(ref sandlot.BlobRef) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropLocked(ref)
}

// dropLocked is drop with mu held.
func (r *recent) dropLocked(ref sandlot.BlobRef) {
	if e, ok := r.index[ref]; ok {
		r.holds -= r.order.Remove(e).(entry).takes
		delete(r.index, ref)
	}
}

// grow counts so many more bytes, and drops and returns the least recently used blobs until all fits.
func (r *recent) grow(more int64) (gone []sandlot.BlobRef) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holds += more
	for r.holds > r.most && r.order.Len() > 0 {
		ref := r.order.Back().Value.(entry).ref
		r.dropLocked(ref)
		gone = append(gone, ref)
	}
	return gone
}

// holding returns the bytes of all blobs, with those that are being written.
func (r *recent) holding() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.holds
}
