package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	api "sandlot/internal/client/client"
)

// resolve finds out whether the unanswered operation, if any, has happened, and returns the shard that the service must
// show: without it, or with it. before is set if it was seen to have happened earlier: then it must have stayed.
func (c *checker) resolve(before bool) (s *shard, happened bool, err error) {
	o := c.shard.Pending
	if o == nil || !c.shard.completes(o) {
		return c.shard, false, nil // a part alone is visible nowhere
	}
	switch p, owner := c.shard.target(o), c.shard.owner(o); {
	case o.Kind == imports:
		if s, err = c.partly(o); err == nil {
			return s, len(o.seen) > 0, nil
		}
	case o.plays():
		happened, err = c.playedLast(o)
	case p != nil && o.Kind == trash:
		happened, err = c.deleted(p)
	case p != nil && o.Kind == takeBack:
		happened, err = c.deleted(p)
		happened = !happened
	case p != nil:
		happened, err = c.changed(p)
	case owner >= 0:
		happened, err = c.added(c.shard.Accounts[owner])
	default:
		return c.shard, false, nil // an account whose key nobody knows
	}
	if err != nil {
		return nil, false, fmt.Errorf("after %s was not answered: %w", o, err)
	}
	if before && !happened {
		return nil, false, fmt.Errorf("%s had happened, and after another crash it has not", o)
	}
	if !happened {
		return c.shard, false, nil
	}
	s, err = c.assume(o)
	return s, true, err
}

// changed reports whether the project has its next version.
func (c *checker) changed(p *project) (bool, error) {
	v, err := c.api("").Project(context.Background(), p.ID, "none")
	if err != nil {
		return false, err
	}
	if v.Version != p.Version && v.Version != p.Version+1 {
		return false, fmt.Errorf("%s is at version %d, and was at %d", p.ID, v.Version, p.Version)
	}
	return v.Version == p.Version+1, nil
}

// deleted reports whether the project is gone.
func (c *checker) deleted(p *project) (bool, error) {
	_, err := c.api("").Project(context.Background(), p.ID, "none")
	if refused := (*api.Error)(nil); errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return true, nil
	}
	return false, err
}

// added reports whether the account has another project.
func (c *checker) added(a *account) (bool, error) {
	who, err := c.api(a.Key).WhoAmI(context.Background(), 1000)
	if err != nil {
		return false, err
	}
	n := len(who.Projects) - len(a.there())
	if n != 0 && n != 1 {
		return false, fmt.Errorf("%s has %d projects, and had %d", a.Handle, len(who.Projects), len(a.there()))
	}
	return n == 1, nil
}

// assume returns the shard in which the operation has happened, with the id of a new project from whoami: the newest.
func (c *checker) assume(o *op) (*shard, error) {
	s := c.shard.after()
	owner := c.shard.owner(o)
	if owner < 0 {
		return s, nil
	}
	who, err := c.api(s.Accounts[owner].Key).WhoAmI(context.Background(), 1)
	if err != nil {
		return nil, err
	}
	s.newest(o).ID = who.Projects[0].ID
	return s, nil
}

// quiet compares a shard with the service while nothing is sent: all of it if whole, else the projects touched since
// the operation of that number.
func (c *checker) quiet(since int, before, whole bool) (happened bool, err error) {
	s, happened, err := c.resolve(before)
	if err != nil {
		return false, err
	}
	touched := func(p *project) bool { return whole || p.touched() >= since }
	for _, a := range s.Accounts {
		busy := a.Projects == nil
		for _, p := range a.Projects {
			busy = busy || touched(p)
		}
		if busy || whole {
			err = cmp.Or(err, c.account(a, touched, whole))
		}
	}
	return happened, err
}
