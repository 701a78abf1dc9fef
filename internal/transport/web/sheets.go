package web

import (
	"context"
	"sync"

	"sandlot"
	"sandlot/internal/base/turns"
)

const (
	// maxSheets bounds the pages that are kept, in bytes: some five hundred projects at 15 KB in one language.
	maxSheets = 16 << 20
	// sheetCost is what a page takes beside its text: its pieces, its place in the map, and up to twelve cards of what it leads on to.
	sheetCost = 16 << 10
)

// A sheet is the page of a project but for what moves: that is put into its holes for each who
// looks. Of a template it takes a millisecond to make, so it is kept while the project stays as
// it is.
type sheet struct {
	stencil
	change int64 // of the project, as it was then
	size   int

	turn  chan struct{} // full while somebody finds what moves
	mu    sync.Mutex
	moved moving // as it was found last
}

func newSheet(body []byte, change int64) *sheet {
	// Packed, HTML has less than half of its bytes.
	return &sheet{stencil: newStencil(body), change: change, size: len(body)*3/2 + sheetCost, turn: make(chan struct{}, 1)}
}

// now is what moves, as it was found last.
func (s *sheet) now() moving {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved
}

func (s *sheet) move(to moving) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved = to
}

// sheets keeps the pages of projects as they are for whoever they do not belong to. When it is full a new
// one takes the place of any others. It may be used concurrently.
type sheets struct {
	turns *turns.Locks[sheetKey] // one at a time makes a page
	mu    sync.RWMutex
	kept  map[sheetKey]*sheet
	size  int
}

func newSheets() *sheets {
	return &sheets{turns: turns.NewLocks[sheetKey](), kept: map[sheetKey]*sheet{}}
}

type sheetKey struct {
	id   sandlot.ProjectID
	lang string
}

// page returns the page of a project as it is now, and has it made if there is none. Who comes meanwhile waits, and has the same
// error where that fails.
func (s *sheets) page(ctx context.Context, key sheetKey, change int64, find func() (*sheet, error)) (*sheet, error) {
	if made := s.get(key, change); made != nil {
		return made, nil
	}
	var made *sheet
	err := s.turns.Do(ctx, key, sandlot.Gone, func() (err error) {
		if made = s.get(key, change); made != nil {
			return nil
		}
		if made, err = find(); err == nil {
			s.put(key, made)
		}
		return err
	})
	return made, err
}

// get returns the page of a project as it is now, nil if there is none.
func (s *sheets) get(key sheetKey, change int64) *sheet {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if found := s.kept[key]; found != nil && found.change == change {
		return found
	}
	return nil
}

func (s *sheets) put(key sheetKey, made *sheet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(key)
	for other := range s.kept {
		if s.size+made.size <= maxSheets {
			break
		}
		s.drop(other)
	}
	s.kept[key] = made
	s.size += made.size
}

// drop is called under the mutex.
func (s *sheets) drop(key sheetKey) {
	if before := s.kept[key]; before != nil {
		delete(s.kept, key)
		s.size -= before.size
	}
}
