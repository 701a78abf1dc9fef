package web

import (
	"context"
	"errors"
	"sync/atomic"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/domain/admission"
	"sandlot/internal/transport/web/card"
)

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
