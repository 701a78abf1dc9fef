package faults

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"sandlot"
	"sandlot/internal/base/worker"
)

// mostPending bounds the groups in memory, each of some 2 KB; mostOfProject is the share of one project.
const (
	mostPending   = 2000
	mostOfProject = MaxGroups
)

// Pending holds the counted faults until they are written. It drops the errors of groups beyond its bounds. Its methods may
// be called concurrently; only one Run may be active.
type Pending struct {
	Store Store
	log   *slog.Logger
	mu    sync.Mutex
	byKey map[groupKey]Counted
	of    map[sandlot.ProjectID]int // groups
}

type groupKey struct {
	project sandlot.ProjectID
	version int
	hash    sandlot.Digest
}

func newPending(store Store, log *slog.Logger) *Pending {
	return &Pending{Store: store, log: log, byKey: map[groupKey]Counted{}, of: map[sandlot.ProjectID]int{}}
}

// Run writes the faults every two seconds until ctx ends, and then once more.
func (p *Pending) Run(ctx context.Context) {
	worker.FlushUntil(ctx, "errors of players", p.Flush, p.log)
}

// Flush writes the faults. After a failure they stay in memory for the next Flush, unless the store may have written
// them.
func (p *Pending) Flush(ctx context.Context) error {
	list := p.take()
	if len(list) == 0 {
		return nil
	}
	err := p.Store.AddFaults(ctx, list)
	if errors.Is(err, sandlot.ErrNoEffect) {
		p.add(list)
	}
	if err != nil {
		return fmt.Errorf("write faults: %w", err)
	}
	return nil
}

// add adds errors to their groups.
func (p *Pending) add(list []Counted) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range list {
		k := groupKey{c.Project, c.Version, c.Hash}
		if known, ok := p.byKey[k]; ok {
			p.byKey[k] = known.plus(c)
		} else if len(p.byKey) < mostPending && p.of[c.Project] < mostOfProject {
			p.byKey[k] = c
			p.of[c.Project]++
		}
	}
}

// take removes all groups, and returns them.
func (p *Pending) take() []Counted {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := slices.Collect(maps.Values(p.byKey))
	p.byKey, p.of = map[groupKey]Counted{}, map[sandlot.ProjectID]int{}
	return list
}

// plus returns a group with the errors of another one.
func (c Counted) plus(o Counted) Counted {
	c.Browsers = maps.Clone(c.Browsers)
	for family, n := range o.Browsers {
		c.Browsers[family] += n
	}
	c.Count += o.Count
	if o.FirstAt.Before(c.FirstAt) {
		c.FirstAt = o.FirstAt
	}
	if o.LastAt.After(c.LastAt) {
		c.LastAt = o.LastAt
	}
	return c
}
