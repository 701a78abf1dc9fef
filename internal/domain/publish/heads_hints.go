package publish

import (
	"sync"

	"sandlot"
)

// doubts are the projects and accounts of which hints came since they were confirmed last.
type doubts struct {
	heard    chan struct{} // holds something while there are any
	mu       sync.Mutex
	projects map[sandlot.ProjectID]bool
	accounts map[sandlot.AccountID]bool
}

func newDoubts() doubts {
	return doubts{heard: make(chan struct{}, 1), projects: map[sandlot.ProjectID]bool{}, accounts: map[sandlot.AccountID]bool{}}
}

// Share has other nodes hear of what this one changes. It is called before anything changes.
func (h *Heads) Share(hints Hints) { h.hints = hints }

// Heard is told what another node says that it changed. It is not believed: what is cached of that
// is confirmed soon, and nothing else happens. Whoever tells of more than a thousand projects at
// once, or more often than ten times a second, has the rest of them confirmed with all others.
func (h *Heads) Heard(c sandlot.Changed) {
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

// cached are those of the projects whose heads are kept.
func (h *Heads) cached(ids []sandlot.ProjectID) (kept []sandlot.ProjectID) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, id := range ids {
		if _, ok := h.known[id]; ok {
			kept = append(kept, id)
		}
	}
	return kept
}

// take takes what is doubted.
func (d *doubts) take() (projects map[sandlot.ProjectID]bool, accounts map[sandlot.AccountID]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	projects, accounts = d.projects, d.accounts
	d.projects, d.accounts = map[sandlot.ProjectID]bool{}, map[sandlot.AccountID]bool{}
	return projects, accounts
}

// doubted lists the heads of which hints came. While the store cannot be asked there are none: it is
// asked for all of them when it can be.
func (h *Heads) doubted() (heads []*head, ids []sandlot.ProjectID) {
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
