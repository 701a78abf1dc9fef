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
	most   int // limit of current stays; beyond it new ones are not measured
	seed   maphash.Seed
	mu     sync.Mutex
	recent map[uint64]stay // stays with a heartbeat since since
	older  map[uint64]stay // stays whose last heartbeat was in the Silence before
	since  time.Time
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
	return &Stays{most: most, seed: maphash.MakeSeed(), recent: map[uint64]stay{}, older: map[uint64]stay{}}
}

// Beat records a player's heartbeat in a project at a version. Without a current stay it begins one if may returns
// true; may is called only then. It returns the stays that it found to be over.
func (s *Stays) Beat(id sandlot.ProjectID, version int, player string, now time.Time, may func() bool) []Stay {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := s.turn(now)
	key := s.key(id, player)
	at, there := s.take(key)
	if there && now.Sub(at.last).Abs() >= Silence {
		over, there = append(over, at.over()), false
	}
	if !there {
		if len(s.recent)+len(s.older) >= s.most || !may() {
			return over
		}
		at = stay{Stay{Project: id, Version: version}, now, now}
	}
	if now.After(at.last) {
		at.last = now
	}
	s.recent[key] = at
	return over
}

// Gone ends a player's stay in a project, and returns it; ok is false if there is none.
func (s *Stays) Gone(id sandlot.ProjectID, player string, now time.Time) (over Stay, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, there := s.take(s.key(id, player))
	if !there {
		return Stay{}, false
	}
	if since := now.Sub(at.last); since > 0 && since < Silence {
		at.last = now
	}
	return at.over(), true
}

// End ends the stays without a heartbeat for Silence, or all of them, and returns them.
func (s *Stays) End(now time.Time, all bool) []Stay {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := s.turn(now)
	if all {
		over = append(append(over, ended(s.older)...), ended(s.recent)...)
		s.recent, s.older = map[uint64]stay{}, map[uint64]stay{}
	}
	return over
}

// turn ends the stays without a heartbeat for at least Silence. Each is examined once in that time.
func (s *Stays) turn(now time.Time) (over []Stay) {
	if now.Sub(s.since).Abs() < Silence {
		return nil
	}
	over = ended(s.older)
	s.older, s.recent, s.since = s.recent, map[uint64]stay{}, now
	return over
}

func ended(stays map[uint64]stay) (over []Stay) {
	for _, at := range stays {
		over = append(over, at.over())
	}
	return over
}

func (s *Stays) take(key uint64) (stay, bool) {
	for _, m := range []map[uint64]stay{s.recent, s.older} {
		if at, there := m[key]; there {
			delete(m, key)
			return at, true
		}
	}
	return stay{}, false
}

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
