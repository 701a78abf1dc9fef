package web

import (
	"context"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/gallery"
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
	stencil
	at time.Time
}

func newFronts(now func() time.Time) *fronts {
	return &fronts{now: now, turns: turns.NewLocks[frontKey](), kept: map[frontKey]front{}}
}

// page returns a page that is young enough, and has it rendered if there is none. Who comes meanwhile waits, and
// has the same error where that fails. A page that is nil is not kept.
func (f *fronts) page(ctx context.Context, key frontKey, render func() (stencil, error)) (stencil, error) {
	if page, ok := f.get(key); ok {
		return page, nil
	}
	var page stencil
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

func (f *fronts) get(key frontKey) (stencil, bool) {
	now := f.now()
	f.mu.RLock()
	defer f.mu.RUnlock()
	page, ok := f.kept[key]
	return page.stencil, ok && now.Sub(page.at).Abs() < frontFor
}

func (f *fronts) put(key frontKey, page front) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, had := f.kept[key]; !had && len(f.kept) >= mostFronts {
		clear(f.kept) // they are worth little: each is made anew a moment later anyway
	}
	f.kept[key] = page
}
