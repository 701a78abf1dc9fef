package web

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
)

// Limits of pictures. A card is 60 to 300 KB and takes up to some 300 ms, so cards are drawn one after another: a crowd
// of them must not slow the projects down.
const (
	maxPictures = 256
	maxDrawn    = 8 << 20 // bytes of the pictures
	maxWaiting  = 32      // requests; more are refused as unavailable
	maxOfOne    = 2       // of these from one network, so that none blocks the pictures of all others
)

// pictures caches the pictures drawn last. It may be used concurrently.
type pictures struct {
	turns   *turns.Locks[string] // of a key; one at a time draws its picture
	drawing chan struct{}        // full while a picture is drawn
	waiting atomic.Int32
	mu      sync.Mutex
	made    map[string][]byte
	order   []string // of made, the oldest first
	bytes   int      // of made
}

func newPictures() *pictures {
	return &pictures{turns: turns.NewLocks[string](), drawing: make(chan struct{}, 1), made: map[string][]byte{}}
}

// A drawing holds the steps that make a picture.
type drawing struct {
	begin func() (end func(), err error)     // charges the visitor's share, only for a picture that is not cached; nil: free
	fetch func() ([]byte, error)             // fetches the picture to show, which may take long; nil: none
	draw  func(shown []byte) ([]byte, error) // keeps a processor busy
}

// get returns the picture of a key, which is drawn once for all concurrent calls; they share an error, too, except a
// refusal, which is the visitor's own. Fetching runs beside other drawings. The error is sandlot.ErrUnavailable if too
// many calls wait.
func (p *pictures) get(ctx context.Context, key string, by drawing) (body []byte, err error) {
	if body, ok := p.find(key); ok {
		return body, nil
	}
	err = p.turns.Do(ctx, key, isRefusal, func() (err error) {
		var ok bool
		if body, ok = p.find(key); ok { // another call drew it meanwhile
			return nil
		}
		if body, err = p.make(ctx, by); err == nil {
			p.keep(key, body)
		}
		return err
	})
	return body, err
}

// isRefusal reports whether an error is about the visitor, and not about the picture.
func isRefusal(err error) bool {
	var refused *admission.Denied
	return errors.As(err, &refused)
}

func (p *pictures) make(ctx context.Context, by drawing) (_ []byte, err error) {
	if by.begin != nil {
		end, err := by.begin()
		if err != nil {
			return nil, err
		}
		defer end()
	}
	var shown []byte
	if by.fetch != nil {
		if shown, err = by.fetch(); err != nil {
			return nil, err
		}
	}
	defer p.waiting.Add(-1)
	if p.waiting.Add(1) > maxWaiting {
		return nil, sandlot.ErrUnavailable
	}
	select {
	case p.drawing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.drawing }()
	return by.draw(shown)
}

func (p *pictures) find(key string) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	body, ok := p.made[key]
	return body, ok
}

func (p *pictures) keep(key string, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.order) > 0 && (len(p.order) == maxPictures || p.bytes+len(body) > maxDrawn) {
		p.bytes -= len(p.made[p.order[0]])
		delete(p.made, p.order[0])
		p.order = slices.Delete(p.order, 0, 1)
	}
	p.made[key], p.order, p.bytes = body, append(p.order, key), p.bytes+len(body)
}
