package publish

import (
	"context"
	"time"
)

// FollowEvery is how often a server looks whether an operator did something on
// the same stores: each look is one read of a page that is always in memory, and
// an effect within a second leaves room for three that fail.
const FollowEvery = 250 * time.Millisecond

// Follow makes what operators do through other processes effective here, until
// ctx ends. Every act is an entry of the audit log, so a new one says that what
// this Service remembers of projects may be out of date. Keys are looked up in
// the store each time, and need no following.
// failures counts looks that failed.
func (s *Service) Follow(ctx context.Context, log LogWatch, failures *Failures) {
	tick := time.NewTicker(FollowEvery)
	defer tick.Stop()
	// What was cached before the first look may be older than it.
	seen, failing := int64(-1), false
	for {
		last, err := log.LastEntry(ctx)
		switch {
		case err == nil && last != seen:
			s.heads.forgetAll()
			seen = last
		case err != nil && ctx.Err() == nil:
			failures.Add(1)
			if !failing {
				s.log.Warn("the operator's acts cannot be followed", "error", err)
			}
		}
		failing = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
