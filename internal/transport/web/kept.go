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
	// frontFor is the time for which a rendered page is sent again: rendering takes a millisecond. The list in it may
	// already be half a second old, and together they must not show a suspended project for longer than a second.
	frontFor = 400 * time.Millisecond
	// mostFronts bounds the cached pages, at some 30 KB each: the pages that many visitors open at once.
	mostFronts = 256
)

// fronts caches the first pages of lists and profiles. It may be used concurrently.
type fronts struct {
	now   func() time.Time
	turns *turns.Locks[frontKey] // one at a time renders a page
	mu    sync.RWMutex
	kept  map[frontKey]front
}

type frontKey struct {
	lang, path string
	sort       gallery.Sort // one that the service accepted; empty: the home page
}

// A front is a page with the time of its rendering.
type front struct {
	stencil.Stencil
	at time.Time
}

func newFronts(now func() time.Time) *fronts {
	return &fronts{now: now, turns: turns.NewLocks[frontKey](), kept: map[frontKey]front{}}
}

// page returns a page that is fresh enough, or else renders it. Calls that come meanwhile wait, and share an error. A
// page that is nil is not cached.
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
		clear(f.kept) // they are worth little: each is rendered again a moment later anyway
	}
	f.kept[key] = page
}

const (
	// maxSheets bounds the cached pages, in bytes: some five hundred projects at 15 KB in one language.
	maxSheets = 16 << 20
	// sheetCost is the memory of a page beside its text, in bytes: its pieces, its place in the map, and up to twelve
	// cards of the projects it leads on to.
	sheetCost = 16 << 10
)

// A sheet is the page of a project without its moving parts, which fill its holes for each visitor. A template takes a
// millisecond to render it, so it is cached until the project changes.
type sheet struct {
	stencil.Stencil
	change int64 // the change number of the project at the time
	size   int

	turn  chan struct{} // full while a call fetches the moving parts
	mu    sync.Mutex
	moved moving // the moving parts that were fetched last
}

func newSheet(body []byte, change int64) *sheet {
	// Compressed, HTML has less than half of its bytes.
	return &sheet{Stencil: newStencil(body), change: change, size: len(body)*3/2 + sheetCost, turn: make(chan struct{}, 1)}
}

// now returns the moving parts that were fetched last.
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

// sheets caches the pages of projects for visitors other than their owners. When it is full, a new page replaces
// arbitrary others. It may be used concurrently.
type sheets struct {
	turns *turns.Locks[sheetKey] // one at a time renders a page
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

// page returns the current page of a project, or else has it rendered. Calls that come meanwhile wait, and share an
// error.
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

// get returns the current page of a project, or nil if it is not cached.
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

// drop removes a page. The caller holds the mutex.
func (s *sheets) drop(key sheetKey) {
	if before := s.kept[key]; before != nil {
		delete(s.kept, key)
		s.size -= before.size
	}
}
