package heads

import (
	"sync"

	"sandlot"
)

// doubts holds the projects and accounts that hints have named since the last confirmation.
type doubts struct {
	heard    chan struct{} // holds an element while there are any
	mu       sync.Mutex
	projects map[sandlot.ProjectID]bool
	accounts map[sandlot.AccountID]bool
}

func newDoubts() doubts {
	return doubts{heard: make(chan struct{}, 1), projects: map[sandlot.ProjectID]bool{}, accounts: map[sandlot.AccountID]bool{}}
}

// Share sets the Hints that notify other nodes of the changes of this one. It is called before anything changes.
func (h *Cache) Share(hints Hints) { h.hints = hints }

// Heard takes a hint of another node. The hint is not believed: the cached heads that it names are confirmed soon, and
// nothing else happens. Of a node that names more than a thousand projects at once, or more often than ten times a
// second, the rest are confirmed with all others.
func (h *Cache) Heard(c sandlot.Changed) {
	ids := h.cached(c.Projects)
	if len(ids) == 0 && c.Account == 0 {
		return
	}
	d := &h.doubts
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range ids {
		if len(d.projects) < hintsMost {
			d.projects[id] = true
		}
	}
	if c.Account != 0 && len(d.accounts) < hintsMost {
		d.accounts[c.Account] = true
	}
	select {
	case d.heard <- struct{}{}:
	default:
	}
}

// cached returns the projects whose heads are cached.
func (h *Cache) cached(ids []sandlot.ProjectID) (kept []sandlot.ProjectID) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, id := range ids {
		if _, ok := h.known[id]; ok {
			kept = append(kept, id)
		}
	}
	return kept
}

// take returns the doubts and clears them.
func (d *doubts) take() (projects map[sandlot.ProjectID]bool, accounts map[sandlot.AccountID]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	projects, accounts = d.projects, d.accounts
	d.projects, d.accounts = map[sandlot.ProjectID]bool{}, map[sandlot.AccountID]bool{}
	return projects, accounts
}

// doubted lists the heads that hints have named. While the store does not answer there are none: all heads are
// confirmed when it does.
func (h *Cache) doubted() (heads []*head, ids []sandlot.ProjectID) {
	projects, accounts := h.doubts.take()
	if int64(h.since()) < h.down.Load() {
		return nil, nil
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	add := func(id sandlot.ProjectID, known *head) {
		if known != nil && len(ids) < hintsMost {
			heads, ids = append(heads, known), append(ids, id)
		}
	}
	for id := range projects {
		add(id, h.known[id])
	}
	if len(accounts) == 0 {
		return heads, ids
	}
	for id, known := range h.known {
		if accounts[known.Account] && !projects[id] {
			add(id, known)
		}
	}
	return heads, ids
}
