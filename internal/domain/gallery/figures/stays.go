package figures

import (
	"hash/maphash"
	"sync"
	"time"

	"sandlot"
)

// Silence is how long a stay lasts without a heartbeat. Heartbeats come every 20 seconds, but if nodes share them each
// node may receive only one in a few.
const Silence = 5 * time.Minute

// Stays measures how long people play: a stay lasts from a player's first heartbeat to the last, or until the page
// reports that the player left. It lives in memory alone, and stores players only as hashes with a seed of this
// process. It may be used concurrently.
type Stays struct {
	most    int // limit of current stays; beyond it new ones are not measured
	seed    maphash.Seed
	mu      sync.Mutex
	current map[uint64]stay
}

type stay struct {
	Stay
	begun, last time.Time
}

// A Stay is a stay that is over.
type Stay struct {
	Project sandlot.ProjectID
	Version int // the first version played
	Length  time.Duration
}

// NewStays returns Stays with room for most current stays, at about 150 bytes each.
func NewStays(most int) *Stays {
	return &Stays{most: most, seed: maphash.MakeSeed(), current: map[uint64]stay{}}
}

// Beat records a player's heartbeat in a project at a version. Without a current stay it begins one if may returns
// true; may is called only then. It returns the stays that it found to be over.
func (s *Stays) Beat(id sandlot.ProjectID, version int, player string, now time.Time, may func() bool) (over []Stay) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := s.key(id, player)
	at, there := s.current[key]
	if there && at.silent(now) {
		delete(s.current, key)
		over, there = append(over, at.over()), false
	}
	if !there {
		if len(s.current) >= s.most || !may() {
			return over
		}
		at = stay{Stay{Project: id, Version: version}, now, now}
	}
	if now.After(at.last) {
		at.last = now
	}
	s.current[key] = at
	return over
}

// Gone ends a player's stay in a project, and returns it; ok is false if there is none.
func (s *Stays) Gone(id sandlot.ProjectID, player string, now time.Time) (over Stay, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := s.key(id, player)
	at, ok := s.current[key]
	delete(s.current, key)
	if now.After(at.last) && !at.silent(now) {
		at.last = now
	}
	return at.over(), ok
}

// End ends the stays without a heartbeat for Silence, or all of them, and returns them.
func (s *Stays) End(now time.Time, all bool) (over []Stay) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, at := range s.current {
		if all || at.silent(now) {
			delete(s.current, key)
			over = append(over, at.over())
		}
	}
	return over
}

func (at stay) silent(now time.Time) bool { return now.Sub(at.last).Abs() >= Silence }

func (s *Stays) key(id sandlot.ProjectID, player string) uint64 {
	type pair struct {
		project sandlot.ProjectID
		player  string
	}
	return maphash.Comparable(s.seed, pair{id, player})
}

// over returns the stay with its length, which is 0 if the clock was set back.
func (at stay) over() Stay {
	at.Length = max(at.last.Sub(at.begun), 0)
	return at.Stay
}
