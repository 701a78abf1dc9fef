package publish

import (
	"errors"
	"fmt"
	"sync"
)

// ErrNoEffect: the step certainly changed nothing, now and after a crash. It
// comes with the error that says why.
var ErrNoEffect = errors.New("nothing was changed")

// NoEffect marks the error of a step that certainly changed nothing. It keeps nil.
func NoEffect(err error) error {
	if err == nil {
		return nil
	}
	return noEffect{err}
}

type noEffect struct{ error }

func (e noEffect) Unwrap() error        { return e.error }
func (e noEffect) Is(target error) bool { return target == ErrNoEffect }

// done is the error of what comes after a step that had its effect, for its answer.
// It keeps nil, and what kind of error it is, but not that nothing was changed.
func done(err error) error {
	if !errors.Is(err, ErrNoEffect) {
		return err
	}
	for _, kind := range []error{ErrFull, ErrUnavailable} {
		if errors.Is(err, kind) {
			return fmt.Errorf("%w, after the step: %v", kind, err)
		}
	}
	return fmt.Errorf("after the step: %v", err)
}

// A stage says how far a blob is on its way into a record.
type stage int

const (
	staged   stage = iota + 1 // being stored, or stored and in no step yet
	handed                    // a step that refers to it is running
	doubtful                  // such a step may have had its effect, and says it failed
)

// maxDoubtful bounds what is remembered of steps whose effect nobody knows. There
// are some only while the disk fails; beyond this every name counts as doubtful.
const maxDoubtful = 10_000

// staging is the record of the blobs that no record of the store names yet. It
// alone decides when one may be deleted: by whoever discards it only while it is
// staged, by the collector only once it is not in here. A crash forgets it, and
// with it every request that could still have recorded a blob.
type staging struct {
	mu     sync.Mutex
	names  map[BlobRef]stage
	doubts int  // names that are doubtful
	full   bool // there were more than could be remembered
}

func newStaging() *staging { return &staging{names: map[BlobRef]stage{}} }

// add begins with a name, before anything is stored under it.
func (s *staging) add(ref BlobRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[ref] = staged
}

// drop forgets a name that is staged.
func (s *staging) drop(ref BlobRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names[ref] == staged {
		delete(s.names, ref)
	}
}

// discardable reports whether a blob is staged, and so nobody's but its holder's.
func (s *staging) discardable(ref BlobRef) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[ref] == staged
}

// holds reports whether a record may still come to name the blob.
func (s *staging) holds(ref BlobRef) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[ref] != 0 || s.full
}

// use runs a step that refers to blobs. If it succeeds they are recorded; if it
// certainly had no effect they are staged as before; in any other case, a panic
// included, they are doubtful until the process ends, for only the next one reads
// from the disk what is there.
func (s *staging) use(step func() error, blobs ...Blob) error {
	s.move(blobs, handed)
	to := doubtful
	defer func() { s.move(blobs, to) }()
	err := step()
	switch {
	case err == nil:
		to = 0
	case errors.Is(err, ErrNoEffect):
		to = staged
	}
	return err
}

// move brings blobs to a stage; 0 is out of here. One that is doubtful stays so
// until a step succeeds: that a second one had no effect says nothing of the first.
func (s *staging) move(blobs []Blob, to stage) {
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
