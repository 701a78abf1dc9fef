package web

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"sandlot/internal/publish"
)

// Limits of pictures. One of them is about 30 KB and takes some 50 ms, so they
// are drawn one after another: a crowd of them must not slow the projects down.
const (
	maxPictures = 256
	maxWaiting  = 32 // requests; more are told to come later
)

// pictures keeps what was drawn last. It may be used concurrently.
type pictures struct {
	brush   *brush        // of whoever holds drawing
	drawing chan struct{} // holds one
	waiting atomic.Int32
	mu      sync.Mutex
	made    map[string][]byte
	order   []string // of made, the oldest first
}

func newPictures() *pictures {
	return &pictures{brush: newBrush(), drawing: make(chan struct{}, 1), made: map[string][]byte{}}
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
	if len(p.order) == maxPictures {
		delete(p.made, p.order[0])
		p.order = slices.Delete(p.order, 0, 1)
	}
	p.made[key], p.order = body, append(p.order, key)
}
