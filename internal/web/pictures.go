package web

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"sandlot/internal/publish"
)

// Limits of pictures. A card is 60 to 300 KB and takes up to some 300 ms, so they are drawn one
// after another: a crowd of them must not slow the projects down.
const (
	maxPictures = 256
	maxDrawn    = 8 << 20 // bytes of them
	maxWaiting  = 32      // requests; more are told to come later
)

// pictures keeps what was drawn last. It may be used concurrently.
type pictures struct {
	drawing chan struct{} // holds one
	waiting atomic.Int32
	mu      sync.Mutex
	made    map[string][]byte
	order   []string // of made, the oldest first
	bytes   int      // of made
}

func newPictures() *pictures {
	return &pictures{drawing: make(chan struct{}, 1), made: map[string][]byte{}}
}

// get returns the picture of a key, which is drawn once however many ask. It is
// publish.ErrUnavailable if too many wait.
func (p *pictures) get(ctx context.Context, key string, draw func() ([]byte, error)) ([]byte, error) {
	if body, ok := p.find(key); ok {
		return body, nil
	}
	defer p.waiting.Add(-1)
	if p.waiting.Add(1) > maxWaiting {
		return nil, publish.ErrUnavailable
	}
	select {
	case p.drawing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.drawing }()
	if body, ok := p.find(key); ok { // somebody drew it meanwhile
		return body, nil
	}
	body, err := draw()
	if err == nil {
		p.keep(key, body)
	}
	return body, err
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
