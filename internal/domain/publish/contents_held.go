package publish

import (
	"errors"
	"sync"

	"sandlot"
)

// A stage is the position of a blob on its way into a record.
type stage int

const (
	staged   stage = iota + 1 // being stored, or stored and in no step yet
	handed                    // a step that refers to it is running
	doubtful                  // such a step failed, but may have had its effect
)

// maxDoubtful bounds the remembered blobs of steps whose effect is unknown. There are some only while the disk fails;
// beyond this every name counts as doubtful.
const maxDoubtful = 10_000

// heldBlobs lists the blobs that no record of the store names yet. It alone decides when one may be deleted: by its
// holder only while it is staged, by the collector only once it is not in here. A crash forgets the list, and with it
// every request that could still have recorded a blob.
type heldBlobs struct {
	mu     sync.Mutex
	names  map[sandlot.BlobRef]stage
	doubts int  // names that are doubtful
	full   bool // more names were doubtful than can be remembered
}

func newHeldBlobs() *heldBlobs { return &heldBlobs{names: map[sandlot.BlobRef]stage{}} }

// add lists a name, before anything is stored under it.
func (s *heldBlobs) add(ref sandlot.BlobRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[ref] = staged
}

// drop forgets a name that is staged.
func (s *heldBlobs) drop(ref sandlot.BlobRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names[ref] == staged {
		delete(s.names, ref)
	}
}

// discardable reports whether a blob is staged, and so only its holder's.
func (s *heldBlobs) discardable(ref sandlot.BlobRef) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[ref] == staged
}

// holds reports whether a record may still come to name the blob.
func (s *heldBlobs) holds(ref sandlot.BlobRef) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[ref] != 0 || s.full
}

// use runs a step that refers to blobs. If it succeeds they are recorded; if it certainly had no effect they are staged
// as before; in any other case, a panic included, they are doubtful until the process ends, because only the next
// process reads the state of the disk.
func (s *heldBlobs) use(step func() error, blobs ...sandlot.Blob) error {
	s.move(blobs, handed)
	to := doubtful
	defer func() { s.move(blobs, to) }()
	err := step()
	switch {
	case err == nil:
		to = 0
	case errors.Is(err, sandlot.ErrNoEffect):
		to = staged
	}
	return err
}

// move brings blobs to a stage; 0 removes them. A doubtful one stays so until a step succeeds: a second step without
// effect proves nothing about the first.
func (s *heldBlobs) move(blobs []sandlot.Blob, to stage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range blobs {
		was := s.names[b.Ref]
		switch {
		case was == 0 || was == doubtful && to != 0:
		case to == 0:
			delete(s.names, b.Ref)
			if was == doubtful {
				s.doubts--
			}
		case to == doubtful && s.doubts >= maxDoubtful:
			delete(s.names, b.Ref)
			s.full = true
		default:
			s.names[b.Ref] = to
			if to == doubtful {
				s.doubts++
			}
		}
	}
}
