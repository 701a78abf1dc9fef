package main

import (
	"maps"
	"slices"
)

// A world is the expected state of the service, according to the ledger. Each worker has a shard of its own, with one
// operation after another.
type world []*shard

type shard struct {
	Accounts []*account
	Upload   *upload // begun and not complete
	Pending  *op     // sent and not answered
	Ops      int
}

type account struct {
	Key      string // the hash; the keyring has the key
	Handle   string
	Email    string
	Projects []*project
}

type project struct {
	ID, URL    string
	Key        string
	Title      string
	Version    int
	VersionURL string
	Files      map[string]file
	Past       []version // the earlier ones
	Changed    int       // the operation that made its newest version
	Moved      int       // the operation that last deleted it or took it back
	Deleted    bool      // by its owner, so that it can be taken back

	Kept   map[string]int    // by players and doors: see op.kept
	Codes  [playersOf]string // which players were answered last
	Played int               // the operation by which a player last kept something
}

// version holds the file that the address of an earlier version must serve.
type version struct {
	URL   string
	Files map[string]file
}

const primary = "index.html"

func newWorld(workers int) world {
	w := make(world, workers)
	for i := range w {
		w[i] = &shard{}
	}
	return w
}

// apply makes every change of a shard.
func (s *shard) apply(r record) {
	switch {
	case r.Intent != nil:
		s.Pending = r.Intent
		s.Ops = r.Intent.ID
	case r.Ack != nil:
		s.happened(s.Pending, *r.Ack)
		s.Pending = nil
	case r.Expired:
		s.Upload = nil
	}
}

func (s *shard) happened(o *op, a ack) {
	switch o.Kind {
	case signup:
		s.Accounts = append(s.Accounts, &account{Key: a.Account, Handle: a.Handle, Email: o.Email})
	case publish:
		s.published(o, a, o.files(), o.Account, o.Email, o.Title)
	case update:
		s.project(o.Account, o.Project).updated(o, a)
	case restore:
		p := s.project(o.Account, o.Project)
		files := p.at(o.Version)
		p.next(o, a)
		p.Files = files
	case trash:
		p := s.project(o.Account, o.Project)
		p.Deleted, p.Moved = true, o.ID
	case takeBack:
		p := s.project(o.Account, o.Project)
		p.Deleted, p.Moved = false, o.ID
	case imports:
		s.imported(o, o.Projects, a.Imported, a.URLs)
	case remove:
		s.project(o.Account, o.Project).deleted(o, a)
	case part:
		s.partAccepted(o, a)
	case save, share, score, rename, code:
		s.project(o.Account, o.Project).played(o, a)
	}
}

func (s *shard) project(account, project int) *project { return s.Accounts[account].Projects[project] }

func (s *shard) published(o *op, a ack, files map[string]file, index int, email, title string) {
	if index < 0 {
		s.Accounts = append(s.Accounts, &account{Key: a.Account, Handle: a.Handle, Email: email})
		index = len(s.Accounts) - 1
	}
	owner := s.Accounts[index]
	owner.Projects = append(owner.Projects, &project{
		ID: a.Project, URL: a.URL, Key: a.Key, Title: title, Version: 1, VersionURL: a.VersionURL,
		Files: files, Changed: o.ID,
	})
}

// next makes the project's next version.
func (p *project) next(o *op, a ack) {
	p.Past = append(p.Past, version{p.VersionURL, p.Files})
	p.Version++
	p.VersionURL = a.VersionURL
	p.Changed = o.ID
	p.Files = maps.Clone(p.Files)
}

func (p *project) updated(o *op, a ack) {
	p.next(o, a)
	if o.Replace {
		p.Files = map[string]file{}
	}
	maps.Copy(p.Files, o.files())
}

// at returns the files of a version.
func (p *project) at(n int) map[string]file {
	if n == p.Version {
		return p.Files
	}
	return p.Past[n-1].Files
}

// touched returns the operation that last changed its appearance.
func (p *project) touched() int { return max(p.Changed, p.Moved, p.Played) }

// there returns the account's projects that are not deleted.
func (a *account) there() []*project {
	return slices.DeleteFunc(slices.Clone(a.Projects), func(p *project) bool { return p.Deleted })
}

func (p *project) deleted(o *op, a ack) {
	p.next(o, a)
	delete(p.Files, o.Filename)
}

func (s *shard) partAccepted(o *op, a ack) {
	u := s.uploadOf(o).with(o)
	if !u.complete() {
		s.Upload = u
		return
	}
	s.Upload = nil
	if u.Kind == publish {
		s.published(o, a, map[string]file{primary: u.whole()}, u.Account, u.Email, u.Title)
		return
	}
	p := s.project(u.Account, u.Project)
	p.next(o, a)
	p.Files[u.Filename] = u.whole()
}

// uploadOf returns the upload that a part belongs to.
func (s *shard) uploadOf(o *op) *upload {
	if s.Upload == nil {
		return o.Upload
	}
	return s.Upload
}

// completes reports whether the operation makes a version.
func (s *shard) completes(o *op) bool { return o.Kind != part || s.uploadOf(o).with(o).complete() }

// target returns the project that an operation changes, or nil if it makes one, or only adds a part.
func (s *shard) target(o *op) *project {
	switch {
	case o.Kind == update, o.Kind == remove, o.Kind == restore, o.Kind == trash, o.Kind == takeBack:
		return s.project(o.Account, o.Project)
	case o.Kind == part && s.completes(o) && s.uploadOf(o).Kind == update:
		u := s.uploadOf(o)
		return s.project(u.Account, u.Project)
	}
	return nil
}

// owner returns the account in which an operation makes a project, or -1.
func (s *shard) owner(o *op) int {
	switch {
	case o.Kind == publish:
		return o.Account
	case o.Kind == part && s.completes(o) && s.uploadOf(o).Kind == publish:
		return s.uploadOf(o).Account
	}
	return -1
}

// after returns a copy of the shard in which the pending operation has happened. The addresses and keys of its answer
// are unknown.
func (s *shard) after() *shard {
	c := s.copy()
	c.apply(record{Ack: &ack{}})
	return c
}

// copy returns an independent copy.
func (s *shard) copy() *shard {
	c := &shard{Upload: s.Upload, Pending: s.Pending, Ops: s.Ops}
	for _, a := range s.Accounts {
		b := *a
		b.Projects = nil
		for _, p := range a.Projects {
			q := *p
			q.Past = slices.Clip(p.Past)
			b.Projects = append(b.Projects, &q)
		}
		c.Accounts = append(c.Accounts, &b)
	}
	return c
}
