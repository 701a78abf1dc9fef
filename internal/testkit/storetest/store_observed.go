package storetest

import (
	"context"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/operate"
)

// observed stands around the steps of a case, as a Service does. When the case ends it proves that nothing would be
// cached which a step changed without returning it, and that each recorded blob was given to the wrapper of its step.
type observed struct {
	s       Records
	mu      sync.Mutex
	known   map[sandlot.ProjectID]sandlot.Project // as read since a step returned it
	given   map[sandlot.BlobRef]bool
	changed sandlot.Changed // by the steps since the last call of change
}

func observe(t *testing.T, s Records) *observed {
	o := &observed{s: s, known: map[sandlot.ProjectID]sandlot.Project{}, given: map[sandlot.BlobRef]bool{}}
	s.Publish.Observe(o.around)
	t.Cleanup(func() { o.check(t) })
	return o
}

func (o *observed) around(step func() (sandlot.Changed, error), blobs []sandlot.Blob) error {
	o.mu.Lock()
	for _, b := range blobs {
		o.given[b.Ref] = true
	}
	o.mu.Unlock()
	changed, err := step()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.changed.Projects = append(o.changed.Projects, changed.Projects...)
	o.changed.Account = max(o.changed.Account, changed.Account)
	for _, id := range changed.Projects {
		delete(o.known, id)
	}
	for id, p := range o.known {
		if p.Account == changed.Account {
			delete(o.known, id)
		}
	}
	for id, p := range o.read() {
		if _, cached := o.known[id]; !cached {
			o.known[id] = p
		}
	}
	return err
}

// read returns all projects as heads cache them, without counts and change numbers.
func (o *observed) read() map[sandlot.ProjectID]sandlot.Project {
	all := map[sandlot.ProjectID]sandlot.Project{}
	list, _ := o.s.Operate.ListProjects(context.Background(), operate.ProjectQuery{Limit: 999})
	for _, p := range list {
		p.Plays, p.Counted, p.Likes, p.Change = 0, 0, 0, 0
		all[p.ID] = p.Project
	}
	return all
}

// change returns the changes of the steps since its last call.
func (o *observed) change() sandlot.Changed {
	o.mu.Lock()
	defer o.mu.Unlock()
	changed := o.changed
	o.changed = sandlot.Changed{}
	return changed
}

func (o *observed) check(t *testing.T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	same(t, "what is cached of the projects", o.known, o.read())
	list, err := o.s.Upkeep.BlobsAfter(context.Background(), 0, 9999)
	ok(t, err)
	for _, b := range list {
		if b.Ref != "" && !o.given[b.Ref] {
			t.Errorf("the blob %s was recorded by a step to which it was not given", b.Ref)
		}
	}
}
