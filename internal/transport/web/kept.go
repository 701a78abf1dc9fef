package web

import (
	"context"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/transport/web/stencil"
)

const (
	// frontFor is how long a rendered page is sent again: to render one takes a
	// millisecond. The list in it may be half a second old by then, and neither may show
	// for longer than a second what was suspended.
	frontFor = 400 * time.Millisecond
	// mostFronts is how many pages are kept, at some 30 KB each: those that many open at once.
	mostFronts = 256
)

// fronts keeps the first pages of lists and profiles as they were rendered last. It may be used concurrently.
type fronts struct {
	now   func() time.Time
	turns *turns.Locks[frontKey] // one at a time renders a page
	mu    sync.RWMutex
	kept  map[frontKey]front
}

type frontKey struct {
	lang, path string
	sort       gallery.Sort // one that the service took; empty: the home page
}

// A front is a page as it was rendered at a time.
type front struct {
	stencil.Stencil
	at time.Time
}

func newFronts(now func() time.Time) *fronts {
	return &fronts{now: now, turns: turns.NewLocks[frontKey](), kept: map[frontKey]front{}}
}

// page returns a page that is young enough, and has it rendered if there is none. Who comes meanwhile waits, and
// has the same error where that fails. A page that is nil is not kept.
func (f *fronts) page(ctx context.Context, key frontKey, render func() (stencil.Stencil, error)) (stencil.Stencil, error) {
	if page, ok := f.get(key); ok {
		return page, nil
	}
	var page stencil.Stencil
	err := f.turns.Do(ctx, key, sandlot.Gone, func() (err error) {
		kept, ok := f.get(key)
		if ok {
			page = kept
			return nil
		}
		at := f.now()
		if page, err = render(); err == nil && page != nil {
			f.put(key, front{page, at})
		}
		return err
	})
	return page, err
}

func (f *fronts) get(key frontKey) (stencil.Stencil, bool) {
	now := f.now()
	f.mu.RLock()
	defer f.mu.RUnlock()
	page, ok := f.kept[key]
	return page.Stencil, ok && now.Sub(page.at).Abs() < frontFor
}

func (f *fronts) put(key frontKey, page front) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, had := f.kept[key]; !had && len(f.kept) >= mostFronts {
		clear(f.kept) // they are worth little: each is made anew a moment later anyway
	}
	f.kept[key] = page
}

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
	stencil.Stencil
	change int64 // of the project, as it was then
	size   int

	turn  chan struct{} // full while somebody finds what moves
	mu    sync.Mutex
	moved moving // as it was found last
}

func newSheet(body []byte, change int64) *sheet {
	// Packed, HTML has less than half of its bytes.
	return &sheet{Stencil: newStencil(body), change: change, size: len(body)*3/2 + sheetCost, turn: make(chan struct{}, 1)}
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
