package web

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/web/card"
	"sandlot/internal/transport/web/stencil"
)

const (
	// frontFor is the time for which a rendered list, and the moving parts of a project's page, are sent again. Their
	// data may already be half a second old, and together they must not show a suspended project for over a second.
	frontFor = 400 * time.Millisecond
	// maxFronts bounds the cached lists in bytes: some three hundred, at 30 KB and half of that compressed.
	maxFronts = 16 << 20
	// maxSheets bounds the cached pages of projects in bytes: some five hundred projects in one language.
	maxSheets = 16 << 20
	// keptCost is the memory of a cached value beside its own bytes.
	keptCost = 1 << 10
)

// A cache keeps values up to a limit in bytes. One call at a time makes the value of a key. It may be used
// concurrently.
type cache[V any] struct {
	turns  *turns.Locks[string]
	values *otter.Cache[string, V]
}

// newCache returns a cache for values of that many bytes in all.
func newCache[V any](most uint64, size func(V) int) *cache[V] {
	return &cache[V]{turns.NewLocks[string](), otter.Must(&otter.Options[string, V]{
		MaximumWeight: most, Weigher: func(_ string, v V) uint32 { return uint32(size(v) + keptCost) },
	})}
}

// get returns the value of a key if it is good, or else the result of make for the previous one. Calls that come
// meanwhile wait, and share an error, except one for which personal returns true.
func (c *cache[V]) get(
	ctx context.Context, key string, good func(V) bool, personal func(error) bool, make func(before V) (V, error),
) (V, error) {
	v, ok := c.values.GetIfPresent(key)
	if ok && good(v) {
		return v, nil
	}
	err := c.turns.Do(ctx, key, personal, func() (err error) {
		if v, ok = c.values.GetIfPresent(key); ok && good(v) {
			return nil
		}
		if v, err = make(v); err == nil {
			c.values.Set(key, v)
		}
		return err
	})
	return v, err
}

// fronts caches the first pages of lists and profiles. It may be used concurrently.
type fronts struct {
	now    func() time.Time
	caches *cache[front]
}

// A front is a page with the time of its rendering. A page that is nil was a redirect.
type front struct {
	page stencil.Stencil
	at   time.Time
}

func newFronts(now func() time.Time) *fronts {
	return &fronts{now, newCache(maxFronts, func(f front) int { return f.page.Size() * 3 / 2 })}
}

// page returns a page that is fresh enough, or else renders it.
func (f *fronts) page(ctx context.Context, key string, render func() (stencil.Stencil, error)) (stencil.Stencil, error) {
	fresh := func(kept front) bool { return kept.page != nil && f.now().Sub(kept.at).Abs() < frontFor }
	kept, err := f.caches.get(ctx, key, fresh, sandlot.Gone, func(front) (front, error) {
		at := f.now()
		page, err := render()
		return front{page, at}, err
	})
	return kept.page, err
}

// Limits of pictures. A card is 60 to 300 KB and takes up to some 300 ms, so cards are drawn one after another: a crowd
// of them must not slow the projects down.
const (
	maxDrawn   = 8 << 20 // bytes of the pictures
	maxWaiting = 32      // requests; more are refused as unavailable
	maxOfOne   = 2       // of these from one network, so that none blocks the pictures of all others
)

// newPictures returns a cache of the pictures that were drawn last.
func newPictures() *cache[[]byte] { return newCache(maxDrawn, func(b []byte) int { return len(b) }) }

// anyPicture accepts each picture: the key names everything that it depends on.
func anyPicture([]byte) bool { return true }

// isRefusal reports whether an error is about the visitor, and not about the picture.
func isRefusal(err error) bool {
	var refused *admission.Denied
	return errors.As(err, &refused)
}

// A painter draws cards, one at a time. It may be used concurrently.
type painter struct {
	*card.Press
	load    *turns.Load
	waiting atomic.Int32
}

// draw returns a card. The error is sandlot.ErrUnavailable if too many calls wait.
func (p *painter) draw(ctx context.Context, c card.Card) ([]byte, error) {
	defer p.waiting.Add(-1)
	if p.waiting.Add(1) > maxWaiting {
		return nil, sandlot.ErrUnavailable
	}
	end, err := p.load.Heaviest(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return p.Draw(c)
}
