package faults

import (
	"maps"
	"slices"
	"sync"

	"sandlot"
)

// mostPending bounds the groups in memory, each of some 2 KB; mostOfProject is the share of one project.
const (
	mostPending   = 2000
	mostOfProject = MaxGroups
)

// pending are the groups that wait to be written. Errors of further groups are dropped. It may be used concurrently.
type pending struct {
	mu     sync.Mutex
	groups map[groupKey]Counted
	of     map[sandlot.ProjectID]int
}

type groupKey struct {
	project sandlot.ProjectID
	version int
	hash    sandlot.Digest
}

func newPending() *pending {
	return &pending{groups: map[groupKey]Counted{}, of: map[sandlot.ProjectID]int{}}
}

// add adds errors to their groups.
func (p *pending) add(list []Counted) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range list {
		k := groupKey{c.Project, c.Version, c.Hash}
		if known, ok := p.groups[k]; ok {
			p.groups[k] = known.plus(c)
		} else if len(p.groups) < mostPending && p.of[c.Project] < mostOfProject {
			p.groups[k] = c
			p.of[c.Project]++
		}
	}
}

// take removes all groups, and returns them.
func (p *pending) take() []Counted {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := slices.Collect(maps.Values(p.groups))
	p.groups, p.of = map[groupKey]Counted{}, map[sandlot.ProjectID]int{}
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
