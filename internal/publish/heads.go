package publish

import (
	"context"
	"sync"
)

// heads remembers the current state of projects that are being read. It is
// exact: a write forgets its project before it is acknowledged, and a look-up
// that began before the write cannot put back what it saw.
type heads struct {
	most  int // projects that are remembered
	mu    sync.RWMutex
	known map[ProjectID]Project
	gen   [256]uint64 // per shard of project ids: grows with each write
	fills *locks[ProjectID]
}

func newHeads(most int) *heads {
	return &heads{most: most, known: map[ProjectID]Project{}, fills: newLocks[ProjectID]()}
}

// get returns the current state of a project, through load if it is not known.
// However many ask at once, one loads.
func (h *heads) get(ctx context.Context, id ProjectID, load func() (Project, error)) (Project, error) {
	if p, ok := h.peek(id); ok {
		return p, nil
	}
	unlock, err := h.fills.lock(ctx, id)
	if err != nil {
		return Project{}, err
	}
	defer unlock()
	if p, ok := h.peek(id); ok {
		return p, nil
	}
	gen := h.generation(id)
	p, err := load()
	if err == nil && p.ID == id {
		h.put(p, gen)
	}
	return p, err
}

func (h *heads) peek(id ProjectID) (Project, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	p, ok := h.known[id]
	return p, ok
}

func (h *heads) generation(id ProjectID) uint64 {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.gen[shard(id)]
}

func (h *heads) put(p Project, gen uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gen[shard(p.ID)] != gen {
		return
	}
	for id := range h.known {
		if len(h.known) < h.most {
			break
		}
		delete(h.known, id)
	}
	h.known[p.ID] = p
}

// forget is called after every write that may have changed the project, also
// after one that failed.
func (h *heads) forget(id ProjectID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gen[shard(id)]++
	delete(h.known, id)
}

// forgetAll serves the rare write that changes many projects.
func (h *heads) forgetAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.gen {
		h.gen[i]++
	}
	clear(h.known)
}

func shard(id ProjectID) uint8 {
	var sum uint8
	for i := range len(id) {
		sum = sum*31 + id[i]
	}
	return sum
}
